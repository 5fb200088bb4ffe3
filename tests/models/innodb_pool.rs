//! The buffer pool against InnoDB: all loads of `results/reference/innodb.csv`.

use idlab::id::{Column, Key};
use idlab::pool::{InnoDbCosts, InnoDbLoad, Pool};
use idlab::reference::Reference;
use idlab::source::{AnySource, Source, Stream};
use idlab::store::{
    InnoDb, InnoDbFormat, InnoDbIndex, InnoDbIndexed, Insert, Sink, Space, Split, Touch,
};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Stream, rows, payload bytes, whether the ids have an index of their own.
type Table = (String, u64, u32, bool);

/// Index pages read into the pool and written from it.
#[derive(Debug)]
struct Measured {
    pool_mebibytes: u32,
    leaf_reads: u64,
    internal_reads: u64,
    leaf_writes: u64,
}

/// The loads of each table. A row of the file is of a tree, but these columns are of all.
fn measured() -> BTreeMap<Table, Vec<Measured>> {
    let mut tables = BTreeMap::<Table, Vec<Measured>>::new();
    let mut reader = csv::Reader::from_path("results/reference/innodb.csv").unwrap();
    for row in reader.deserialize::<BTreeMap<String, String>>() {
        let row = row.unwrap();
        if row["btree"] == "secondary" {
            continue;
        }
        let number = |name: &str| row[name].parse::<u64>().unwrap();
        let indexed = row["table_mode"] != "clustered_pk";
        let payload_bytes = number("payload_bytes") as u32;
        let table = (
            row["stream"].clone(),
            number("n_rows"),
            payload_bytes,
            indexed,
        );
        tables.entry(table).or_default().push(Measured {
            pool_mebibytes: number("buffer_pool_mib") as u32,
            leaf_reads: number("read_index_leaf_pages"),
            internal_reads: number("read_index_non_leaf_pages"),
            leaf_writes: number("written_index_leaf_pages"),
        });
    }
    tables
}

/// Pools of several sizes under the load of the same rows.
struct Loads(Vec<InnoDbLoad>);

impl Sink for Loads {
    const TOUCHES: bool = true;

    fn begin(&mut self) {
        self.0.iter_mut().for_each(Sink::begin);
    }

    fn touch(&mut self, touch: Touch) {
        self.0.iter_mut().for_each(|load| load.touch(touch));
    }

    fn insert(&mut self, _: &Insert) {}
    fn split(&mut self, _: &Split) {}
}

fn fill<K: Key>(
    mut source: Box<dyn Source<K>>,
    column: Column,
    (_, rows, payload_bytes, indexed): &Table,
    loads: &mut Loads,
) {
    let mut keys = Vec::new();
    source.fill(&mut keys, *rows as usize).unwrap();
    if *indexed {
        let mut table = InnoDbIndexed::new(column, *payload_bytes, 16384).unwrap();
        for key in keys {
            assert!(table.insert(key, loads));
        }
    } else {
        let index = InnoDbIndex::Clustered {
            payload_bytes: *payload_bytes,
        };
        let mut table = InnoDb::new(InnoDbFormat::new(index, column, 16384).unwrap());
        for key in keys {
            assert!(table.insert(key, loads));
        }
    }
}

/// Leaves and internal pages read, leaves written, for each load.
fn predicted(table: &Table, measured: &[Measured], costs: InnoDbCosts) -> Vec<[u64; 3]> {
    let stream = Stream::from(Reference::new(&table.0, 1).unwrap());
    let column = stream.column;
    let key_bytes = if table.3 { 8 } else { column.value_bytes() };
    let mut loads = Loads(
        measured
            .iter()
            .map(|load| InnoDbLoad::new(load.pool_mebibytes, costs, 1000, key_bytes))
            .collect(),
    );
    match stream.keys {
        AnySource::Bytes8(source) => fill(source, column, table, &mut loads),
        AnySource::Bytes16(source) => fill(source, column, table, &mut loads),
        AnySource::Bytes20(source) => fill(source, column, table, &mut loads),
    }
    let of = |load: &InnoDbLoad| {
        let counts = load.pool().counts();
        let count = |space: Space| counts[space as usize];
        let (index, table) = (count(Space::Index), count(Space::Table));
        let internal = [Space::IndexInternal, Space::TableInternal].map(count);
        [
            index.reads + table.reads,
            internal[0].reads + internal[1].reads,
            index.write_backs + table.write_backs,
        ]
    };
    loads.0.iter().map(of).collect()
}

/// What a prediction may be off: a share of what was measured, or so much a row.
const LEAF_READS: (f64, f64) = (0.05, 0.002);
const INTERNAL_READS: (f64, f64) = (0.35, 0.002);
const LEAF_WRITES: (f64, f64) = (0.06, 0.002);

/// Loads whose pool was fuller or emptier than the model has it, since threads raced
/// otherwise then, and what to allow instead. The two loads of an indexed table
/// touch the same pages and differ by 8 % in the engine. Loads of 100,000 rows end when
/// the pool has been emptied a few times: on repeating the one of uuid4, the engine
/// read 3,183, 3,657 and 4,094 leaves; 11,640 are on record.
const RACES: &[(&str, u64, u32, f64)] = &[
    ("uuid4", 1_000_000, 32, 0.12),
    ("uuid4", 1_000_000, 100, 0.08),
    ("uuid4", 100_000, 100, 0.2),
    ("rand8", 100_000, 100, 0.3),
];

fn is_near(predicted: u64, measured: u64, rows: u64, (share, per_row): (f64, f64)) -> bool {
    let allowed = (share * measured as f64).max(per_row * rows as f64);
    predicted.abs_diff(measured) as f64 <= allowed
}

#[test]
fn index_pages_are_read_and_written_as_by_the_engine() {
    let tables: Vec<_> = measured().into_iter().collect();
    let found: Vec<_> = tables
        .par_iter()
        .map(|(table, measured)| predicted(table, measured, InnoDbCosts::BUSY))
        .collect();
    let mut far = Vec::new();
    for ((table, measured), predicted) in tables.iter().zip(found) {
        let rows = table.1;
        let race = RACES
            .iter()
            .find(|race| (race.0, race.1, race.2) == (&*table.0, rows, table.2));
        for (load, [leaf_reads, internal_reads, leaf_writes]) in measured.iter().zip(predicted) {
            let allowed = race.map_or(LEAF_READS, |race| (race.3, 0.002));
            let mut near = is_near(leaf_reads, load.leaf_reads, rows, allowed)
                && is_near(internal_reads, load.internal_reads, rows, INTERNAL_READS);
            // Large pools are flushed for the age of the log, too, and short loads end
            // anywhere in a pass of the cleaner: their writes are not compared.
            if load.pool_mebibytes == 24 && rows == 1_000_000 {
                let allowed = race.map_or(LEAF_WRITES, |race| (race.3, 0.002));
                near &= is_near(leaf_writes, load.leaf_writes, rows, allowed);
            }
            if !near {
                let found = [leaf_reads, internal_reads, leaf_writes];
                far.push(format!("{table:?} {load:?}: {found:?}"));
            }
        }
    }
    assert!(far.is_empty(), "{far:#?}");
}

/// With a cleaner that hardly takes time, or one that does not keep up, the pool is
/// emptier or fuller; what the engine read under more and less other work (662,000 to
/// 750,000) is between.
#[test]
fn the_race_of_the_threads_decides_how_full_the_pool_is() {
    let table = ("uuid4".to_owned(), 1_000_000, 100, false);
    let load = Measured {
        pool_mebibytes: 24,
        leaf_reads: 0,
        internal_reads: 0,
        leaf_writes: 0,
    };
    let reads = |write_ns| {
        let costs = InnoDbCosts {
            write_ns,
            ..InnoDbCosts::BUSY
        };
        predicted(&table, std::slice::from_ref(&load), costs)[0][0]
    };
    let (fast, slow) = rayon::join(|| reads(5_000), || reads(60_000));
    assert!(fast > 750_000 && slow < 662_000, "{fast} {slow}");
}
