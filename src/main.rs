//! Arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(diag::command::main(std::env::args_os()).code())
}
