//! Names that people type, what an unknown one may have meant, and nouns that they read.

/// `" (did you mean \"x\"?)"` for the nearest of `known`, else the whole list.
pub fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let given = given.to_lowercase();
    let best = known
        .clone()
        .max_by(|a, b| strsim::jaro_winkler(&given, a).total_cmp(&strsim::jaro_winkler(&given, b)));
    match best {
        Some(best) if strsim::jaro_winkler(&given, best) > 0.75 => {
            format!(" (did you mean {best:?}?)")
        }
        _ => format!(" (known: {})", known.collect::<Vec<_>>().join(", ")),
    }
}

/// A count and its noun: `1 byte`, `2 bytes`.
pub fn plural(count: impl Into<u64>, noun: &str) -> String {
    match count.into() {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_suggested_and_a_far_one_gets_the_list() {
        let known = ["uuid_v4", "uuid_v7", "ulid"];
        assert_eq!(
            nearest("uuidv7", known.into_iter()),
            " (did you mean \"uuid_v7\"?)"
        );
        assert_eq!(
            nearest("UUID_V4", known.into_iter()),
            " (did you mean \"uuid_v4\"?)"
        );
        assert_eq!(
            nearest("xyz", known.into_iter()),
            " (known: uuid_v4, uuid_v7, ulid)"
        );
    }

    #[test]
    fn one_thing_is_no_plural() {
        let texts = [0u32, 1, 2].map(|count| plural(count, "byte"));
        assert_eq!(texts, ["0 bytes", "1 byte", "2 bytes"]);
    }
}
