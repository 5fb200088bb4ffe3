//! Scheme names with parameters: `uuid_v7:tail=counter`.

use super::Rollback;
use super::preset::{Preset, preset};
use crate::names::nearest;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A parameter that a scheme accepts.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// The value it has when not given.
    pub default: &'static str,
    /// What it is and which values it takes.
    pub about: &'static str,
}

/// A scheme's name and the parameters given with it: `name[:key=value]*`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// The scheme's name.
    pub name: String,
    /// Parameters as written.
    pub params: Vec<(String, String)>,
}

/// Why a scheme's name or a parameter is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct SpecError(pub String);

impl SpecError {
    pub(super) fn unknown_scheme<'a>(
        name: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        Self(format!("unknown scheme {name:?}{}", nearest(name, known)))
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default().trim().to_owned();
        if name.is_empty() {
            return Err(SpecError(format!("scheme {text:?} has no name")));
        }
        let params = parts
            .map(|part| match part.split_once('=') {
                Some((key, value)) if !key.is_empty() && !value.is_empty() => {
                    Ok((key.to_owned(), value.to_owned()))
                }
                _ => Err(SpecError(format!(
                    "{name}: expected key=value, found {part:?}"
                ))),
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { name, params })
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.params
            .iter()
            .try_for_each(|(key, value)| write!(f, ":{key}={value}"))
    }
}

/// A scheme's parameters with its defaults filled in, or its preset's.
#[derive(Debug)]
pub struct Params<'a> {
    spec: &'a Spec,
    known: &'static [Param],
    preset: Option<&'static Preset>,
}

impl<'a> Params<'a> {
    /// The parameters of `spec`.
    ///
    /// # Errors
    /// A parameter that is not among `known`, or that is given twice.
    pub fn new(spec: &'a Spec, known: &'static [Param]) -> Result<Self, SpecError> {
        for (i, (key, _)) in spec.params.iter().enumerate() {
            if !known.iter().any(|param| param.name == key) {
                let hint = match known {
                    [] => " (it takes none)".to_owned(),
                    _ => nearest(key, known.iter().map(|param| param.name)),
                };
                return Err(SpecError(format!(
                    "{}: unknown parameter {key:?}{hint}",
                    spec.name
                )));
            }
            if spec.params[..i].iter().any(|(earlier, _)| earlier == key) {
                return Err(SpecError(format!(
                    "{}: parameter {key:?} is given twice",
                    spec.name
                )));
            }
        }
        let preset = preset(&spec.name);
        Ok(Self {
            spec,
            known,
            preset,
        })
    }

    /// The name that the scheme was asked for by.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// Whether the user gave parameter `name`.
    pub fn is_given(&self, name: &str) -> bool {
        self.spec.params.iter().any(|(key, _)| key == name)
    }

    /// The text of parameter `name`.
    ///
    /// # Panics
    /// If the scheme does not list `name` among its parameters.
    pub fn text(&self, name: &str) -> &str {
        let given = self.spec.params.iter().find(|(key, _)| key == name);
        let of_preset = || {
            let params = self.preset?.params;
            let found = params.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| *value)
        };
        let default = || {
            self.known
                .iter()
                .find(|param| param.name == name)
                .map(|param| param.default)
        };
        given
            .map(|(_, value)| value.as_str())
            .or_else(of_preset)
            .or_else(default)
            .expect("a listed parameter")
    }

    /// What writers do when their clocks go back, unless told otherwise.
    pub fn rollback(&self) -> Rollback {
        self.preset
            .map_or_else(Rollback::default, |preset| preset.rollback)
    }

    /// The whole number in parameter `name`, which must lie in `range`.
    ///
    /// # Errors
    /// Not a number, or outside the range.
    pub fn number(
        &self,
        name: &str,
        range: std::ops::RangeInclusive<u64>,
    ) -> Result<u64, SpecError> {
        let text = self.text(name);
        match text.replace('_', "").parse::<u64>() {
            Ok(value) if range.contains(&value) => Ok(value),
            _ => Err(self.refuse(
                name,
                &format!("a whole number from {} to {}", range.start(), range.end()),
            )),
        }
    }

    /// The one of `choices` that parameter `name` names.
    ///
    /// # Errors
    /// None of them.
    pub fn choice<T: Copy>(
        &self,
        name: &str,
        choices: &[(&'static str, T)],
    ) -> Result<T, SpecError> {
        let text = self.text(name);
        match choices.iter().find(|(choice, _)| *choice == text) {
            Some((_, value)) => Ok(*value),
            None => {
                let known: Vec<_> = choices.iter().map(|(choice, _)| *choice).collect();
                Err(self.refuse(name, &format!("one of {}", known.join(", "))))
            }
        }
    }

    /// An error that names the parameter, its value and what was expected.
    pub fn refuse(&self, name: &str, expected: &str) -> SpecError {
        SpecError(format!(
            "{}: {name}={} is not valid, expected {expected}",
            self.spec.name,
            self.text(name)
        ))
    }
}
