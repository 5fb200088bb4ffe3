//! Ids that begin with the worker number.

use super::scene::*;

pub const HAPPENED: &str = "a reader followed a table of Seata's ids, which begin with the worker number, with `id > last_seen`: after the first id of the highest worker it never saw any of another.";
pub const REMEDY: &str = "one cursor a worker; or page by a column of time.";

pub fn play(scene: &mut Scene) -> Result<()> {
    let seata = Setting {
        scheme: "snowflake:first=worker",
        writers: 4,
        rate: 1000,
        length_ns: 50 * S,
        rollback: Rollback::Logical,
        readers: vec![
            ReaderKind::Cursor { lag_ns: 0 },
            ReaderKind::Vector { lag_ns: 0 },
        ],
        ..Setting::default()
    };
    let found = scene.run("4 workers", &seata)?;
    // But the few before that first id: more than 40 come before it once in 10⁵·(4/3)⁴⁰.
    let deviation = (0.75 * 0.25 / 200_000f64).sqrt();
    let lost = between(0.75 - 5.5 * deviation - 2e-4, 0.75 + 5.5 * deviation);
    scene.expect(&found, of(&READER_SKIPPED_SHARE, "reader", "cursor"), lost);
    scene.expect(&found, of(&READER_SKIPPED_SHARE, "reader", "vector"), exactly(0.0));
    Ok(())
}
