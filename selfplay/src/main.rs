//! The `darkqi` command.

fn main() -> std::process::ExitCode {
    darkqi_selfplay::cli::main()
}
