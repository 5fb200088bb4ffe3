//! What no figure of the table says.

use idlab::advise::{Asked, Sharding, Verdict};
use idlab::id::Column;
use idlab::shards::ShardingKey;
use idlab::theory::clash::{lease_lost, lognormal_above};

/// Warnings about an option.
pub fn warnings(asked: &Asked, verdict: &Verdict) -> Vec<String> {
    let (choice, facts) = (&verdict.choice, &verdict.choice.facts);
    let mut lines: Vec<String> = Vec::new();
    let mut say = |line: String| lines.push(line);
    if facts.limits.tick_ns.is_some() {
        say("ids are as good as the clocks: watch their offsets, and see what steps would do with sim fleet --sweep step".to_owned());
    }
    if facts.limits.writers.is_some() && asked.nodes > 1 {
        // A lease of 15 s renewed each 5 s; pauses of median 100 ms, sigma 1.8.
        let lost = lease_lost(15.0, 5.0, |s| lognormal_above(0.1, 1.8, s));
        say(format!(
            "two writers with one number make equal ids: lease numbers and check the lease before each id; one pause in {:.0} outlives a lease of 15 s (median pause 100 ms, sigma 1.8)",
            1.0 / lost
        ));
    }
    if facts.has_centre && asked.shards != Sharding::None {
        say("no ids while the centre is down, but for what is left of a block".to_owned());
    }
    let is_wide = facts.limits.tick_ns.is_some() || facts.random_bits > 0 || !facts.ascends;
    if facts.column == Column::Bigint && is_wide && choice.public.is_none() {
        say("JavaScript's numbers are exact to 2^53 only, and these ids are larger: send them as text".to_owned());
    }
    if facts.is_unsigned {
        say("ids use the sign bit of a signed bigint: they sort wrongly once it is set".to_owned());
    }
    if facts.column == Column::Uuid {
        say(match asked.engine.engine.name {
            "sql_server_like" => "figures are those of the bytes in order: in SQL Server keep UUIDs in binary(16), or take one whose last 6 bytes ascend (comb), as uniqueidentifier is compared from there",
            _ => "SQL Server compares uniqueidentifier from the last 6 bytes on: there these figures hold for binary(16) only",
        }
        .to_owned());
    }
    if let Some(key @ ShardingKey::HashBuckets(_)) = choice.key {
        say(format!(
            "a read in order of ids merges {} streams; the primary key is (bucket, id)",
            key.streams().unwrap_or(1)
        ));
    }
    if choice.public.is_some() {
        say(
            "show and accept the id beside it only; the key itself tells time or volume".to_owned(),
        );
    } else if !asked.public && facts.telling_bits > 0 {
        say("whoever sees these ids learns time or volume from them; ask again with --public yes if they are to be shown".to_owned());
    }
    if asked.public {
        say("an id is never an authorisation token: check who asks".to_owned());
    }
    lines
}
