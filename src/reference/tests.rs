use super::*;
use sha2::{Digest, Sha256};

/// SHA-256 of the first 1,000 keys, big-endian, one after another.
const DIGESTS: &[(&str, &str)] = &[
    (
        "seq8",
        "54c7779325a75ce781086486b520b637d1a3e4f4dee286e6ed038987e7c5b24a",
    ),
    (
        "snow8_w16_s0_r10000",
        "1c7f6fb18b386d1f1319504daba9d70ca78f2ceb2c1cc788f14c4a820a7d766d",
    ),
    (
        "snow8_w16_s2_r10000",
        "67a057c91704ea82ba8fb132451d9bcf11e475e183e6171d1cb8bea09355c2f8",
    ),
    (
        "snow8_w16_s50_r10000",
        "1b25aa31174f52bf80fc5ffa4f642ff917ccdd37c3fa15a8cef28c7206b50fcd",
    ),
    (
        "block8_p16_b1000",
        "7e95f6a378ce45071d98a30776ecf894c8f4894a8c989820243f6dca60ab1608",
    ),
    (
        "rand8",
        "4df42793f94b9e2771fc481eec0cd970c3d47801663571041585d504e39d2a59",
    ),
    (
        "uuid4",
        "53751176f8675f77cc57f40dd90f245b97d402332d90a3f09d77a68d0fb11bff",
    ),
    (
        "uuid7_r1000",
        "aa5b7205b04ffc944a3e138f6fce428ee198047b7341d7229d060828e9658cb9",
    ),
    (
        "uuid7_r10000",
        "6fe4d5fd98f1a48d1f26fda2abad686ab41aa9fc4d1351db496d019d7eec6103",
    ),
    (
        "uuid7c_r10000",
        "12e2693bf136ad7def18efe915324e269d595d06a52ec27a95901d4798a9fa51",
    ),
    (
        "ulid_r10000",
        "0cb6d5c77ed6b6ae58c953c9afeb06ea1ec8f498d7c139b7908e6b95da14499a",
    ),
    (
        "ksuid20_r10000",
        "836db6d07098b05f66dc0a9b23f65f0e11e25b5bf77a463b23666514fafe3db2",
    ),
    (
        "uuid7_w16_s50_r10000",
        "e4ad672b3962306ee4d2ec1d4a975eb4bad1974dd7c740a099621afea6929a9d",
    ),
];

#[test]
fn the_first_thousand_keys_have_the_published_digests() {
    for (name, expected) in DIGESTS {
        let mut stream = Reference::new(name, 1).unwrap();
        let mut hash = Sha256::new();
        for _ in 0..1000 {
            let (high, low) = stream.step().unwrap();
            let mut bytes = high.to_be_bytes().to_vec();
            bytes.extend(low.to_be_bytes());
            hash.update(&bytes[20 - stream.column.value_bytes() as usize..]);
        }
        let digest: String = hash
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(&digest, expected, "{name}");
    }
}

#[test]
fn writers_taking_turns_draw_nothing_for_it() {
    let mut turns = Reference::new("snow8_w4_rr", 1).unwrap();
    let workers: Vec<_> = (0..6)
        .map(|_| turns.step().unwrap().1 >> 12 & 1023)
        .collect();
    assert_eq!(workers, [0, 1, 2, 3, 0, 1]);
}

#[test]
fn bad_names_say_what_is_known() {
    for (name, part) in [
        ("uuid5", "did you mean"),
        ("", "known: "),
        ("seq8_w4", "it takes none"),
        ("uuid7_x3", "it takes w s r rr"),
        ("uuid7_w0", "expected w1 to w1024"),
        ("uuid7_r", "expected r1"),
        ("uuid7_é", "unknown option"),
        ("block8_rr", "unknown option"),
        ("uuid7_w2_rr_r5_w3", "given twice"),
    ] {
        let error = Reference::new(name, 1).unwrap_err().0;
        assert!(error.contains(part), "{name}: {error}");
    }
}

#[test]
fn a_rate_beyond_the_counter_ends_the_stream() {
    let mut stream = Reference::new("snow8_r1000000", 1).unwrap();
    let mut keys: Vec<u64> = Vec::new();
    stream.fill(&mut keys, 1000).unwrap();
    stream.gap_us = 0;
    assert!(stream.fill(&mut keys, 10_000).is_err());
}
