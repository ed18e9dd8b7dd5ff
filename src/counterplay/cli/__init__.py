"""The command line: one module for each command.

Results go to stdout, notes and progress to stderr. An error that the user can fix is one sentence and exit code 2, never
a traceback. Modules are imported when a command needs them, so `counterplay --help` answers immediately.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

MENDABLE, INTERRUPTED, BROKEN_PIPE, BUG = 2, 130, 141, 1
"""Exit codes."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    try:
        return answered(arguments)
    except KeyboardInterrupt:  # while the command line itself was imported
        return INTERRUPTED


def run() -> NoReturn:
    """The program: run the requested command, and exit with its exit code."""
    try:
        from counterplay.cli import interrupts

        interrupts.handle()
        code = main()
    except KeyboardInterrupt:
        code = INTERRUPTED
    if "ray" in sys.modules:  # the libraries that it loads end a process with 0, whatever its exit code
        import atexit

        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def answered(arguments: Sequence[str] | None) -> int:
    """The exit code of a command; if it fails, prints a sentence."""
    import typer

    from counterplay.cli.app import USAGE, app, usage_sentence
    from counterplay.core.errors import CounterplayError

    prepare_streams()
    try:
        command = typer.main.get_command(app)
        code = command.main(args=arguments, prog_name="counterplay", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except CounterplayError as wrong:
        return complain(str(wrong))
    except USAGE as wrong:
        return complain(usage_sentence(wrong))
    except (KeyboardInterrupt, typer.Abort):
        if sys.stderr.isatty():
            sys.stderr.write("\n")
        return INTERRUPTED
    except (Exception, SystemExit) as wrong:  # a rule may even try to exit
        if isinstance(wrong, BrokenPipeError) or isinstance(wrong.__context__, BrokenPipeError):
            return fall_silent()
        if is_interrupt(wrong):
            return INTERRUPTED
        return crash(wrong)


def is_interrupt(wrong: BaseException) -> bool:
    """Whether Ctrl-C caused an exception: if it interrupts an import, another exception can hide it."""
    behind = wrong.__cause__ or wrong.__context__
    return isinstance(wrong, KeyboardInterrupt) or (behind is not None and is_interrupt(behind))


def prepare_streams() -> None:
    """Make streams safe: a closed one reads and writes nothing, a character it cannot encode is shown as ?."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 (open as long as the program runs)
        elif mode == "w" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def fall_silent() -> int:
    """The output pipe is closed (Click turns that into a SystemExit); the interpreter must not flush to it at exit
    either."""
    for stream in (sys.stdout, sys.stderr):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return BROKEN_PIPE


def complain(sentence: str, code: int = MENDABLE) -> int:
    """Print the error."""
    sys.stderr.write(f"error: {sentence}\n")
    return code


def crash(wrong: BaseException) -> int:
    """Print what raised: the user's own game, with its line, or this package."""
    from counterplay.cli.arguments import blame
    from counterplay.core.registry import describe

    if os.environ.get("COUNTERPLAY_TRACEBACK"):
        import traceback

        traceback.print_exception(wrong)
    sentence = blame(wrong)
    if sentence:
        return complain(sentence)
    if isinstance(wrong, MemoryError):
        return complain("there is not enough memory for this; ask for less, such as a smaller table or fewer threads")
    if isinstance(wrong, OSError):
        return complain(f"the operating system refused: {(wrong.strerror or str(wrong)).lower()}")
    return complain(
        f"an internal error in Counterplay: {describe(wrong)} (COUNTERPLAY_TRACEBACK=1 shows where; please report it)",
        BUG,
    )
