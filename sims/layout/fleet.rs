//! Whether a fleet's generators fit inside its services, each with a worker number of its own.

use super::table::{length, number, probability, real};
use super::{Question, count};
use crate::report::{plural, whole};
use idlab::layout::Workers;
use idlab::measure::Rows;
use idlab::record::{Measured, Number};
use std::fmt::Write;

pub const WORKERS: Measured = Measured {
    name: "workers",
    unit: "workers",
    about: "services times replicas, each with a generator inside",
};

pub const LEASES: Measured = Measured {
    name: "worker_leases",
    unit: "numbers",
    about: "worker numbers that are leased at once while a deploy starts the new before it stops the old",
};

pub const PER_NUMBER: Measured = Measured {
    name: "workers_per_number",
    unit: "workers",
    about: "workers that must share a generator: 1 if each finds a number of its own",
};

pub const CLASH: Measured = Measured {
    name: "number_clash",
    unit: "probability",
    about: "that some two workers have the same number, each chosen at random",
};

pub const CLASH_IN_A_YEAR: Measured = Measured {
    name: "number_clash_in_a_year",
    unit: "probability",
    about: "the same within a year in which all choose anew at each deploy",
};

pub const NEW_NUMBERS: Measured = Measured {
    name: "years_of_new_numbers",
    unit: "years",
    about: "until all worker numbers are used up if each start of a worker takes a new one",
};

/// Adds the rows of a fleet; returns them in words.
pub fn write(question: &Question, workers: Workers, rows: &mut Rows) -> String {
    let Workers { services, replicas } = workers;
    let fleet = format!(
        "\nFleet: {} of {} each, {}.\n",
        plural(services, "service"),
        plural(replicas, "replica"),
        plural(services * replicas, "worker")
    );
    rows.total(&WORKERS, count(workers.count()));
    let Some(nodes) = question.budget.nodes else {
        return fleet + "Its generators need no numbers: each replica has one inside.\n";
    };
    let per_number = workers.per_number(nodes);
    let clash = workers.clash(nodes);
    rows.total(&LEASES, count(workers.leases()));
    rows.total(&PER_NUMBER, count(per_number));
    rows.total(&CLASH, Number::Real(clash));
    let fits = |numbers: u128| {
        let bits = Workers::bits(numbers);
        let (need, have) = (number(numbers), number(nodes));
        match numbers <= nodes {
            true => format!("fits: {need} of {have}"),
            false => format!("does not fit: {need} of {have}, takes {bits} node bits"),
        }
    };
    let mut lines = vec![
        (
            "configured, one for each replica's place".to_owned(),
            fits(workers.count()),
        ),
        (
            "leased, old and new side by side in a deploy".to_owned(),
            fits(workers.leases()),
        ),
        (
            "chosen at random once".to_owned(),
            format!("some two equal with probability {}", probability(clash)),
        ),
    ];
    if let Some(deploys) = question.deploys_per_day {
        let a_day = deploys as f64;
        let in_a_year = workers.clash_in_a_year(nodes, a_day);
        let new = workers.years_of_new_numbers(nodes, a_day);
        rows.total(&CLASH_IN_A_YEAR, Number::Real(in_a_year));
        rows.total(&NEW_NUMBERS, Number::Real(new));
        lines.push((
            "chosen at random at each deploy".to_owned(),
            format!(
                "some two equal within a year with probability {}",
                probability(in_a_year)
            ),
        ));
        lines.push((
            "a new one at each start, never used again".to_owned(),
            format!("used up in {}", length(new)),
        ));
    }
    let mut text = fleet + "Worker numbers\n";
    for (how, what) in lines {
        let _ = writeln!(text, "  {how:<46}{what}");
    }
    text += &match (workers.count() <= nodes, workers.leases() <= nodes) {
        (true, true) => "Embedded fits: a generator in each replica, its number leased or configured.\n".to_owned(),
        (true, false) => "Embedded fits with configured numbers; leases want another bit, or deploys that stop the old first.\n".to_owned(),
        (false, _) => format!(
            "Embedded does not fit: a sidecar or a centre, one generator for {} workers or more.\n",
            number(per_number)
        ),
    };
    text + &load(question, workers.count().min(nodes))
}

/// Whether `generators` are fast enough for the rate.
fn load(question: &Question, generators: u128) -> String {
    let (Some(rate), Some(most)) = (question.rate, question.budget.ids_per_second()) else {
        return String::new();
    };
    let each = rate as f64 / generators as f64;
    let words = if each <= most { "holds" } else { "holds only" };
    let of = if generators == 1 {
        "the generator"
    } else {
        "each generator"
    };
    format!(
        "At {} ids/s {of} is asked for {}; it {words} {}.\n",
        whole(rate as f64),
        real(each),
        real(most)
    )
}
