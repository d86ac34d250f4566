//! The `darkqi` command.

fn main() -> std::process::ExitCode {
    darkqi_cli::main(std::env::args_os()).into()
}
