//! Fixed bits: what they are in a scheme's ids, and that some ids are not of it.

use idlab::fleet::{Generator, Pace};
use idlab::id::Id;
use idlab::random;
use idlab::scheme::{FieldKind, Scheme};

/// What is wrong with ids as ids of a scheme: the least and the largest value of each of their
/// fields, in its order. `None` if nothing is, or if the scheme issues no ids at any time.
pub fn misfit<S: Scheme>(
    scheme: &S,
    spec: &str,
    values: impl IntoIterator<Item = (u128, u128)>,
) -> Option<String> {
    let mut scheme = scheme.clone();
    let random = random::stream(1, "ids.fixed", 0);
    let mut made = [S::Id::from_key(Default::default())];
    let mut generator = Generator::new(&mut scheme, 0, random, Pace::steps()).ok()?;
    generator.fill(&mut scheme, &mut made).ok()?;
    let wrong = |((field, right), (least, most)): ((_, u128), (u128, u128))| {
        let field: idlab::scheme::Field = field;
        let is_wrong = field.kind == FieldKind::Fixed && (least, most) != (right, right);
        let found = match least == most {
            true => least.to_string(),
            false => format!("{least} to {most}"),
        };
        is_wrong.then(|| format!("{} is {found}, expected {right}", field.name))
    };
    let fields = scheme.decode(made[0]).into_iter().zip(values);
    let wrong: Vec<_> = fields.filter_map(wrong).collect();
    (!wrong.is_empty())
        .then(|| format!("Not all of these are ids of {spec}: {}.", wrong.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use idlab::id::Key;
    use idlab::scheme::{self, Visitor};

    /// What is wrong with this key.
    struct Of(&'static str, u128);

    impl Visitor for Of {
        type Output = Option<String>;

        fn visit<S: Scheme>(self, scheme: S) -> Option<String> {
            let id = S::Id::from_key(<S::Id as Id>::Key::from_parts(0, self.1));
            let values = scheme.decode(id).into_iter();
            misfit(&scheme, self.0, values.map(|(_, value)| (value, value)))
        }
    }

    #[test]
    fn fixed_bits_are_compared_and_no_others() {
        let of =
            |spec: &'static str, key| scheme::visit(&spec.parse().unwrap(), Of(spec, key)).unwrap();
        let v1 = 0x6ba7_b810_9dad_11d1_80b4_00c0_4fd4_30c8;
        assert_eq!(of("uuid_v1", v1), None);
        assert_eq!(
            of("uuid_v7", v1).as_deref(),
            Some("Not all of these are ids of uuid_v7: ver is 1, expected 7.")
        );
        assert_eq!(of("snowflake", u128::from(u64::MAX >> 1)), None);
        assert_eq!(
            of("snowflake", u128::from(u64::MAX)).as_deref(),
            Some("Not all of these are ids of snowflake: sign is 1, expected 0.")
        );
        for free in ["ulid", "ksuid", "discord"] {
            assert_eq!(of(free, v1), None, "{free}");
        }
    }
}
