//! GUIDs of SQL Server: UUIDs that it compares in an order of its own (`uniqueidentifier`).

use super::text::{as_text, first};
use super::{Column, Id, ParseError, Uuid};

/// A GUID, ordered as SQL Server compares: by the bytes of its text from the tenth to the last,
/// then the eighth and ninth (all counted from 0), then from the seventh down to the first.
///
/// The text does not sort so, and lives in no text column.
///
/// ```
/// use idlab::id::SqlGuid;
/// let low: SqlGuid = "FFFFFFFF-FFFF-FFFF-FFFF-000000000000".parse()?;
/// let high: SqlGuid = "00000000-0000-0000-0000-000000000001".parse()?;
/// assert!(low < high);
/// # Ok::<(), idlab::id::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SqlGuid(u128);

impl From<Uuid> for SqlGuid {
    fn from(uuid: Uuid) -> Self {
        let (groups, rest) = ((uuid.0 >> 64) as u64, uuid.0 as u64);
        Self(u128::from(rest.rotate_left(16)) << 64 | u128::from(groups.swap_bytes()))
    }
}

impl From<SqlGuid> for Uuid {
    fn from(guid: SqlGuid) -> Self {
        let (rest, groups) = ((guid.0 >> 64) as u64, guid.0 as u64);
        Self(u128::from(groups.swap_bytes()) << 64 | u128::from(rest.rotate_right(16)))
    }
}

impl Id for SqlGuid {
    type Key = u128;
    const KIND: &'static str = "GUID";
    const COLUMN: Column = Column::Uuid;
    const TEXT_CHARS: Option<u32> = None;
    const TEXT_BYTES: usize = Uuid::TEXT_BYTES;

    fn key(self) -> u128 {
        self.0
    }

    fn from_key(key: u128) -> Self {
        Self(key)
    }

    /// Upper case, hyphenated.
    fn encode(self, out: &mut [u8]) -> usize {
        let bytes = Uuid::from(self).encode(out);
        first::<{ Self::TEXT_BYTES }>(out).make_ascii_uppercase();
        bytes
    }

    /// Accepts what [`Uuid`] accepts.
    fn decode(text: &[u8]) -> Result<Self, ParseError> {
        Uuid::decode(text).map(Self::from)
    }
}

as_text!(SqlGuid);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn guid(text: &str) -> SqlGuid {
        text.parse().unwrap()
    }

    /// One bit at every byte: how SQL Server has been seen to sort them.
    #[test]
    fn bytes_count_in_the_order_of_sql_server() {
        let byte = |place: usize| {
            let mut text = [b'0'; 32];
            text[2 * place + 1] = b'1';
            SqlGuid::decode(&text).unwrap()
        };
        let places = [0, 1, 2, 3, 4, 5, 6, 7, 9, 8, 15, 14, 13, 12, 11, 10];
        assert!(places.map(byte).is_sorted());
        assert!(
            guid("63DD0AD3-A111-DD11-B2EB-005056AE063C")
                < guid("64DD0AD3-A111-DD11-B2EB-005056AE063C")
        );
    }

    #[test]
    fn texts_are_those_of_uuids_in_upper_case() {
        let text = "63DD0AD3-A111-DD11-B2EB-005056AE063C";
        assert_eq!(guid(text).to_string(), text);
        assert_eq!(guid(&text.to_lowercase()), guid(text));
        let (found, position) = ('G', 36);
        let error = ParseError::Character { found, position };
        assert_eq!(
            "63DD0AD3-A111-DD11-B2EB-005056AE063G".parse::<SqlGuid>(),
            Err(error)
        );
        assert!("63DD0AD3".parse::<SqlGuid>().is_err());
    }

    proptest! {
        #[test]
        fn texts_and_uuids_round_trip(value: u128) {
            let id = SqlGuid::from(Uuid(value));
            prop_assert_eq!(Uuid::from(id), Uuid(value));
            prop_assert_eq!(id.to_string(), Uuid(value).to_string().to_uppercase());
            prop_assert_eq!(id.to_string().parse(), Ok(id));
            prop_assert_eq!(SqlGuid::from_key(id.key()), id);
        }
    }
}
