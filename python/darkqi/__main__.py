"""The command line: ``darkqi`` and ``python -m darkqi``."""

import os
import signal
import sys

from darkqi._darkqi import command_line
from darkqi.onnx import library


def main() -> int:
    """Runs the command line of this process.

    Returns:
        The exit code: 0, 1 after a failure, 2 for a faulty command line, 130 after Ctrl-C and 143
        after SIGTERM.
    """
    # Native code does not return to Python's handler. Commands with work to keep set their own.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if "ORT_DYLIB_PATH" not in os.environ and (path := library()) is not None:
        os.environ["ORT_DYLIB_PATH"] = str(path)
    return command_line(["darkqi", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
