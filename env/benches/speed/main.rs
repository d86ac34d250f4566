//! Times of the parts of a step, with checks that each does its work:
//! `cargo bench -p darkqi-env -- perft`, or `moves`, `steps`, `rows`.

mod moves;
mod perft;
mod positions;
mod rows;
mod steps;

fn main() {
    divan::main();
}
