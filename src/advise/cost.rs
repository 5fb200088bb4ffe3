//! What a row costs.

use super::check::{INDEX_BYTES_PER_ROW, READS_PER_INSERT};
use super::runs::{RunError, tree};
use super::{Asked, Facts, Sharding};
use crate::measure::Rows;
use crate::record::{Number, Parameters, Row};

/// What a row of one tree, or of two, costs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Cost {
    /// Pages that an insert reads.
    pub reads_per_insert: f64,
    /// Bytes of the trees of ids.
    pub index_bytes_per_row: f64,
    /// Pages that inserts need in memory.
    pub(super) working_set_pages: f64,
}

/// Rows on a node, copies included, of a table of so many.
fn rows_on_a_node(asked: &Asked) -> f64 {
    let nodes = f64::from(asked.store_nodes());
    let copies = match asked.shards {
        Sharding::Range => nodes.min(f64::from(crate::shards::COCKROACH.replication)),
        _ => 1.0,
    };
    asked.rows as f64 * copies / nodes
}

impl Cost {
    /// Of the tree of these ids alone, `used_pages` of the memory being taken.
    fn of_tree(
        asked: &Asked,
        facts: &Facts,
        beside: Option<&Facts>,
        used_pages: f64,
        rows: &mut Rows,
    ) -> Result<Self, RunError> {
        let (cliff, design) = tree(asked, facts, beside)?;
        let page_bytes = f64::from(design.page_bytes());
        let pages = (asked.memory_bytes as f64 / page_bytes - used_pages).max(1.0);
        let on_node = rows_on_a_node(asked);
        if facts.telling_bits == 0 && design.trees() == 1 {
            let closed = cliff.random_reads_per_insert(on_node, pages);
            let by = [
                ("by", "closed form".into()),
                ("of", facts.spec.to_string().into()),
            ];
            rows.push(&READS_PER_INSERT, None, Number::Real(closed), &by);
        }
        Ok(Self {
            reads_per_insert: cliff.reads_per_insert(on_node, pages),
            index_bytes_per_row: cliff.pages_per_row() * page_bytes,
            working_set_pages: cliff.working_set_pages() as f64,
        })
    }

    /// Of the trees of these ids, and of `public` beside them if there are such; with its rows.
    ///
    /// # Errors
    /// Ids that the scheme's fleet cannot issue, or a tree that the engine cannot grow.
    pub fn of(
        asked: &Asked,
        facts: &Facts,
        public: Option<&Facts>,
        digest: &str,
        params: Parameters,
    ) -> Result<(Self, Vec<Row>), RunError> {
        let engine = asked.engine.to_string();
        let mut rows = Rows::new(digest, &facts.spec.to_string(), &engine, params);
        let mut cost = Self::of_tree(asked, facts, None, 0.0, &mut rows)?;
        if let Some(public) = public {
            let other = Self::of_tree(
                asked,
                public,
                Some(facts),
                cost.working_set_pages,
                &mut rows,
            )?;
            cost.reads_per_insert += other.reads_per_insert;
            cost.index_bytes_per_row += other.index_bytes_per_row;
        }
        let reads = Number::Real(cost.reads_per_insert);
        rows.push(
            &READS_PER_INSERT,
            None,
            reads,
            &[("by", "simulation".into())],
        );
        rows.total(&INDEX_BYTES_PER_ROW, Number::Real(cost.index_bytes_per_row));
        Ok((cost, rows.into_rows()))
    }
}
