//! How sharding keys are written.

use super::{KEYS, MOST_BUCKETS, MOST_TENANTS, ShardBits, ShardingKey, Tenants};
use crate::names;
use std::fmt;
use std::str::FromStr;

impl fmt::Display for ShardingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Range => f.write_str("range"),
            Self::Hash => f.write_str("hash"),
            Self::HashBuckets(buckets) => write!(f, "hash:{buckets}"),
            Self::Salt(buckets) => write!(f, "salt:{buckets}"),
            Self::IdMod(shards) => write!(f, "id_mod:{shards}"),
            Self::BitReversed => f.write_str("bit_reversed"),
            Self::Tenant(Tenants {
                exponent,
                tenants,
                top,
                salts,
            }) => {
                write!(f, "tenant:zipf:{exponent}")?;
                if tenants != DEFAULT_TENANTS {
                    write!(f, ":tenants={tenants}")?;
                }
                if top > 0 {
                    write!(f, ":top={top}:salts={salts}")?;
                }
                Ok(())
            }
            Self::AutoRandom(ShardBits {
                bits,
                transaction_rows,
            })
            | Self::ShardRowId(ShardBits {
                bits,
                transaction_rows,
            }) => {
                let name = if matches!(self, Self::AutoRandom(_)) {
                    "auto_random"
                } else {
                    "shard_row_id_bits"
                };
                write!(f, "{name}:{bits}")?;
                if transaction_rows != 1 {
                    write!(f, ":transaction_rows={transaction_rows}")?;
                }
                Ok(())
            }
        }
    }
}

const DEFAULT_TENANTS: u32 = 1000;

impl FromStr for ShardingKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let parts: Vec<_> = parts.collect();
        let (options, values): (Vec<&str>, Vec<&str>) =
            parts.into_iter().partition(|part| part.contains('='));
        let mut read = Reader {
            text,
            values: values.into_iter(),
            options,
        };
        let key = match name {
            "range" => Self::Range,
            "hash" => match read.optional(1..=MOST_BUCKETS)? {
                Some(buckets) => Self::HashBuckets(buckets),
                None => Self::Hash,
            },
            "salt" => Self::Salt(read.number("buckets", 1..=MOST_BUCKETS)?),
            "id_mod" => Self::IdMod(read.number("shards", 1..=MOST_BUCKETS)?),
            "bit_reversed" => Self::BitReversed,
            "tenant" => Self::Tenant(read.tenants()?),
            "auto_random" => Self::AutoRandom(read.shard_bits()?),
            "shard_row_id_bits" => Self::ShardRowId(read.shard_bits()?),
            _ => {
                let known = KEYS
                    .iter()
                    .map(|(form, _)| form.split(':').next().unwrap_or(form));
                return Err(format!(
                    "no sharding key {name:?}{}",
                    names::nearest(name, known)
                ));
            }
        };
        read.end()?;
        Ok(key)
    }
}

/// Reads what stands after the name of a key.
struct Reader<'a> {
    text: &'a str,
    values: std::vec::IntoIter<&'a str>,
    options: Vec<&'a str>,
}

impl Reader<'_> {
    fn parse(
        &self,
        what: &str,
        value: &str,
        bounds: std::ops::RangeInclusive<u32>,
    ) -> Result<u32, String> {
        value
            .parse()
            .ok()
            .filter(|number| bounds.contains(number))
            .ok_or_else(|| {
                let (least, most) = bounds.into_inner();
                format!(
                    "{}: {what} {value:?}: expected a number of {least} to {most}",
                    self.text
                )
            })
    }

    fn optional(&mut self, bounds: std::ops::RangeInclusive<u32>) -> Result<Option<u32>, String> {
        let value = self.values.next();
        value
            .map(|value| self.parse("buckets", value, bounds))
            .transpose()
    }

    fn number(&mut self, what: &str, bounds: std::ops::RangeInclusive<u32>) -> Result<u32, String> {
        match self.values.next() {
            Some(value) => self.parse(what, value, bounds),
            None => Err(format!(
                "{}: expected the number of {what} after it, such as {}:8",
                self.text, self.text
            )),
        }
    }

    fn option(
        &mut self,
        name: &str,
        default: u32,
        bounds: std::ops::RangeInclusive<u32>,
    ) -> Result<u32, String> {
        let at = self
            .options
            .iter()
            .position(|option| option.split('=').next() == Some(name));
        match at {
            Some(at) => {
                let option = self.options.remove(at);
                self.parse(
                    name,
                    option.split_once('=').map_or("", |(_, value)| value),
                    bounds,
                )
            }
            None => Ok(default),
        }
    }

    fn tenants(&mut self) -> Result<Tenants, String> {
        let wanted = "expected tenant:zipf:EXPONENT, such as tenant:zipf:1.2";
        if self.values.next() != Some("zipf") {
            return Err(format!("{}: {wanted}", self.text));
        }
        let exponent = self
            .values
            .next()
            .and_then(|value| value.parse::<f64>().ok());
        let exponent = exponent.filter(|exponent| (0.0..=10.0).contains(exponent));
        let Some(exponent) = exponent else {
            return Err(format!("{}: {wanted}, a number of 0 to 10", self.text));
        };
        let tenants = self.option("tenants", DEFAULT_TENANTS, 1..=MOST_TENANTS)?;
        let top = self.option("top", 0, 0..=tenants)?;
        let salts = self.option("salts", 1, 1..=MOST_BUCKETS)?;
        if (top > 0) != (salts > 1) {
            return Err(format!(
                "{}: top=K and salts=M (2 or more) go together",
                self.text
            ));
        }
        Ok(Tenants {
            exponent,
            tenants,
            top,
            salts,
        })
    }

    fn shard_bits(&mut self) -> Result<ShardBits, String> {
        Ok(ShardBits {
            bits: self.number("shard bits", 1..=15)?,
            transaction_rows: self.option("transaction_rows", 1, 1..=1_000_000)?,
        })
    }

    fn end(&mut self) -> Result<(), String> {
        match self.values.next().or_else(|| self.options.pop()) {
            Some(more) => Err(format!("{}: {more:?} is not understood there", self.text)),
            None => Ok(()),
        }
    }
}
