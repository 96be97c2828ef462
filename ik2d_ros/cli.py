"""``ik2d``: the process, from its first moment to its exit status; what it says is in `commands`.

What takes a while to import is imported late, after Ctrl-C is taken care of: from then on it ends
the process without a word.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys

TYPE_CHECKING = False  # as in typing, which takes a while itself
if TYPE_CHECKING:
    from collections.abc import Sequence

FAILED = 1
REFUSED = 2
INTERRUPTED = 128 + 2  # as a shell reports a program that SIGINT ended
BROKEN_PIPE = 128 + 13  # the same for SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``ik2d``.

    Args:
        argv: the arguments; None: those of the process, which is then made ready first.

    Returns:
        The exit status.
    """
    if argv is None:
        _end_quietly_when_interrupted()
        _open_what_is_closed()
        argv = sys.argv[1:]
    try:
        return _run(argv)
    except BrokenPipeError:  # The reader (head, less) has left.
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        _drop_what_cannot_be_written()


def _run(argv: Sequence[str]) -> int:
    from ik2d_ros.commands.output import OutputError, complain, write_out  # noqa: PLC0415
    from ik2d_ros.commands.parser import build_parser, run, shield_negative_numbers  # noqa: PLC0415
    from ik2d_ros.kinematics import Ik2dError  # noqa: PLC0415

    command = 'ik2d'
    try:
        try:
            arguments = build_parser().parse_args(shield_negative_numbers(argv))
        except SystemExit:
            write_out('')  # the help may be waiting
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
    """Let Ctrl-C end the process on the spot; whatever must not end so sees to that itself.

    An exception out of nowhere is lost in a callback, or turned into another one by an import.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as a shell has it for `ik2d ... &`
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))


def _open_what_is_closed() -> None:
    """Make standard streams that fail, or say nothing, where the process was started without.

    A file that is opened later would otherwise take the place of one, and get what is meant for it.
    """
    while (number := os.open(os.devnull, os.O_RDONLY)) < 3:  # takes the lowest that is free
        pass
    os.close(number)
    if sys.stdout is None:
        # Writing to what is open for reading fails, as it should.
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), 'w', encoding='utf-8')  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, 'w', encoding='utf-8')  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # No name is worth failing for because a terminal cannot show it.
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors='backslashreplace')  # type: ignore[union-attr]


def _drop_what_cannot_be_written() -> None:
    """Keep Python from complaining when it flushes at exit; what failed was told already."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
            continue
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == '__main__':
    sys.exit(main())
