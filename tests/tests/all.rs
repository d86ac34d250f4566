//! The tests that cross crates, in one binary: `cargo test --package darkqi-tests --test all NAME`
//! runs those of one module.

mod add_a_game;
mod agents;
mod batch;
mod batch_modes;
mod design_duel;
mod draws;
mod duel;
mod duel_covered_designs;
mod duel_designs;
mod duel_seven_kingdoms;
mod endgame_tables;
mod facts;
mod forced_wins;
mod history;
mod inputs;
mod jieqi_facts;
mod laws;
mod pages;
mod perft;
mod playthroughs;
mod rules;
mod seventh_game;
mod small_boards;
mod symmetries;
