"""``ik2d``: the process, from start to exit status; the subcommands are in `commands`.

Slow imports come late, after the Ctrl-C handler is installed: from then on Ctrl-C ends the process
silently.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # as in typing, which is slow to import itself
if TYPE_CHECKING:
    from collections.abc import Sequence

FAILED = 1
REFUSED = 2
INTERRUPTED = 128 + 2  # as a shell reports a program ended by SIGINT
BROKEN_PIPE = 128 + 13  # the same for SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``ik2d``.

    Args:
        argv: the arguments; None for those of the process, which then ends quietly on Ctrl-C.

    Returns:
        The exit status.
    """
    if argv is None:
        _end_quietly_when_interrupted()
        argv = sys.argv[1:]
    from ik2d_ros.commands.output import complain  # noqa: PLC0415

    if sys.stdout is None:
        complain('ik2d: standard output is closed')
        return FAILED
    try:
        return _run(argv)
    except BrokenPipeError:  # the reader (head, less) has exited
        return BROKEN_PIPE
    except OSError as error:
        where = '' if error.filename is None else f'{error.filename}: '
        complain(f'ik2d: {where}{error.strerror or error}')
        return FAILED
    finally:
        _drop_unwritable_output()


def _run(argv: Sequence[str]) -> int:
    import shlex  # noqa: PLC0415
    import warnings  # noqa: PLC0415

    from ik2d_ros.commands.output import complain, write  # noqa: PLC0415
    from ik2d_ros.commands.parser import build_parser, prepared  # noqa: PLC0415
    from ik2d_ros.kinematics import Ik2dError, UnitWarning  # noqa: PLC0415

    # The commands name the parameters and the file.
    warnings.simplefilter('ignore', UnitWarning)
    try:
        arguments = build_parser().parse_args(prepared(argv or ['--help']))
    except SystemExit:
        write('')  # flush the help
        raise
    arguments.line = shlex.join(['ik2d', *argv])
    try:
        return int(arguments.run(arguments))
    except Ik2dError as error:
        first, *others = getattr(error, 'lines', [error])
        for line in (f'ik2d {arguments.command}: {first}', *others):
            complain(line)
        return REFUSED


def _end_quietly_when_interrupted() -> None:
    """Let Ctrl-C end the process immediately; code that must clean up installs its own handler.

    A KeyboardInterrupt can be lost in a callback, or turned into another exception by an import.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in `ik2d ... &`
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
        if sys.platform == 'win32':
            return
        # `make demo` blocks it while Python starts, which would print a traceback.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _drop_unwritable_output() -> None:
    """Keep Python from complaining when it flushes at exit; the failure was reported already."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == '__main__':
    sys.exit(main())
