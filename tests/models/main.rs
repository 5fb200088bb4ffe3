//! The library against closed forms, recorded engines and plain models. One binary: trees
//! of every key are generated and optimised once for all of it.

mod contract;
mod fleet_check;
mod fleet_theory;
mod innodb;
mod innodb_pool;
mod innodb_purge;
mod layers;
mod postgres_pool;
mod purge;
mod read_fuzz;
mod reader_theory;
mod settings;
mod sqlite_purge;
mod theory;
