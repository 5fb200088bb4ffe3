//! The program as a user meets it.

mod btree_args;
mod cli;
mod fleet;
mod fleet_scenarios;
mod gate;
mod live;
mod real_time;
mod shards;
mod shards_check;
mod unique;
