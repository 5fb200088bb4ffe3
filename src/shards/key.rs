//! Sharding keys: from an id to the key that a store is sharded by.

mod maker;
mod text;

use crate::id::Column;
pub use maker::KeyMaker;
pub(super) use maker::{mix, rehashed};

/// What a row is sharded by. Written as `range`, `hash`, `hash:16`, `salt:8`,
/// `tenant:zipf:1.2`, `id_mod:16`, `bit_reversed`, `auto_random:5`, `shard_row_id_bits:4`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ShardingKey {
    /// The id.
    Range,
    /// A hash of the id.
    Hash,
    /// One of so many buckets by a hash of the id, then the id; the table is split at the
    /// buckets from the start (CockroachDB `USING HASH`).
    HashBuckets(u32),
    /// A random prefix below this bound, then the id.
    Salt(u32),
    /// A hash of the row's tenant, then the id.
    Tenant(Tenants),
    /// The id, an unsigned big-endian number, modulo so many shards, then the id; the table
    /// is split at the shards from the start.
    IdMod(u32),
    /// The id with its bits in reverse order (Spanner's `bit_reversed_positive` sequences).
    BitReversed,
    /// TiDB's AUTO_RANDOM: so many shard bits from a hash of the transaction's start, then a counter.
    AutoRandom(ShardBits),
    /// TiDB's SHARD_ROW_ID_BITS: the same before the hidden row number.
    ShardRowId(ShardBits),
}

/// How rows are spread over tenants.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tenants {
    /// Exponent of Zipf's law: tenant k has a share in proportion to k to the power of minus this.
    pub exponent: f64,
    /// Number of tenants.
    pub tenants: u32,
    /// So many of the largest tenants are salted …
    pub top: u32,
    /// … with so many salts each.
    pub salts: u32,
}

/// Shard bits of a row number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShardBits {
    /// How many.
    pub bits: u32,
    /// Rows of a transaction, which share the bits.
    pub transaction_rows: u32,
}

/// Most buckets, salts and shards.
pub const MOST_BUCKETS: u32 = 4096;
/// Most tenants.
pub const MOST_TENANTS: u32 = 1_000_000;
/// Bits of a bucket's number before the id.
const BUCKET_BITS: u32 = 16;
/// Bits of a tenant's hash, and of its salt, before the id.
const TENANT_BITS: u32 = 32;

/// Kinds of sharding keys with what each is, as `sim list` has them.
pub const KEYS: &[(&str, &str)] = &[
    ("range", "the id itself"),
    ("hash", "a hash of the id"),
    (
        "hash:B",
        "one of B buckets by a hash of the id, then the id; split at the buckets (CockroachDB USING HASH)",
    ),
    (
        "salt:B",
        "a random prefix below B, then the id; not split beforehand",
    ),
    (
        "tenant:zipf:S",
        "a hash of the row's tenant, then the id; shares by Zipf's law with exponent S; options tenants=1000, top=0 (largest that are salted), salts=1",
    ),
    (
        "id_mod:N",
        "the id modulo N, then the id; split at the N shards. A UUID or other id of 128 or 160 bits is one unsigned number, its first byte the highest",
    ),
    ("bit_reversed", "the id's bits in reverse order (Spanner)"),
    (
        "auto_random:S",
        "S shard bits from a hash of the transaction's start, then a counter, instead of the scheme's id (TiDB AUTO_RANDOM); option transaction_rows=1",
    ),
    (
        "shard_row_id_bits:S",
        "the same before TiDB's hidden row number; the id is in an index beside it, which is not modelled",
    ),
];

impl ShardingKey {
    /// In how many runs, each in the order of arrival, the rows lie: what an ordered read
    /// merges; `None` if they lie in no order at all.
    pub fn streams(&self) -> Option<u64> {
        match *self {
            Self::Range => Some(1),
            Self::HashBuckets(buckets) | Self::Salt(buckets) | Self::IdMod(buckets) => {
                Some(buckets.into())
            }
            Self::Tenant(tenants) => {
                let salts = u64::from(tenants.top) * u64::from(tenants.salts.saturating_sub(1));
                Some(u64::from(tenants.tenants) + salts)
            }
            Self::AutoRandom(shard) | Self::ShardRowId(shard) => Some(1 << shard.bits),
            Self::Hash | Self::BitReversed => None,
        }
    }

    /// The low keys of these runs.
    pub fn runs(&self) -> Vec<u128> {
        match *self {
            Self::Range => vec![0],
            Self::HashBuckets(buckets) | Self::Salt(buckets) | Self::IdMod(buckets) => {
                (0..buckets).map(bucket_start).collect()
            }
            Self::Tenant(tenants) => {
                let salts = |tenant| match tenant < tenants.top {
                    true => tenants.salts,
                    false => 1,
                };
                (0..tenants.tenants)
                    .flat_map(|tenant| {
                        (0..salts(tenant)).map(move |salt| tenant_start(tenant, salt))
                    })
                    .collect()
            }
            Self::AutoRandom(shard) | Self::ShardRowId(shard) => (0..1 << shard.bits)
                .map(|prefix: u128| prefix << (127 - shard.bits))
                .collect(),
            Self::Hash | Self::BitReversed => Vec::new(),
        }
    }

    /// Bits of a key that say in which run it is.
    pub fn run_bits(&self) -> u32 {
        match *self {
            Self::HashBuckets(_) | Self::Salt(_) | Self::IdMod(_) => BUCKET_BITS,
            Self::Tenant(_) => TENANT_BITS,
            Self::AutoRandom(shard) | Self::ShardRowId(shard) => shard.bits + 1,
            Self::Range | Self::Hash | Self::BitReversed => 0,
        }
    }

    /// The end of the space that keys lie in, 0 for 2^128; ids of `column`.
    pub fn end(&self, column: Column) -> u128 {
        let half = |halved| if halved { 1 << 127 } else { 0 };
        match *self {
            // The sign bit of a bigint is 0.
            Self::Range => half(column == Column::Bigint),
            Self::AutoRandom(_) | Self::ShardRowId(_) => half(true),
            Self::HashBuckets(buckets) | Self::Salt(buckets) | Self::IdMod(buckets) => {
                u128::from(buckets) << (128 - BUCKET_BITS)
            }
            Self::Hash | Self::Tenant(_) | Self::BitReversed => 0,
        }
    }

    /// Where the table is split from the start, if the key says so.
    pub fn first_splits(&self) -> Vec<u128> {
        match *self {
            Self::HashBuckets(buckets) | Self::IdMod(buckets) => {
                (1..buckets).map(bucket_start).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Where a tenant's rows begin; its salts lie apart.
fn tenant_start(tenant: u32, salt: u32) -> u128 {
    let place = mix(u64::from(tenant) << 32 | u64::from(salt)) >> (64 - TENANT_BITS);
    u128::from(place) << (128 - TENANT_BITS)
}

fn bucket_start(bucket: u32) -> u128 {
    u128::from(bucket) << (128 - BUCKET_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Key20;

    fn maker(text: &str) -> KeyMaker {
        KeyMaker::new(text.parse().unwrap(), 1)
    }

    #[test]
    fn keys_are_written_as_they_are_read() {
        for text in [
            "range",
            "hash",
            "hash:16",
            "salt:8",
            "tenant:zipf:1.2",
            "tenant:zipf:1:tenants=50:top=3:salts=4",
            "id_mod:16",
            "bit_reversed",
            "auto_random:5",
            "shard_row_id_bits:4:transaction_rows=100",
        ] {
            assert_eq!(text.parse::<ShardingKey>().unwrap().to_string(), text);
        }
        for (text, why) in [
            ("salt", "expected the number of buckets"),
            ("salt:0", "expected a number of 1 to 4096"),
            ("hash:x", "expected a number"),
            ("tenant:zipf:x", "a number of 0 to 10"),
            ("tenant:zipf:NaN", "a number of 0 to 10"),
            ("tenant:1.2", "expected tenant:zipf:EXPONENT"),
            ("tenant:zipf:1:top=3", "go together"),
            ("id_mod", "expected the number of shards"),
            ("range:3", "is not understood"),
            ("salt:8:top=1", "is not understood"),
            ("slat:8", "did you mean \"salt\"?"),
            ("", "no sharding key"),
        ] {
            let error = text.parse::<ShardingKey>().unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn ids_keep_their_order_in_a_bucket_and_at_the_top_of_the_key() {
        assert_eq!(maker("range").key(7u64), 7 << 64);
        assert_eq!(maker("range").key(7u128), 7);
        assert_eq!(
            maker("range").key(Key20::new(0x0102_0304, 5)),
            0x0102_0304 << 96
        );
        assert_eq!(maker("bit_reversed").key(1u64), 1 << 127);
        assert_eq!(maker("bit_reversed").key(3u128), 3 << 126);
        let mut mod10 = maker("id_mod:10");
        assert_eq!(mod10.key(57u64), 7 << 112 | 57 << 48);
        assert_eq!(mod10.key(u128::MAX) >> 112, u128::MAX % 10);
        // 2^128 + 3 mod 10 = 6 + 3.
        assert_eq!(mod10.key(Key20::new(1, 3)) >> 112, 9);
    }

    #[test]
    fn tenants_have_the_shares_of_zipf_s_law_and_the_top_is_salted() {
        let rows = 200_000;
        let count = |text: &str| {
            let mut maker = maker(text);
            let mut by_place = std::collections::HashMap::new();
            for id in 0..rows {
                *by_place.entry(maker.key(id as u64) >> 96).or_insert(0u32) += 1;
            }
            let mut counts: Vec<u32> = by_place.into_values().collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            counts
        };
        let shares = crate::theory::shards::zipf_shares(100, 1.0);
        let counts = count("tenant:zipf:1:tenants=100");
        for (share, count) in shares.iter().zip(&counts).take(5) {
            let error = 5.0 * (share * (1.0 - share) / rows as f64).sqrt();
            assert!(
                (f64::from(*count) / rows as f64 - share).abs() < error,
                "{counts:?}"
            );
        }
        let salted = count("tenant:zipf:1:tenants=100:top=1:salts=4");
        assert_eq!(salted.len(), 103);
        assert!(salted[0] < counts[0] / 2 + counts[0] / 20);
    }

    #[test]
    fn rows_of_a_transaction_share_their_shard_bits() {
        let mut maker = maker("auto_random:5:transaction_rows=10");
        let bits: Vec<u128> = (0..1000u64).map(|id| maker.key(id) >> 122).collect();
        assert!(
            bits.chunks(10)
                .all(|rows| rows.iter().all(|bits| *bits == rows[0]))
        );
        let mut seen = bits.clone();
        seen.sort_unstable();
        seen.dedup();
        assert!(
            seen.len() > 25 && seen.iter().all(|bits| *bits < 32),
            "{seen:?}"
        );
    }
}
