//! stub
use anyhow::Result;
#[derive(clap::Args)]
pub struct SelfTestArgs {
    #[arg(long)]
    self_test: bool,
}
impl SelfTestArgs {
    pub fn is_asked_for(&self) -> bool {
        self.self_test
    }
    pub fn refuse(&self) -> Result<()> {
        Ok(())
    }
}
pub fn run(_: &super::Args) -> Result<()> {
    Ok(())
}
