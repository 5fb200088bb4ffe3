use super::*;

fn records() -> Records {
    let params = Parameters::from([("rows".to_owned(), 10.into())]);
    let row = Row {
        run: run_digest("btree", 1, &params),
        scheme: "uuid_v4".to_owned(),
        engine: "postgres".to_owned(),
        params: Parameters::from([("window".to_owned(), 100.into())]),
        measure: "working_set_leaves".to_owned(),
        unit: "leaves".to_owned(),
        x: Some(Number::Whole(5)),
        value: Number::Real(0.1),
        low: None,
        high: None,
        samples: 1,
    };
    let run = Run {
        schema: SCHEMA,
        run: row.run.clone(),
        experiment: "btree".to_owned(),
        command: "sim btree".to_owned(),
        seed: 1,
        params,
        version: "0.1.0".to_owned(),
        commit: String::new(),
        dirty: false,
        rustc: String::new(),
        profile: "dev".to_owned(),
        host: Host {
            cpu: String::new(),
            cores: 2,
            os: String::new(),
        },
        started: "2026-01-01T00:00:00Z".to_owned(),
        wall_s: 0.5,
        charts: Vec::new(),
        peak_memory_bytes: None,
    };
    let cells = vec![vec![1, 0], vec![0, 1]];
    let (scheme, engine) = (row.scheme.clone(), String::new());
    let grid = Grid {
        run: row.run.clone(),
        scheme,
        engine,
        params: Parameters::new(),
        measure: "locality".to_owned(),
        cells,
    };
    Records {
        run,
        rows: vec![row],
        grids: vec![grid],
    }
}

#[test]
fn json_lines_come_back_as_they_were() {
    let mut text = Vec::new();
    records().write_jsonl(&mut text, true).unwrap();
    assert_eq!(Records::read_jsonl(&*text).unwrap(), records());
    let row = String::from_utf8(text)
        .unwrap()
        .lines()
        .nth(1)
        .unwrap()
        .to_owned();
    assert!(row.starts_with(r#"{"kind":"row","run":""#), "{row}");
    assert!(
        row.ends_with(r#""x":5,"value":0.1,"low":null,"high":null,"samples":1}"#),
        "{row}"
    );
}

#[test]
fn a_broken_line_is_named() {
    let mut text = Vec::new();
    records().write_jsonl(&mut text, false).unwrap();
    text.extend(b"{}\n");
    let error = Records::read_jsonl(&*text).unwrap_err().to_string();
    assert!(error.starts_with("line 3: "), "{error}");
    assert!(Records::read_jsonl(&b""[..]).is_err());
    // Other JSON Lines are told from broken records.
    let is_other = |text: &str| {
        matches!(
            Records::read_jsonl(text.as_bytes()),
            Err(RecordError::Other)
        )
    };
    assert!(is_other("{}\n") && is_other("{\"kind\":\"run\",\"experiment\":\"mine\"}\n"));
    for broken in [
        "",
        "{",
        "[]",
        "{\"schema\":9}",
        "{\"kind\":\"row\",\"run\":\"0\"}",
    ] {
        assert!(!is_other(broken), "{broken}");
    }
}

#[test]
fn csv_is_one_table() {
    let mut text = Vec::new();
    records().write_csv(&mut text).unwrap();
    let mut reader = csv::Reader::from_reader(&*text);
    let kinds: Vec<_> = reader
        .records()
        .map(|record| record.unwrap()[0].to_owned())
        .collect();
    assert_eq!(kinds.iter().filter(|kind| *kind == "row").count(), 1);
    assert!(kinds[..kinds.len() - 1].iter().all(|kind| kind == "run"));
}

#[test]
fn files_are_written_all_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| (name.to_owned(), content.as_bytes().to_vec());
    let names = || {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    write_files(folder.path(), &[file("a", "1"), file("b", "1")]).unwrap();
    std::fs::create_dir(folder.path().join("c")).unwrap();
    let error = write_files(folder.path(), &[file("a", "2"), file("c", "2")]).unwrap_err();
    assert_eq!(error.0, "c");
    assert_eq!(names(), ["a", "b", "c"]);
    assert_eq!(std::fs::read(folder.path().join("a")).unwrap(), b"1");
    assert!(write_files(&folder.path().join("none"), &[file("a", "")]).is_err());
}

#[test]
fn a_reader_of_csv_that_goes_away_is_told_apart() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut many = records();
    many.rows = vec![many.rows[0].clone(); 1000];
    assert_eq!(
        many.write_csv(&mut Closed).unwrap_err().kind(),
        io::ErrorKind::BrokenPipe
    );
}
