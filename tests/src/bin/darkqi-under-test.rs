//! The `darkqi` command, for tests that run it as a process. Cargo builds only the programs of this
//! package for them.

fn main() -> std::process::ExitCode {
    darkqi_cli::main(std::env::args_os()).into()
}
