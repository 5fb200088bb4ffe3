//! Requirements as figures with bounds.

use crate::record::Measured;

/// What a figure must keep.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Bound {
    /// This or less.
    AtMost(f64),
    /// This or more.
    AtLeast(f64),
}

/// A figure that is held to a requirement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Check {
    /// The requirement, by the flag that states it; `life` is not asked for.
    pub asked: &'static str,
    /// What was measured.
    pub measured: &'static Measured,
    /// The figure.
    pub value: f64,
    /// The bound.
    pub bound: Bound,
}

impl Check {
    /// Whether the bound is kept; a figure that is no number keeps none.
    pub fn is_met(&self) -> bool {
        match self.bound {
            Bound::AtMost(most) => self.value <= most,
            Bound::AtLeast(least) => self.value >= least,
        }
    }
}

macro_rules! measured {
    ($($constant:ident $name:literal [$unit:literal] $about:literal;)*) => {
        $(#[doc = $about] pub const $constant: Measured = Measured { name: $name, unit: $unit, about: $about };)*

        /// Measures of advice, in the order of `sim list`.
        pub const ADVICE_MEASURES: &[&Measured] = &[$(&$constant),*];
    };
}

measured! {
    RANK "advice_rank" ["rank"] "place among the options that fit, from 1, near equals sharing one; no row if it does not";
    UNMET "unmet_requirements" ["requirements"] "requirements that an option does not meet";
    ID_BYTES "id_bytes" ["bytes"] "bytes of an id in its column";
    CAPACITY "capacity_ids_per_s" ["ids/s"] "ids a second that the ticks of all writers hold; no row if nothing bounds it";
    YEARS_LEFT "years_left" ["years"] "years of 365.2425 days until no tick is left, from --now (sim layout) or from 2026 (sim advise); no row without a clock";
    WORKER_NUMBERS "worker_numbers" ["numbers"] "writers that can be told apart; no row if they need no number";
    SHARED_NUMBER "shared_number_odds" ["probability"] "odds that two writers have one number if each draws its own at random";
    COLLISION "collision_odds" ["probability"] "odds that two of all rows have one id, by its random bits within a tick (birthday problem)";
    TELLING_BITS "telling_bits" ["bits"] "bits of an id that tell when, where or as the how manieth it was made";
    GUESS "guess_odds" ["probability"] "odds that one of 10⁹ guesses is the id of a row, by its random bits";
    ORDER_MS "order_resolution_ms" ["ms"] "ids minted further apart are in order: the longest time from the minting of an id to that of a smaller one";
    REFUSED_SHARE "refused_share" ["share"] "calls that got no id because of the writers' clocks";
    MEAN_WAIT "mean_wait_ms" ["ms"] "time that a call waits for its id, mean";
    INDEX_BYTES_PER_ROW "index_bytes_per_row" ["bytes/row"] "bytes of the tree of ids a row, at the number of rows asked for (scaled from a simulated load); with an id beside it, of both trees";
    READS_PER_INSERT "reads_per_insert" ["pages/insert"] "pages that an insert reads at that number of rows through the memory given (param by: simulation, scaled from a load; closed form, of random ids); with an id beside it, of both trees";
}
