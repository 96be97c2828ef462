"""``ik2d``: the process, from start to exit status; the subcommands are in `commands`.

Slow imports come late, after the Ctrl-C handler is installed: from then on Ctrl-C ends the process
silently.
"""

from __future__ import annotations

import contextlib
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
        argv: the arguments; None for those of the process, which is then prepared first.

    Returns:
        The exit status.
    """
    if argv is None:
        _end_quietly_when_interrupted()
        _open_closed_streams()
        argv = sys.argv[1:]
    try:
        return _run(argv)
    except BrokenPipeError:  # the reader (head, less) has exited
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        _drop_unwritable_output()


def _run(argv: Sequence[str]) -> int:
    import shlex  # noqa: PLC0415

    from ik2d_ros.commands.output import OutputError, complain, write_out  # noqa: PLC0415
    from ik2d_ros.commands.parser import build_parser, prepared, run  # noqa: PLC0415
    from ik2d_ros.kinematics import Ik2dError  # noqa: PLC0415

    command = 'ik2d'
    try:
        try:
            arguments = build_parser().parse_args(prepared(argv))
            arguments.line = shlex.join(['ik2d', *argv])
        except SystemExit:
            write_out('')  # flush the help
            raise
        command = f'ik2d {arguments.command}'
        status = run(arguments)
        write_out('')
    except Ik2dError as error:
        complain(f'{command}: {error}')
        return REFUSED
    except OutputError as error:
        complain(f'{command}: {error}')
        return FAILED
    except BrokenPipeError:
        raise
    except OSError as error:
        what = '' if error.filename is None else f'{error.filename}: '
        complain(f'{command}: {what}{error.strerror or error}')
        return FAILED
    return status


def _end_quietly_when_interrupted() -> None:
    """Let Ctrl-C end the process immediately; code that must clean up installs its own handler.

    A KeyboardInterrupt can be lost in a callback, or turned into another exception by an import.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in `ik2d ... &`
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
        # `make demo` blocks it while Python starts, which would print a traceback.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _open_closed_streams() -> None:
    """Replace missing standard streams: stdout by one that fails, stderr by /dev/null.

    Otherwise the next file opened would take the descriptor of one, and receive its output.
    """
    while (number := os.open(os.devnull, os.O_RDONLY)) < 3:  # takes the lowest free one
        pass
    os.close(number)
    if sys.stdout is None:
        # Writing to a file that is open for reading fails, as it should.
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), 'w', encoding='utf-8')  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, 'w', encoding='utf-8')  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # Do not fail because the terminal cannot show a name.
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors='backslashreplace')  # type: ignore[union-attr]


def _drop_unwritable_output() -> None:
    """Keep Python from complaining when it flushes at exit; the failure was reported already."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
            continue
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == '__main__':
    sys.exit(main())
