//! What ids of several widths take in storage.

use crate::args::usage;
use crate::report::{plural, table, whole};
use anyhow::Result;
use idlab::id::Column;
use idlab::layout::{ENGINES, Storage, Table};
use idlab::measure::Rows;
use idlab::record::{Measured, Number, Parameters, Row};
use indicatif::HumanBytes;
use rayon::prelude::*;
use std::fmt::Write;

pub const RAW: Measured = Measured {
    name: "id_copies_bytes",
    unit: "bytes",
    about: "rows x width x copies of the id: the key, further indexes, foreign keys",
};

pub const PRIMARY: Measured = Measured {
    name: "primary_bytes",
    unit: "bytes",
    about: "the primary key's tree, predicted; where the table is that tree, rows with no other column",
};

pub const SECONDARY: Measured = Measured {
    name: "secondary_bytes",
    unit: "bytes",
    about: "all further indexes, predicted, each on random 8-byte values",
};

pub const FOREIGN: Measured = Measured {
    name: "foreign_bytes",
    unit: "bytes",
    about: "the indexes on all foreign keys, predicted",
};

pub const COLUMNS: Measured = Measured {
    name: "id_columns_bytes",
    unit: "bytes",
    about: "the ids in rows outside of these trees",
};

pub const TOTAL: Measured = Measured {
    name: "id_storage_bytes",
    unit: "bytes",
    about: "trees and columns together",
};

/// Columns, and what is kept in them.
const COLUMN: [(Column, &str); 6] = [
    (Column::Bigint, "Snowflake, ticket"),
    (Column::Uuid, "UUID, ULID"),
    (Column::Bytes(20), "KSUID"),
    (Column::Text(26), "ULID, text"),
    (Column::Text(27), "KSUID, text"),
    (Column::Text(36), "UUID, text"),
];

/// Orders in which ids come, as records call them.
const ORDERS: [&str; 2] = ["in_order", "at_random"];

/// The rows of all columns, engines and orders, and a table of their totals.
pub fn write(of: Table, digest: &str) -> Result<(Vec<Row>, String)> {
    let predicted = COLUMN.par_iter().map(|(column, _)| {
        let engines = ENGINES.par_iter();
        let storage = engines.map(|engine| Storage::new(engine, *column, of).map_err(usage));
        storage.collect::<Result<Vec<_>>>()
    });
    let predicted: Vec<Vec<[Storage; 2]>> = predicted.collect::<Result<_>>()?;
    let mut all = Vec::new();
    let mut lines = Vec::new();
    for ((column, kept), predicted) in COLUMN.into_iter().zip(predicted) {
        let width = column.value_bytes();
        let name = column.to_string();
        let raw = of.raw_bytes(width) as f64;
        let mut rows = Rows::new(digest, &name, "", Parameters::new());
        rows.total(&RAW, Number::Real(raw));
        all.extend(rows.into_rows());
        let mut line = vec![width.to_string(), kept.to_owned(), human(raw)];
        for (engine, orders) in ENGINES.iter().zip(predicted) {
            for (order, found) in ORDERS.into_iter().zip(orders) {
                let params = Parameters::from([("arrival".to_owned(), order.into())]);
                let mut rows = Rows::new(digest, &name, engine.name, params);
                for (measured, bytes) in [
                    (&PRIMARY, found.primary_bytes),
                    (&SECONDARY, found.secondary_bytes),
                    (&FOREIGN, found.foreign_bytes),
                    (&COLUMNS, found.column_bytes),
                    (&TOTAL, found.total_bytes()),
                ] {
                    rows.total(measured, Number::Whole(bytes as u64));
                }
                all.extend(rows.into_rows());
                line.push(human(found.total_bytes()));
            }
        }
        lines.push(line);
    }
    let orders = ENGINES.iter().flat_map(|engine| {
        [
            format!("{}\nin order", engine.name),
            "\nat random".to_owned(),
        ]
    });
    let headings: Vec<_> = ["bytes", "id", "copies"]
        .into_iter()
        .map(str::to_owned)
        .chain(orders)
        .collect();
    let headings: Vec<_> = headings.iter().map(String::as_str).collect();
    let Table {
        rows,
        secondary,
        foreign,
    } = of;
    let mut text = format!(
        "\nStorage: {} rows, {}, {}.\n\n",
        whole(rows as f64),
        match secondary {
            1 => "1 further index".to_owned(),
            _ => format!("{secondary} further indexes"),
        },
        plural(foreign, "foreign key")
    );
    let _ = writeln!(text, "{}", table(&headings, lines.into_iter()));
    text += NOTES;
    Ok((all, text))
}

const NOTES: &str = "Copies are rows x width x (1 + indexes + foreign keys). The others are predicted: trees and the id's columns, with no other column of the rows.
innodb repeats the id in each further index; postgres points to the row, sqlite to its rowid, which an id of 8 bytes is.
Ids in order leave pages of postgres and innodb fuller than ids at random do, but not those of an index in sqlite.
";

fn human(bytes: f64) -> String {
    HumanBytes(bytes as u64).to_string()
}
