//! Times of the parts of a step, with checks that each does its work:
//! `cargo bench -p darkqi-env -- moves`, or `steps`, `rows`.

mod moves;
mod positions;
mod rows;
mod steps;

fn main() {
    divan::main();
}
