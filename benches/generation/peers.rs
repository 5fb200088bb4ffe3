//! Peers: other people's generators. To add one, write `peers/<crate>.rs` and add a line here.

use crate::row::Row;

macro_rules! peers {
    ($($module:ident),* $(,)?) => {
        $(mod $module;)*

        /// Every row of every peer.
        pub fn rows() -> Vec<Row> {
            let mut rows = Vec::new();
            $(rows.extend($module::rows());)*
            rows
        }
    };
}

peers! {
    uuid,
    uuid7,
    ulid,
    ferroid,
    svix_ksuid,
    snowflake_me,
    snowflaked,
    rs_snowflake,
    tsid,
    scru128,
    sonyflake,
}
