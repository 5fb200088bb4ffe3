use super::*;
use std::collections::BTreeMap;

fn read(text: &str, given: Option<Kind>) -> Result<(Kind, Vec<u128>, Report), SourceError> {
    let mut dump = Dump::open(io::Cursor::new(text.as_bytes().to_vec()), given)?;
    let mut ids = Vec::new();
    while let Some((_, low)) = dump.next_id()? {
        ids.push(low);
    }
    Ok((dump.kind, ids, dump.now))
}

#[test]
fn fields_quotes_comments_and_line_ends() {
    let text = "\u{feff}id\r\n# by created_at\n\n\"17\"\r\n18\tx\n 19 , y\n20|z\n-1\n";
    let (kind, ids, report) = read(text, None).unwrap();
    assert_eq!(kind, Kind::Decimal);
    let signed: Vec<_> = ids.iter().map(|&id| (id as u64 ^ 1 << 63) as i64).collect();
    assert_eq!(signed, [17, 18, 19, 20, -1]);
    assert_eq!((report.lines, report.ids), (8, 5));
    assert_eq!(report.first_skipped, Some((1, NOT_AN_ID, "id".to_owned())));
    assert_eq!(
        report.skipped,
        BTreeMap::from([(EMPTY, 1), (COMMENT, 1), (NOT_AN_ID, 1)])
    );
}

#[test]
fn kinds_are_told_apart() {
    for (text, kind) in [
        ("1\n2\n", Kind::Decimal),
        ("18446744073709551615\n1\n", Kind::Unsigned),
        (
            "9f98e133-eb7f-45b0-9676-cce001cd6f7a\n{9F98E133-EB7F-45B0-9676-CCE001CD6F7A}\n",
            Kind::Uuid,
        ),
        (
            "urn:uuid:9f98e133-eb7f-45b0-9676-cce001cd6f7a\n9f98e133eb7f45b09676cce001cd6f7a\n",
            Kind::Uuid,
        ),
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV\n", Kind::Ulid),
        ("0ujtsYcgvSTl8PAuAdqWYSMnLOv\n", Kind::Ksuid),
        ("01226N0640J7Q\n", Kind::Tsid),
        ("507f1f77bcf86cd799439011\n", Kind::ObjectId),
        ("9m4e2mr0ui3e8a215n4g\n", Kind::Xid),
        ("036z951mhjikzik2gsl81gr7l\n", Kind::Scru128),
        ("-JhLeOlGIEjaIOFHR0xd\n", Kind::PushId),
        ("V1StGXR8_Z5jdHi6B-myT\n", Kind::NanoId),
        ("tz4a98xxat96iws9zmbrgj3a\n", Kind::Cuid2),
        ("7n42DGM5Tflk9n8mt7Fhc7\n", Kind::PublicId),
        ("[\"01226N0640J7Q\", \"01226N0640J7R\"]\n", Kind::Tsid),
        ("12345678\ndeadbeef\n", Kind::Hex(4)),
        ("\\x0123456789abcdef0123456789abcdef\n", Kind::Hex(16)),
    ] {
        assert_eq!(read(text, None).unwrap().0, kind, "{text}");
    }
}

#[test]
fn several_kinds_are_an_error_that_names_the_line_unless_one_is_given() {
    let text = "1\n\n9f98e133-eb7f-45b0-9676-cce001cd6f7a\n2\n";
    let error = read(text, None).unwrap_err().0;
    assert!(
        error.contains("line 3: UUIDs among decimal integers (line 1)"),
        "{error}"
    );
    let (_, ids, report) = read(text, Some(Kind::Uuid)).unwrap();
    assert_eq!((ids.len(), report.skipped[OTHER_KIND]), (1, 2));
    assert_eq!(report.first_skipped, Some((1, OTHER_KIND, "1".to_owned())));
    let far = "1\n".repeat(2000) + "9f98e133-eb7f-45b0-9676-cce001cd6f7a\n";
    let (_, ids, report) = read(&far, Some(Kind::Uuid)).unwrap();
    assert_eq!((ids.len(), report.skipped[OTHER_KIND]), (1, 2000));
    let late = "1\n".repeat(2000) + "01ARZ3NDEKTSV4RRFFQ69G5FAV\n";
    let error = read(&late, None).unwrap_err().0;
    assert!(error.contains("line 2001: ULIDs among decimal"), "{error}");
}

#[test]
fn a_large_number_late_in_a_dump_asks_for_unsigned() {
    let late = "1\n".repeat(2000) + "18446744073709551615\n";
    let error = read(&late, None).unwrap_err().0;
    assert!(
        error.contains("line 2001") && error.contains("--as unsigned"),
        "{error}"
    );
    let (_, ids, _) = read(&late, Some(Kind::Unsigned)).unwrap();
    assert_eq!(ids.last(), Some(&u128::from(u64::MAX)));
}

#[test]
fn nothing_to_read_says_so() {
    assert!(read("", None).unwrap_err().0.contains("empty"));
    let error = read("id\nname\n", None).unwrap_err().0;
    assert!(
        error.contains("none of 2 lines") && error.ends_with("line 1 is not an id: \"id\""),
        "{error}"
    );
    assert!(read("1\n2\n", Some(Kind::Ulid)).is_err());
}

#[test]
fn a_line_of_a_megabyte_and_bytes_that_are_no_text_are_skipped() {
    let mut text = vec![b'7'; 1 << 20];
    text.extend(b"\n1\n\xff\xfe\n2");
    let mut dump = Dump::open(io::Cursor::new(text), None).unwrap();
    let mut keys: Vec<u64> = Vec::new();
    dump.fill(&mut keys, 10).unwrap();
    assert_eq!(keys, [1 | 1 << 63, 2 | 1 << 63]);
    assert_eq!(
        dump.now.skipped,
        BTreeMap::from([(TOO_LONG, 1), (NOT_UTF8, 1)])
    );
    assert_eq!(*dump.report().lock().unwrap(), dump.now);
    assert!(dump.fields.whole().len() <= fields::MAX_BYTES);
}

#[test]
fn numbers_of_more_than_64_bits_are_not_taken_for_something_else() {
    for text in [
        "123456789012345678901234\n",
        "01234567890123456789012345\n",
        "012345678901234567890123456\n",
    ] {
        let error = read(text, None).unwrap_err().0;
        assert!(
            error.contains("does not fit an integer of 64 bits"),
            "{error}"
        );
    }
    let error = read("1\n18446744073709551616\n", None).unwrap_err().0;
    assert!(
        error.starts_with("line 2: 18446744073709551616 does not fit"),
        "{error}"
    );
    // Among hex strings, a few of digits alone are nothing special.
    let text = "507f1f77bcf86cd799439011\n123456789012345678901234\n";
    assert_eq!(read(text, None).unwrap().0, Kind::ObjectId);
}

#[test]
fn frames_and_footers_of_query_tools_are_understood() {
    let mysql = "+----+\n| id |\n+----+\n|  7 |\n|  9 |\n+----+\n2 rows in set (0.00 sec)\n";
    let psql = " id \n----\n  7\n  9\n(2 rows)\n";
    for text in [mysql, psql] {
        let (_, ids, _) = read(text, None).unwrap();
        assert_eq!(ids, [7 | 1 << 63, 9 | 1 << 63], "{text}");
    }
}

#[test]
fn a_dump_that_is_mostly_something_else_is_refused() {
    let text = "1\n".repeat(150) + &"noise\n".repeat(151);
    let error = read(&text, None).unwrap_err().0;
    assert!(
        error.contains("only 150 of the first 301 lines are ids: line 151"),
        "{error}"
    );
    assert_eq!(read(&text, Some(Kind::Decimal)).unwrap().1.len(), 150);
}

#[test]
fn an_endless_line_is_no_text() {
    let error = Dump::open(io::BufReader::new(io::repeat(0)), None)
        .err()
        .unwrap()
        .0;
    assert!(error.contains("longer than 64 MiB"), "{error}");
}
