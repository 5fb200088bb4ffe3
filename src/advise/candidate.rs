//! What there is to choose from.

use super::{Asked, Sharding};

/// A scheme worth recommending. What it can do is read from the scheme.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// It with parameters that suit what is asked.
    pub spec: fn(&Asked) -> String,
    /// The engine in whose order of keys it is modelled; any if `None`.
    pub engine: Option<&'static str>,
}

const fn any(spec: fn(&Asked) -> String) -> Candidate {
    Candidate { spec, engine: None }
}

/// Every candidate; of equals the first is recommended.
pub const CANDIDATES: &[Candidate] = &[
    any(counter),
    any(ticket_block),
    any(snowflake),
    any(|_| "unique_rowid".to_owned()),
    any(|_| "tsid".to_owned()),
    any(|_| "discord".to_owned()),
    any(|_| "sonyflake".to_owned()),
    any(stride),
    any(|asked| {
        format!(
            "auto_random:rtt_us={RTT_US}:prefetch={PREFETCH}:size={}",
            block(asked)
        )
    }),
    any(|asked| {
        format!(
            "bit_reversed:rtt_us={RTT_US}:prefetch={PREFETCH}:size={}",
            block(asked)
        )
    }),
    any(|_| "uuid_v7:tail=monotonic".to_owned()),
    any(|_| "uuid_v7:tail=fraction".to_owned()),
    any(|_| "uuid_v7:tail=counter".to_owned()),
    any(|_| "uuid_v7".to_owned()),
    any(|_| "ulid:tail=monotonic".to_owned()),
    any(|_| "uuid_v6".to_owned()),
    any(|_| "object_id".to_owned()),
    any(|_| "xid".to_owned()),
    any(|_| "ksuid".to_owned()),
    any(|_| "uuid_v4".to_owned()),
    any(|_| super::facts::PUBLIC.to_owned()),
    Candidate {
        spec: |_| "comb:time=unix_ms".to_owned(),
        engine: Some("sql_server_like"),
    },
    Candidate {
        spec: |_| "newsequentialid".to_owned(),
        engine: Some("sql_server_like"),
    },
];

/// Round trip to a centre in the same data centre.
const RTT_US: u64 = 500;
/// Per cent of a block used when the next is asked for.
const PREFETCH: u64 = 20;

/// The database's own counter; of a sharded store a centre that is asked for each id.
fn counter(asked: &Asked) -> String {
    match asked.shards {
        Sharding::None => "auto_increment".to_owned(),
        _ => format!("auto_increment:rtt_us={RTT_US}"),
    }
}

fn ticket_block(asked: &Asked) -> String {
    format!(
        "ticket_block:size={}:prefetch={PREFETCH}:rtt_us={RTT_US}",
        block(asked)
    )
}

/// A block that lasts a writer for about a tenth of a second: 100 to 10⁷ ids.
fn block(asked: &Asked) -> u64 {
    let wanted = asked.rate / u64::from(asked.nodes.max(1)) / 10;
    let sizes = std::iter::successors(Some(100u64), |size| Some(size * 10));
    let mut sizes = sizes.take(6);
    sizes.find(|size| *size >= wanted).unwrap_or(10_000_000)
}

fn stride(asked: &Asked) -> String {
    format!("stride:step={}", asked.nodes.min(1_000_000))
}

/// Ten bits of worker, or as many as the writers need.
fn snowflake(asked: &Asked) -> String {
    let bits = 32 - asked.nodes.saturating_sub(1).leading_zeros();
    match bits {
        ..=10 => "snowflake".to_owned(),
        bits => {
            let worker = bits.min(21);
            format!("snowflake:worker={worker}:sequence={}", 22 - worker)
        }
    }
}
