//! The `darkqi` command, for tests that need it as a process: Cargo builds for them only programs of this package.

fn main() -> std::process::ExitCode {
    darkqi_selfplay::cli::main()
}
