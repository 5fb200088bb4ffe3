//! Strides: each writer has a counter of its own, all with the same step and each with
//! another offset, so that no two issue the same number.
//!
//! - Layout: sign 1 (always 0), counter 63; id = `offset` + writer + k × `step`.
//! - Ids per tick: unbounded, there is no tick, and no visit to anybody.
//! - Lifetime: (2⁶³ − 1) / `step` ids a writer, then [`Stall::OutOfRange`]; no epoch.
//! - Rollback: none, no clock is read. Counters survive a restart. Ids ascend within a writer
//!   only: a slow writer's are ever further behind the others'.
//! - Writers: as many as the step is long, for ever. One more is refused, unless `wrap=yes`
//!   gives it the offset of another, and with it the other's numbers: what happens where
//!   nothing but a configuration file keeps offsets apart.
//! - Source: `auto_increment_increment` and `auto_increment_offset` of MySQL servers that
//!   replicate each other; sequences with `INCREMENT BY`.

use super::auto_increment::LAST;
use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::Number;
use rand::Rng;

/// Counters with a common step.
#[derive(Clone, Debug)]
pub struct Stride {
    step: u64,
    offset: u64,
    wrap: bool,
    /// Each writer's next id.
    next: Vec<u64>,
}

impl Listed for Stride {
    const NAME: &'static str = "stride";
    const ABOUT: &'static str = "a counter a writer, common step, 64 bits (MySQL increment and offset)";
    const PARAMS: &'static [Param] = &[
        Param {
            name: "step",
            default: "16",
            about: "between two ids of a writer, and the most writers, 1 to 1000000",
        },
        Param {
            name: "offset",
            default: "1",
            about: "first id of the first writer, 1 to 1000000",
        },
        Param {
            name: "wrap",
            default: "no",
            about: "yes: writers beyond the step repeat the ids of others; no: they are refused",
        },
    ];

    fn new(params: &Params) -> Result<Self, SpecError> {
        Ok(Self {
            step: params.number("step", 1..=1_000_000)?,
            offset: params.number("offset", 1..=1_000_000)?,
            wrap: params.choice("wrap", &[("no", false), ("yes", true)])?,
            next: Vec::new(),
        })
    }
}

impl Scheme for Stride {
    type Id = Number;
    /// Its number.
    type Writer = usize;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        vec![
            Field::new("sign", 1, FieldKind::Fixed),
            Field::new("counter", 63, FieldKind::Counter),
        ]
    }

    fn limits(&self) -> Limits {
        Limits {
            writers: (!self.wrap).then_some(self.step),
            ..Limits::default()
        }
    }

    fn writer(&mut self, number: u32) -> Result<usize, WriterError> {
        if !self.wrap && u64::from(number) >= self.step {
            return Err(WriterError {
                scheme: Self::NAME,
                number,
                max: self.step - 1,
            });
        }
        for new in self.next.len() as u64..=number.into() {
            self.next.push(self.offset + new % self.step);
        }
        Ok(number as usize)
    }

    #[inline]
    fn mint(
        &mut self,
        &mut writer: &mut usize,
        _: &impl Clock,
        _: &mut impl Rng,
    ) -> Result<Number, Stall> {
        let next = &mut self.next[writer];
        if *next > LAST {
            return Err(Stall::OutOfRange);
        }
        let id = *next;
        *next += self.step;
        Ok(Number(id))
    }

    fn timestamp(&self, _: Number) -> Option<Timestamp> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    fn scheme(spec: &str) -> Stride {
        let spec = spec.parse().unwrap();
        Stride::new(&Params::new(&spec, Stride::PARAMS).unwrap()).unwrap()
    }

    fn ids(scheme: &mut Stride, writer: u32, count: usize) -> Vec<u64> {
        let mut writer = scheme.writer(writer).unwrap();
        let mut random = stream(1, "test", 0);
        let mut mint = || scheme.mint(&mut writer, &Timestamp(0), &mut random);
        std::iter::repeat_with(|| mint().unwrap().0).take(count).collect()
    }

    #[test]
    fn writers_step_beside_each_other_and_go_on_after_a_restart() {
        let mut scheme = scheme("stride:step=4:offset=10");
        assert_eq!(ids(&mut scheme, 0, 3), [10, 14, 18]);
        assert_eq!(ids(&mut scheme, 3, 2), [13, 17]);
        assert_eq!(ids(&mut scheme, 0, 2), [22, 26]);
    }

    #[test]
    fn one_writer_too_many_is_refused_or_repeats_the_first() {
        let error = scheme("stride").writer(16).unwrap_err();
        assert_eq!((error.number, error.max), (16, 15));
        let mut wrapped = scheme("stride:wrap=yes");
        let first = ids(&mut wrapped, 0, 5);
        assert_eq!(ids(&mut wrapped, 16, 5), first);
        assert_eq!(ids(&mut wrapped, 1, 2), [2, 18]);
    }

    #[test]
    fn a_counter_ends_with_the_signed_range() {
        let mut scheme = scheme("stride:step=1000");
        let mut writer = scheme.writer(6).unwrap();
        scheme.next[6] = LAST;
        let mut mint = || scheme.mint(&mut writer, &Timestamp(0), &mut stream(1, "test", 0));
        assert_eq!(mint(), Ok(Number(LAST)));
        assert_eq!(mint(), Err(Stall::OutOfRange));
    }
}
