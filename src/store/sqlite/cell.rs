//! Bytes of cells, from the file format (sqlite.org/fileformat2.html).

use crate::id::{Column, Key};

/// A column's value in a record.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    Null,
    Integer(u64),
    Blob(u32),
    Text(u32),
}

impl Value {
    /// The value of `key` in `column`.
    #[inline]
    pub fn key<K: Key>(key: K, column: Column) -> Self {
        match column {
            Column::Bigint => Value::Integer(key.field(0, 64) as u64),
            Column::Uuid => Value::Blob(16),
            Column::Bytes(n) => Value::Blob(n),
            Column::Text(n) => Value::Text(n),
        }
    }

    /// Bytes of its serial type and of itself.
    #[inline]
    fn bytes(self) -> u64 {
        match self {
            Value::Null => 1,
            Value::Integer(value) => 1 + integer_bytes(value),
            Value::Blob(n) => varint_bytes(2 * u64::from(n) + 12) + u64::from(n),
            Value::Text(n) => varint_bytes(2 * u64::from(n) + 13) + u64::from(n),
        }
    }
}

/// Bytes of an integer's value: 0 and 1 are serial types of their own.
#[inline]
fn integer_bytes(value: u64) -> u64 {
    match value {
        0..2 => 0,
        2..0x80 => 1,
        0x80..0x8000 => 2,
        0x8000..0x80_0000 => 3,
        0x80_0000..0x8000_0000 => 4,
        0x8000_0000..0x8000_0000_0000 => 6,
        _ => 8,
    }
}

/// Bytes of a varint: 7 bits each, but 8 bits in the ninth.
#[inline]
fn varint_bytes(value: u64) -> u64 {
    let bits = 64 - u64::from((value | 1).leading_zeros());
    bits.div_ceil(7).min(9)
}

/// Bytes of a rowid above the leaves of a table.
pub(super) fn rowid_bytes<K: Key>(rowid: K) -> u16 {
    varint_bytes(rowid.field(0, 64) as u64) as u16
}

/// Bytes of a record: a header of its own length (one byte) and the serial
/// types, then the values.
#[inline]
pub(super) fn record_bytes(values: [Value; 2]) -> u64 {
    1 + values[0].bytes() + values[1].bytes()
}

/// What a record takes in a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes {
    /// Bytes of its cell, without the pointers to it and to a child.
    pub local: u16,
    /// Pages that take the rest of it.
    pub overflow_pages: u64,
}

/// The cell of a row in a table b-tree with pages of `page_bytes`.
#[inline]
pub(super) fn table_cell<K: Key>(rowid: K, record: u64, page_bytes: u32) -> Bytes {
    let prefix = varint_bytes(record) + u64::from(rowid_bytes(rowid));
    cell(prefix, record, u64::from(page_bytes) - 35, page_bytes)
}

/// The cell of an entry of an index b-tree with pages of `page_bytes`.
#[inline]
pub(super) fn index_cell(record: u64, page_bytes: u32) -> Bytes {
    let most = (u64::from(page_bytes) - 12) * 64 / 255 - 23;
    cell(varint_bytes(record), record, most, page_bytes)
}

/// A cell that keeps at most `most` bytes of its record on the page.
#[inline]
fn cell(prefix: u64, record: u64, most: u64, page_bytes: u32) -> Bytes {
    if record <= most {
        return Bytes {
            local: (prefix + record).max(4) as u16,
            overflow_pages: 0,
        };
    }
    // As many as let the last overflow page be full, if the page has room for them.
    let least = least_kept(page_bytes);
    let overflow_page = u64::from(page_bytes) - 4;
    let kept = least + (record - least) % overflow_page;
    let kept = if kept <= most { kept } else { least };
    Bytes {
        local: (prefix + kept + 4) as u16,
        overflow_pages: (record - kept).div_ceil(overflow_page),
    }
}

/// The least bytes of a record that stay on the page if not all do.
#[inline]
fn least_kept(page_bytes: u32) -> u64 {
    (u64::from(page_bytes) - 12) * 32 / 255 - 23
}

/// The most cells that a page of `page_bytes` without children can be given to hold if
/// `least` is the smallest that keeps its whole record: one too many included.
pub(super) fn most_cells(least: Bytes, page_bytes: u32) -> usize {
    let least = u64::from(least.local).min(least_kept(page_bytes));
    ((u64::from(page_bytes) - 8) / (least + 2)) as usize + 1
}

/// What a cell of `bytes` costs a page of `level`: itself, its pointer, and above
/// the leaves the number of its left child.
#[inline]
pub(super) fn cost(bytes: u16, level: u32) -> u32 {
    u32::from(bytes) + if level == 0 { 2 } else { 6 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_file_format() {
        let ends = [0x7f, 0x80, 0x3fff, 0x4000, (1 << 56) - 1, 1 << 56, u64::MAX];
        assert_eq!(ends.map(varint_bytes), [1, 2, 2, 3, 8, 9, 9]);
        let values = [0, 1, 2, 127, 128, 32767, 32768, 1 << 31, 1 << 47];
        assert_eq!(values.map(integer_bytes), [0, 0, 1, 1, 2, 2, 3, 6, 8]);
        let row = record_bytes([Value::Null, Value::Blob(100)]);
        assert_eq!(row, 104);
        assert_eq!(table_cell(1u64 << 56, row, 4096).local, 1 + 9 + 104);
        let entry = record_bytes([Value::Blob(16), Value::Integer(1_000_000)]);
        assert_eq!(index_cell(entry, 4096).local, 1 + 3 + 16 + 3);
        // 1002 bytes stay in an index page of 4096; one more and all but 489 leave.
        let cells = [1002, 1003].map(|record| index_cell(record, 4096));
        assert_eq!(cells.map(|cell| cell.local), [2 + 1002, 2 + 489 + 4]);
        assert_eq!(cells.map(|cell| cell.overflow_pages), [0, 1]);
    }
}
