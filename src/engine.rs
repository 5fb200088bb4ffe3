//! Engine profiles: how a storage engine accounts its pages in bytes.
//!
//! To add a profile: write `src/engine/<name>.rs` with one documented constant
//! and add one line to `engines!` below.

mod geometry;

pub use geometry::{Geometry, Log, Page, Pages, Split};

use crate::id::Column;
use crate::names::plural;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// An engine profile.
#[derive(Clone, Copy)]
pub struct Engine {
    /// Name on the command line.
    pub name: &'static str,
    /// One line on what it is, with its source.
    pub about: &'static str,
    /// Page size unless another is asked for.
    pub page_bytes: u32,
    /// Page sizes that it can have; empty if that is no matter of a list.
    pub page_sizes: &'static [u32],
    /// Widest key that the engine takes.
    pub max_key_bytes: u32,
    /// The kinds of index it can keep ids in; the first unless another is asked for.
    pub indexes: &'static [Index],
    /// A number that belongs to the engine's name, if it takes one.
    pub parameter: Option<Parameter>,
    /// What its trees do.
    pub model: Model,
}

/// A kind of index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Index {
    /// Name on the command line, after the engine's.
    pub name: &'static str,
    /// What it holds.
    pub about: &'static str,
}

/// A number that an engine takes on the command line, after its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// What it is called.
    pub name: &'static str,
    /// What it says.
    pub about: &'static str,
    /// Least and greatest value.
    pub range: (u32, u32),
    /// Its value unless given; `None` if the engine does without.
    pub default: Option<u32>,
}

/// What an engine's trees do.
#[derive(Clone, Copy, Debug)]
pub enum Model {
    /// Entries of one width, pages that divide at a number of entries.
    Pages(Pages),
    /// The same, but neighbours are filled before they divide.
    BStar(Pages),
    /// InnoDB's: pages that divide where the last insert went.
    InnoDb,
    /// SQLite's: pages that share their cells with siblings.
    Sqlite,
    /// LMDB's: pages that divide by where the new entry falls on them.
    Lmdb,
    /// redb's: pages that divide by where the new entry falls in the tree.
    Redb,
    /// WiredTiger's: pages that are made when memory is written.
    WiredTiger,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

macro_rules! engines {
    ($($module:ident :: $constant:ident),* $(,)?) => {
        $(mod $module; pub use $module::$constant;)*

        /// Every engine profile, in the order of `sim list`.
        pub const ENGINES: &[&Engine] = &[$(&$constant),*];
    };
}

engines! {
    postgres::POSTGRES,
    innodb::INNODB,
    sqlite::SQLITE,
    lmdb::LMDB,
    redb::REDB,
    wiredtiger::WIREDTIGER,
    oracle_like::ORACLE_LIKE,
    sql_server_like::SQL_SERVER_LIKE,
    textbook::TEXTBOOK,
    b_star::B_STAR,
}

/// An engine and one of its kinds of index: `postgres`, `innodb:secondary`, `textbook:4`.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// The engine.
    pub engine: &'static Engine,
    /// The kind of index.
    pub index: &'static Index,
    /// The engine's number, if it takes one.
    pub parameter: Option<u32>,
}

impl From<&'static Engine> for Profile {
    fn from(engine: &'static Engine) -> Self {
        Self {
            engine,
            index: &engine.indexes[0],
            parameter: engine.parameter.and_then(|parameter| parameter.default),
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.engine.name)?;
        if *self.index != self.engine.indexes[0] {
            write!(f, ":{}", self.index.name)?;
        }
        match self.parameter {
            Some(number) => write!(f, ":{number}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Profile {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Self, EngineError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let known = ENGINES.iter().copied().find(|engine| engine.name == name);
        let engine = known.ok_or_else(|| {
            let hint = crate::names::nearest(name, ENGINES.iter().map(|engine| engine.name));
            EngineError::name(format!("unknown engine {name:?}{hint}"))
        })?;
        let mut profile = Self::from(engine);
        for part in parts {
            match (part.parse::<u32>(), engine.parameter) {
                (Ok(number), Some(Parameter { name, range, .. })) => {
                    if !(range.0..=range.1).contains(&number) {
                        let message = format!(
                            "{}: {name} = {number} is not valid, expected {} to {}",
                            engine.name, range.0, range.1
                        );
                        return Err(EngineError::name(message));
                    }
                    profile.parameter = Some(number);
                }
                _ => profile.index = engine.index(part)?,
            }
        }
        Ok(profile)
    }
}

impl Engine {
    /// The kind of index called `name`.
    fn index(&self, name: &str) -> Result<&'static Index, EngineError> {
        let known = self.indexes.iter().find(|index| index.name == name);
        known.ok_or_else(|| {
            let mut expected: Vec<_> = self.indexes.iter().map(|index| index.name).collect();
            let number = self.parameter.map(|parameter| parameter.about);
            expected.extend(number);
            let message = format!(
                "{} has no index kind {name:?}, expected {}",
                self.name,
                expected.join(" or ")
            );
            EngineError::name(message)
        })
    }
}

impl Engine {
    /// Refuses a page size that the engine cannot have.
    ///
    /// # Errors
    /// One that is not of its list, if it has one.
    pub fn check_page(&self, page_bytes: u32) -> Result<(), EngineError> {
        if self.page_sizes.is_empty() || self.page_sizes.contains(&page_bytes) {
            return Ok(());
        }
        let sizes: Vec<_> = self.page_sizes.iter().map(u32::to_string).collect();
        let message = format!(
            "{}: a page of {} is not valid, expected {}{}",
            self.name,
            plural(page_bytes, "byte"),
            if sizes.len() > 1 { "one of " } else { "" },
            sizes.join(", ")
        );
        Err(EngineError::new("page_bytes", message))
    }
}

/// What may be changed in a profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EngineOptions {
    /// Page size.
    pub page_bytes: Option<u32>,
    /// Leaf fill factor in percent.
    pub fill_factor_percent: Option<u32>,
    /// Bytes of the row beside its key.
    pub payload_bytes: u32,
}

impl EngineOptions {
    /// The option to blame if entries of ids in `column` do not fit a page.
    pub(crate) fn to_blame(self, column: Column) -> &'static str {
        match self.page_bytes {
            Some(_) => "page_bytes",
            None if self.payload_bytes > column.value_bytes() => "payload_bytes",
            None => "key_bytes",
        }
    }
}

/// A profile or its options cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct EngineError {
    /// The option that is to blame, as [`EngineOptions`] calls it; none if it is the name.
    pub option: Option<&'static str>,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl EngineError {
    /// `option` is to blame.
    pub fn new(option: &'static str, message: String) -> Self {
        Self {
            option: Some(option),
            message,
        }
    }

    /// The name is to blame.
    pub fn name(message: String) -> Self {
        Self {
            option: None,
            message,
        }
    }
}

impl Profile {
    /// Refuses a column that the engine cannot index.
    ///
    /// # Errors
    /// A key too wide.
    pub fn check(&self, column: Column) -> Result<(), EngineError> {
        let (given, most) = (column.value_bytes(), self.engine.max_key_bytes);
        if given > most {
            let name = self.engine.name;
            let given = plural(given, "byte");
            let message = format!("{name}: a key of {given} is too wide, at most {most} fit");
            return Err(EngineError::new("key_bytes", message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_read_and_written() {
        for text in [
            "postgres",
            "innodb",
            "innodb:secondary",
            "textbook",
            "textbook:4",
        ] {
            assert_eq!(text.parse::<Profile>().unwrap().to_string(), text);
        }
        assert_eq!(
            "innodb:clustered".parse::<Profile>().unwrap().to_string(),
            "innodb"
        );
        for (text, part) in [
            ("postgres:clustered", "has no index kind \"clustered\""),
            ("postgre", "did you mean \"postgres\""),
            ("textbook:1", "expected 2 to"),
            ("innodb:", "has no index kind"),
        ] {
            let message = text.parse::<Profile>().unwrap_err().message;
            assert!(message.contains(part), "{message}");
        }
    }
}
