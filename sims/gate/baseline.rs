//! stub
use super::side::Side;
use anyhow::Result;
use std::path::Path;
pub fn save(_: &super::Args, _: &Side, _: &Path) -> Result<()> {
    Ok(())
}
pub fn compare(_: &super::Args, _: &Side, _: &Path) -> Result<()> {
    Ok(())
}
