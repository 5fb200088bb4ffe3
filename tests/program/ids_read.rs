//! `sim ids --read` and `sim ids --decode ID`.

use crate::{run, sim};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Published ids: scheme, text, instant if it has one, fields as they are shown.
const PUBLISHED: &[(&str, &str, &str, &str)] = &[
    (
        "uuid_v1",
        "c232ab00-9414-11ec-b3c8-9f6bdeced846",
        "2022-02-22T19:22:22.000000Z",
        "3258100480 37908 1 492 2 13256 175285648414790",
    ),
    ("uuid_v4", "919108f7-52d1-4320-9bac-f847db4148a8", "-", ""),
    (
        "uuid_v6",
        "1ec9414c-232a-6b00-b3c8-9f6bdeced846",
        "2022-02-22T19:22:22.000000Z",
        "",
    ),
    (
        "uuid_v7",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        "2022-02-22T19:22:22.000000Z",
        "1645557742000 7 3267 2 0x18c4dc0c0c07398f",
    ),
    (
        "uuid_v7:tail=fraction",
        "019535d9-3df7-79fb-b466-fa907fa17f9e",
        "2025-02-24T02:46:24.503623Z",
        "1740365184503 7 2555 2",
    ),
    (
        "uuid_v1_swapped",
        "11ec9414-c232-ab00-b3c8-9f6bdeced846",
        "2022-02-22T19:22:22.000000Z",
        "",
    ),
    (
        "newsequentialid",
        "00AB32C2-1494-EC11-B3C8-9F6BDECED846",
        "2022-02-22T19:22:22.000000Z",
        "",
    ),
    (
        "ulid",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "2016-07-30T23:54:10.259000Z",
        "1469922850259 0xd6764c61efb99302bd5b",
    ),
    ("ulid", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "", ""),
    (
        "ksuid",
        "0ujtsYcgvSTl8PAuAdqWYSMnLOv",
        "2017-10-10T04:00:47.000000Z",
        "107608047 0xb5a1cd34b5f99d1154fb6853345c9735",
    ),
    (
        "ksuid",
        "aWgEPTl1tmebfsQzFP4bxwgy80V",
        "2150-06-19T23:21:35.000000Z",
        "4294967295 0xffffffffffffffffffffffffffffffff",
    ),
    (
        "ksuid",
        "000000pryYUMiBILyxOCoroLz6w",
        "2014-05-13T16:53:20.000000Z",
        "0 0x1b7d20e59156e80c7aad50c707cbd4fa",
    ),
    (
        "snowflake:epoch=twitter",
        "1541815603606036480",
        "2022-06-28T16:07:40.105000Z",
        "0 367597485448 378 0",
    ),
    (
        "twitter",
        "1541815603606036480",
        "2022-06-28T16:07:40.105000Z",
        "0 367597485448 11 26 0",
    ),
    (
        "discord",
        "175928847299117063",
        "2016-04-30T11:18:25.796000Z",
        "41944705796 1 0 7",
    ),
    (
        "instagram",
        "11637205501278089",
        "2011-09-09T22:28:04.721000Z",
        "1387263000 1341 905",
    ),
    (
        "mastodon",
        "103254222827954101",
        "2019-12-05T08:26:45.944000Z",
        "1575534405944 8117",
    ),
    (
        "sonyflake",
        "16908291",
        "2014-09-01T00:00:00.010000Z",
        "0 1 2 3",
    ),
    (
        "object_id",
        "507f1f77bcf86cd799439011",
        "2012-10-17T21:13:27.000000Z",
        "1350508407 811621734297 4427793",
    ),
    (
        "xid",
        "9m4e2mr0ui3e8a215n4g",
        "2011-03-22T17:50:19.000000Z",
        "1300816219 6354054 58408 4271561",
    ),
    (
        "tsid",
        "01226N0640J7Q",
        "2020-04-15T20:22:07.665000Z",
        "9145327665 4 2295",
    ),
    (
        "tsid:node=0",
        "01226N0640J7Q",
        "2020-04-15T20:22:07.665000Z",
        "9145327665 18679",
    ),
    (
        "scru128",
        "036z951mhjikzik2gsl81gr7l",
        "2022-03-19T11:03:30.742000Z",
        "1647687810742 2426999 10015760 4178443969",
    ),
    (
        "push_id",
        "-JhLeOlGIEjaIOFHR0xd",
        "2015-02-04T22:15:31.153000Z",
        "",
    ),
    (
        "bit_reversed",
        "6917529027641081856",
        "-",
        "0 0x0000000000000003",
    ),
    ("auto_increment", "42", "-", "0 0x000000000000002a"),
];

fn decode(args: &[&str]) -> (i32, String, String) {
    let output = sim(&["ids"]).args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap_or(-1);
    (code, text(output.stdout), text(output.stderr))
}

#[test]
fn published_ids_decode_to_their_fields_and_are_written_as_they_were() {
    for (scheme, id, instant, fields) in PUBLISHED {
        let (code, stdout, stderr) = decode(&["--as", scheme, &format!("--decode={id}")]);
        assert_eq!((code, &*stderr), (0, ""), "{scheme}");
        let line = stdout.lines().last().unwrap();
        let words: Vec<_> = line.split_whitespace().collect();
        assert_eq!(words[0], *id, "{scheme}");
        let instant = if instant.is_empty() {
            words[1]
        } else {
            instant
        };
        assert_eq!(words[1], instant, "{scheme} {id}");
        assert!(words[2..].join(" ").starts_with(fields), "{scheme}: {line}");
    }
}

#[test]
fn without_a_scheme_an_id_is_decoded_by_all_that_fit() {
    let (code, stdout, _) = decode(&["--decode", "1541815603606036480", "1541815603606036481"]);
    assert_eq!(code, 0);
    for part in [
        "snowflake, twitter: ",
        "discord, running_sequence: ",
        "2022-06-28T16:07:40.105000Z",
    ] {
        assert!(stdout.contains(part), "{stdout}");
    }
    let (code, stdout, _) = decode(&["--decode", "01ARZ3NDEKTSV4RRFFQ69G5FAV"]);
    assert_eq!(code, 0);
    assert!(stdout.starts_with("ulid: 26 characters"), "{stdout}");
}

#[test]
fn the_flag_still_shows_the_fields_of_a_schemes_ids() {
    for args in [
        ["uuid_v7", "-n", "2", "--decode"],
        ["--decode", "uuid_v7", "-n", "2"],
    ] {
        let (code, stdout, _) = decode(&args);
        assert_eq!((code, stdout.lines().count()), (0, 4), "{stdout}");
        assert!(stdout.contains("writer"));
    }
}

/// What cannot be decoded: flags, exit code, and what the one line must say.
const UNDECODED: &[(&[&str], i32, &str)] = &[
    (
        &["--decode", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "--as", "ulid"],
        1,
        "is too large, expected ULIDs: at most 7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
    ),
    (
        &["--decode", "-5", "--as", "snowflake"],
        1,
        "-5 is negative",
    ),
    (&["--decode", "-5"], 1, "-5 is negative"),
    (
        &["--decode", "9f98e133-eb7f-45b0-9676-cce001cd6f7g"],
        1,
        "column 36: unexpected character 'g'",
    ),
    (
        &[
            "--decode",
            "9f98e133-eb7f-45b0-9676-cce001cd6f7",
            "--as",
            "uuid_v4",
        ],
        1,
        "has 35 characters, expected UUIDs: 36",
    ),
    (&["--decode", "5", "--as", "uuid_v7"], 1, "expected UUIDs"),
    (
        &["--decode", "5", "--as", "snowflke"],
        2,
        "did you mean \"snowflake\"?",
    ),
    (
        &["--decode", "5", "--as", "snowflake:epoch=2014-13-01"],
        2,
        "expected a date",
    ),
    (
        &["--decode", "5", "--as", "snowflake:epoch=2399-01-01"],
        2,
        "its epoch lies in the future, expected at most 20",
    ),
    (
        &["--decode", "5", "--as", "snowflake:worker=9"],
        2,
        "must add up to 64 bits",
    ),
    (&["--decode"], 2, "expected ids"),
    (
        &["uuid_v4", "--decode", "5"],
        2,
        "expected --as instead of a scheme",
    ),
    (&["--read", "x", "--decode"], 2, "cannot be used with"),
    (
        &["--read", "x", "--as", "guid"],
        2,
        "unknown scheme or kind",
    ),
    (&["--read", "x", "-n", "5"], 2, "cannot be used with"),
    (&["uuid_v4", "--charts"], 2, "cannot be used with"),
];

#[test]
fn what_cannot_be_decoded_is_one_line() {
    for (args, code, part) in UNDECODED {
        let found = decode(args);
        assert_eq!(
            (found.0, found.1.as_str(), found.2.lines().count()),
            (*code, "", 1),
            "{args:?}: {found:?}"
        );
        assert!(found.2.contains(part), "{args:?}: {}", found.2);
    }
}

/// `sim ids --read -` with this input.
fn read(input: impl AsRef<[u8]>, more: &[&str]) -> (i32, String, String) {
    let folder = TempDir::new().unwrap();
    let args = [&["ids", "--read", "-"], more].concat();
    run(&args, &folder.path().join("out"), input.as_ref())
}

#[test]
fn what_is_unambiguous_is_read() {
    let a = "9f98e133-eb7f-45b0-9676-cce001cd6f7a";
    let b = "07988E20-F287-4BB7-90CF-B32C4BFFE0F3";
    for list in [
        format!("{a}\r\n{b}\r\n"),
        format!("\u{feff}{a}\n{b}"),
        format!("\"{a}\"\n'{b}'\n"),
        format!("{a},\n{b},\n"),
        format!("id,name\n{a},x\n{b},y\n"),
        format!("[\"{a}\",\"{b}\"]"),
        format!("[\n  \"{a}\",\n  \"{b}\",\n]\n"),
        format!("# from a table\n\n{{{a}}}\nurn:uuid:{b}\n"),
        format!(" id \n------\n {a}\n {b}\n(2 rows)\n"),
    ] {
        let (code, stdout, stderr) = read(&list, &[]);
        assert_eq!((code, &*stderr), (0, ""), "{list}");
        assert!(
            stdout.starts_with("stdin: 2 UUIDs (version 4)"),
            "{list}: {stdout}"
        );
        assert!(stdout.contains("\n uuid_v4"), "{stdout}");
    }
}

/// Lists that are refused, and what the one line must say.
const REFUSED: &[(&str, &str)] = &[
    ("", "stdin: it is empty"),
    ("[]", "none of 1 lines has an id"),
    ("\n# nothing\n", "none of 2 lines has an id"),
    (
        "9f98e133-eb7f-45b0-9676-cce001cd6f7a\n9f98e133-eb7f-45b0-9676-cce001cd6f7\n",
        "line 2, column 1: \"9f98e133-eb7f-45b0-9676-cce001cd6f7\" has 35 characters, expected UUIDs as on line 1: 36",
    ),
    (
        "9f98e133-eb7f-45b0-9676-cce001cd6f7a\n 9f98e133-eb7f-45b0-9676-cce001cd6fxa\n",
        "line 2, column 36: unexpected character 'x'",
    ),
    (
        "[\"9f98e133-eb7f-45b0-9676-cce001cd6f7a\", \"9f98e133-eb7f-45b0-9676-cce001cd6f7!\"]",
        "line 1, column 78: unexpected character '!'",
    ),
    (
        "[\"9f98e133-eb7f-45b0-9676-cce001cd6f7a\"",
        "the array of line 1 is not closed",
    ),
    (
        "01ARZ3NDEKTSV4RRFFQ69G5FAV\n8ZZZZZZZZZZZZZZZZZZZZZZZZZ\n",
        "line 2, column 1: \"8ZZZZZZZZZZZZZZZZZZZZZZZZZ\" is too large, expected ULIDs as on line 1",
    ),
    (
        "8ZZZZZZZZZZZZZZZZZZZZZZZZZ\n",
        "is too large, expected ULIDs",
    ),
    (
        "1541815603606036480\n-5\n",
        "line 2, column 1: -5 is negative",
    ),
    (
        "1541815603606036480\n18446744073709551616\n",
        "line 2, column 1: \"18446744073709551616\" is too large",
    ),
    (
        "1\n01ARZ3NDEKTSV4RRFFQ69G5FAV\n",
        "line 2, column 3: unexpected character 'A' in \"01ARZ3NDEKTSV4RRFFQ69G5FAV\", expected unsigned decimal integers as on line 1",
    ),
    ("1\nid\n", "line 2, column 1: unexpected character 'i'"),
    ("{\"id\": 5}\n", "is no id of any kind"),
    (
        "name,id\nbob,5\n",
        "line 2, column 1: \"bob\" is no id of any kind (see `sim list kinds`), and ids are expected as the first field",
    ),
    (
        "18446744073709551616\n",
        "line 1, column 1: \"18446744073709551616\" is too large, expected unsigned decimal integers: at most 18446744073709551615; if it is no number: --as push_id",
    ),
    (
        "-1541815603606036480\n7\n",
        "line 1, column 1: -1541815603606036480 is negative",
    ),
    (
        "7, 8,9\n",
        "line 1, column 4: \"8\" is a second id on the line, expected one id a line, or all within [ ]",
    ),
    ("\u{1f980}\n", "is no id of any kind"),
];

#[test]
fn what_is_not_clear_is_one_line_with_its_place_and_exit_1() {
    for (list, part) in REFUSED {
        let (code, stdout, stderr) = read(list, &[]);
        assert_eq!(
            (code, &*stdout, stderr.lines().count()),
            (1, "", 1),
            "{list:?}: {stderr}"
        );
        assert!(stderr.contains(part), "{list:?}: {stderr}");
        assert!(stderr.contains("stdin"), "{stderr}");
    }
    let (code, _, stderr) = read("5\n", &["--as", "uuid_v7"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("expected UUIDs"), "{stderr}");
    let folder = TempDir::new().unwrap();
    let (code, _, stderr) = run(&["ids", "--read", "none.txt"], folder.path(), b"");
    assert_eq!(code, 1);
    assert!(stderr.contains("none.txt: cannot be opened"), "{stderr}");
}

#[test]
fn a_list_that_is_refused_leaves_no_file() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out");
    let late = "1\n".repeat(70_000) + "x\n";
    let (code, _, stderr) = run(&["ids", "--read", "-"], &out, late.as_bytes());
    assert_eq!(code, 1);
    assert!(
        stderr.contains("line 70001, column 1: unexpected character 'x'"),
        "{stderr}"
    );
    assert!(!out.exists() || fs::read_dir(out).unwrap().next().is_none());
}

#[test]
fn records_are_the_same_numbers() {
    let list = "175928847299117063\n175928847299117064\n175928847303311368\n";
    let (code, stdout, _) = read(list, &["--as", "discord", "--format", "csv"]);
    assert_eq!(code, 0);
    for part in [
        "{\"\"kind\"\":\"\"unsigned\"\"}\",ids_read,ids,,3,",
        "first_unix_ms,ms,,1462015105796,",
        "{\"\"field\"\":\"\"sequence\"\"}\",field_most,value,,8,",
    ] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    let again = read(list, &["--as", "discord", "--format", "csv"]).1;
    let rows = |text: &str| {
        text.lines()
            .filter(|line| line.starts_with("row,"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(&stdout), rows(&again));
}

/// Columns of bytes as query tools write them.
#[test]
fn hex_strings_are_read_as_the_ids_that_they_store() {
    for (list, scheme, first) in [
        (
            "0x017f22e279b07cc398c4dc0c0c07398f\n",
            "uuid_v7",
            "1 hex string of 16 bytes",
        ),
        (
            "\\x507f1f77bcf86cd799439011\n\\x507f1f77bcf86cd799439012\n",
            "object_id",
            "2 hex strings of 12 bytes",
        ),
    ] {
        for more in [&[][..], &["--as", scheme]] {
            let (code, stdout, stderr) = read(list, more);
            assert_eq!((code, &*stderr), (0, ""), "{list}");
            assert!(stdout.starts_with(&format!("stdin: {first}")), "{stdout}");
            assert!(stdout.contains(&format!("read as {scheme}")), "{stdout}");
        }
    }
    // Without a sign of hex it is told once.
    let (_, stdout, _) = read("017f22e279b07cc398c4dc0c0c07398f\n", &[]);
    assert_eq!(stdout.matches("\n uuid_v7  ").count(), 1, "{stdout}");
}

/// Ids in neighbouring ticks may be as near to each other as any.
#[test]
fn the_longest_gap_is_one_for_sure() {
    let list = |second| format!("0ujtsYcgvSTl8PAuAdqWYSMnLOv\n{second}\n");
    let gap = |list: String| {
        let (_, stdout, stderr) = read(list, &["--as", "ksuid"]);
        let line = stdout.lines().find(|line| line.contains("longest time"));
        let line = line.unwrap_or(&stderr).split("an id").last();
        line.unwrap_or_default().trim().to_owned()
    };
    // A second later, and four.
    assert_eq!(
        gap(list("0ujtsgPkxfk7DsqfundfLLU3313")),
        "less than ticks tell"
    );
    assert_eq!(gap(list("0ujtt3mx4JXBUJrz9H15i0po9rR")), "at least 3.00 s");
}

#[test]
fn repeats_are_told_by_line_and_ids_of_another_scheme_by_their_fixed_bits() {
    let (_, stdout, _) = read("# ids\n\n5\n6\n5\n", &[]);
    assert!(
        stdout.contains("1 repeat in all: lines 3 and 5."),
        "{stdout}"
    );
    let (_, stdout, _) = read("[5, 6, 5]", &[]);
    assert!(
        stdout.contains("1 repeat in all: ids 1 and 3 of the list."),
        "{stdout}"
    );
    let v4 = "919108f7-52d1-4320-9bac-f847db4148a8";
    let said = "Not all of these are ids of uuid_v7: ver is 4, expected 7.";
    let (_, stdout, _) = read(v4, &["--as", "uuid_v7"]);
    assert!(stdout.contains(said), "{stdout}");
    let (code, stdout, _) = decode(&["--decode", v4, "--as", "uuid_v7"]);
    assert_eq!((code, stdout.contains(said)), (0, true), "{stdout}");
    let (_, stdout, _) = decode(&["--decode", "5,6", "--as", "snowflake"]);
    assert_eq!(stdout.lines().count(), 4, "{stdout}");
}

#[test]
fn times_in_the_future_ask_for_the_epoch() {
    // 2080 by Twitter's epoch.
    let (_, stdout, _) = read("9223372036854775807\n", &["--as", "snowflake"]);
    assert!(
        stdout.contains("Some of these times are in the future. If the epoch is another one, give it, as in --as snowflake:epoch=2024-01-01."),
        "{stdout}"
    );
    let (_, stdout, _) = read("1541815603606036480\n", &["--as", "snowflake"]);
    assert!(!stdout.contains("epoch=2024"), "{stdout}");
    let (_, stdout, _) = read("1541815603606036480\n1541815603606036481\n", &[]);
    assert!(
        stdout.contains("No list tells its epoch: if it is not that of snowflake, give it, as in --as snowflake:epoch=2024-01-01."),
        "{stdout}"
    );
}

/// Signed numbers are read if they are asked for.
#[test]
fn kinds_may_be_asked_for() {
    let (code, stdout, stderr) = read("5\n-5\n", &["--as", "decimal"]);
    assert_eq!((code, &*stderr), (0, ""));
    assert!(stdout.starts_with("stdin: 2 decimal integers"), "{stdout}");
    let (code, stdout, _) = read("38358284406638839\n", &["--as", "tsid"]);
    assert_eq!(code, 0);
    assert!(stdout.contains("2020-04-15T20:22:07.665000Z"), "{stdout}");
}

/// Real ids, where they are at hand: `IDLAB_REAL_IDS` is their folder.
#[test]
fn real_ids_are_recognised() {
    let Ok(folder) = std::env::var("IDLAB_REAL_IDS") else {
        return;
    };
    let read = |name: &str, more: &[&str]| {
        let path = Path::new(&folder).join(name);
        let out = TempDir::new().unwrap();
        let args = [&["ids", "--read", path.to_str().unwrap()], more].concat();
        let (code, stdout, stderr) = run(&args, out.path(), b"");
        assert_eq!(code, 0, "{stderr}");
        stdout
    };
    let discord = read("discord-application-ids.txt", &[]);
    for part in [
        "3,410 unsigned",
        "discord ",
        "2017-09-11T18:54:43.126000Z",
        "2025-09-27T17:00:28.079000Z",
        "11.4",
    ] {
        assert!(discord.contains(part), "{part}: {discord}");
    }
    let v4 = read("exercism-uuid-v4.txt", &[]);
    assert!(
        v4.contains("2,316 UUIDs (version 4)") && v4.contains("\n uuid_v4"),
        "{v4}"
    );
    let v7 = read("uuid-v7-bracketed.tsv", &[]);
    assert!(
        v7.contains("100 UUIDs (version 7)") && v7.contains("\n uuid_v7"),
        "{v7}"
    );
}

/// What lies in the future depends on the day that is given, not on the day of the test.
#[test]
fn the_day_is_recorded_and_decides_what_is_in_the_future() {
    let folder = TempDir::new().unwrap();
    let read = |now: &str| {
        let list = folder.path().join("list.txt");
        fs::write(&list, "1975580204856397825\n1975580204856397826\n").unwrap();
        let list = list.to_str().unwrap();
        run(&["ids", "--read", list, "--now", now], folder.path(), b"")
    };
    let (code, before, _) = read("2020-01-01");
    assert_eq!(code, 0);
    assert!(before.contains("in the future"), "{before}");
    let (code, after, _) = read("2036-01-01");
    assert_eq!(code, 0);
    assert!(!after.contains("in the future"), "{after}");
    let (code, _, stderr) = read("tomorrow");
    assert_eq!(code, 2);
    assert!(
        stderr.contains("--now tomorrow: expected a date such as"),
        "{stderr}"
    );
}
