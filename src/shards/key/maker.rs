//! Keys from ids.

use super::{BUCKET_BITS, ShardingKey, TENANT_BITS, bucket_start, tenant_start};
use crate::id::Key;
use crate::random;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Makes the keys of a table's rows, in the order of their insertion.
#[derive(Clone, Debug)]
pub struct KeyMaker {
    key: ShardingKey,
    rows: u64,
    tenants: Vec<Tenant>,
    random: ChaCha8Rng,
}

/// A column of Walker's alias table.
#[derive(Clone, Copy, Debug)]
struct Tenant {
    /// Of 2^32 draws, so many are this tenant, …
    own: u64,
    /// … the others this one.
    alias: u32,
}

impl KeyMaker {
    /// Keys of this kind.
    pub fn new(key: ShardingKey, seed: u64) -> Self {
        let tenants = match key {
            ShardingKey::Tenant(tenants) => alias_table(&crate::theory::shards::zipf_shares(
                tenants.tenants,
                tenants.exponent,
            )),
            _ => Vec::new(),
        };
        Self {
            key,
            rows: 0,
            tenants,
            random: random::stream(seed, "shards.key", 0),
        }
    }

    /// The key of the next row, which has this id.
    #[inline]
    pub fn key<K: Key>(&mut self, id: K) -> u128 {
        let row = self.rows;
        self.rows += 1;
        match self.key {
            ShardingKey::Range => aligned(id),
            ShardingKey::Hash => spread(hash(id)),
            ShardingKey::HashBuckets(buckets) => {
                let bucket = ((u128::from(hash(id)) * u128::from(buckets)) >> 64) as u32;
                bucketed(bucket, id)
            }
            ShardingKey::Salt(buckets) => bucketed(random::below(&mut self.random, buckets), id),
            ShardingKey::IdMod(shards) => bucketed(modulo(id, shards), id),
            ShardingKey::BitReversed => reversed(id),
            ShardingKey::AutoRandom(shard) | ShardingKey::ShardRowId(shard) => {
                let transaction = row / u64::from(shard.transaction_rows);
                let prefix = mix(transaction) >> (64 - shard.bits);
                u128::from(prefix << (63 - shard.bits) | row) << 64
            }
            ShardingKey::Tenant(tenants) => {
                let tenant = self.tenant();
                let salted = tenant < tenants.top;
                let salt = if salted {
                    random::below(&mut self.random, tenants.salts)
                } else {
                    0
                };
                tenant_start(tenant, salt) | aligned(id) >> TENANT_BITS
            }
        }
    }

    /// A tenant by its share (Walker 1977).
    fn tenant(&mut self) -> u32 {
        let draw = self.random.next_u64();
        let column = ((draw >> 32) * self.tenants.len() as u64) >> 32;
        let Tenant { own, alias } = self.tenants[column as usize];
        if draw & 0xffff_ffff < own {
            column as u32
        } else {
            alias
        }
    }
}

/// Walker's alias table of these shares.
fn alias_table(shares: &[f64]) -> Vec<Tenant> {
    let n = shares.len();
    let mut weights: Vec<f64> = shares.iter().map(|share| share * n as f64).collect();
    let mut table = vec![
        Tenant {
            own: 1 << 32,
            alias: 0
        };
        n
    ];
    let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| weights[i] < 1.0);
    while let (Some(&less), Some(&more)) = (small.last(), large.last()) {
        small.pop();
        table[less] = Tenant {
            own: (weights[less] * 4_294_967_296.0) as u64,
            alias: more as u32,
        };
        weights[more] -= 1.0 - weights[less];
        if weights[more] < 1.0 {
            large.pop();
            small.push(more);
        }
    }
    table
}

/// The id's first 128 bits, at the top.
#[inline]
fn aligned<K: Key>(id: K) -> u128 {
    match K::BYTES {
        bytes @ ..=16 => id.field(0, 128) << (128 - 8 * bytes),
        bytes => id.field(8 * bytes - 128, 128),
    }
}

#[inline]
fn bucketed<K: Key>(bucket: u32, id: K) -> u128 {
    bucket_start(bucket) | aligned(id) >> BUCKET_BITS
}

#[inline]
fn modulo<K: Key>(id: K, shards: u32) -> u32 {
    let shards = u128::from(shards);
    let low = id.field(0, 128) % shards;
    let rest = match K::BYTES {
        17.. => {
            let high = id.field(128, 8 * K::BYTES - 128) % shards;
            let wrap = (u128::MAX % shards + 1) % shards;
            high * wrap
        }
        _ => 0,
    };
    ((low + rest) % shards) as u32
}

/// The id's last 128 bits in reverse order, at the top.
#[inline]
fn reversed<K: Key>(id: K) -> u128 {
    id.field(0, 128).reverse_bits()
}

/// A hash of the id.
#[inline]
fn hash<K: Key>(id: K) -> u64 {
    match K::BYTES {
        ..=8 => mix(id.field(0, 64) as u64),
        bytes => {
            let high = id.field(64, (8 * bytes - 64).min(128));
            mix(mix(high as u64)
                ^ mix((high >> 64) as u64).rotate_left(17)
                ^ id.field(0, 64) as u64)
        }
    }
}

/// A key of the whole space from a hash.
#[inline]
fn spread(hash: u64) -> u128 {
    u128::from(hash) << 64 | u128::from(mix(hash))
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): any change of a bit changes half of them.
#[inline]
pub(in crate::shards) fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

/// The place of a key in a store that hashes keys.
#[inline]
pub(in crate::shards) fn rehashed(key: u128) -> u128 {
    spread(mix((key >> 64) as u64) ^ mix(key as u64).rotate_left(17))
}
