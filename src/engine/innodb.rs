//! InnoDB, of MariaDB 10.11 and MySQL 8.0.

use super::{Engine, Index, Model};

/// InnoDB: pages of 16384 bytes, row format dynamic. What its trees do is in
/// `store::InnoDb`.
///
/// Source: `storage/innobase/btr/btr0btr.cc` (`btr_page_split_and_insert`,
/// `btr_insert_into_right_sibling`), `btr0cur.cc` (`btr_cur_optimistic_insert`).
pub const INNODB: Engine = Engine {
    name: "innodb",
    about: "InnoDB of MariaDB 10.11 and MySQL 8.0 (btr0btr.cc, btr0cur.cc)",
    page_bytes: 16384,
    page_sizes: &[4096, 8192, 16384, 32768, 65536],
    max_key_bytes: 3072,
    indexes: &[
        Index {
            name: "clustered",
            about: "the table itself, in the order of the ids",
        },
        Index {
            name: "secondary",
            about: "a unique index beside a table clustered by an 8-byte counter",
        },
    ],
    parameter: None,
    model: Model::InnoDb,
};
