"""``ik2d``: the command line; each subcommand lives in a module of its own and is only wired here.

Such a module has ``HELP`` (one line), ``add_arguments(parser)`` and ``run(arguments)``, which
prints, gives the exit status, and raises ``Ik2dError`` where what it was given is refused.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from types import MappingProxyType, ModuleType
from typing import NoReturn

from ik2d_ros import __version__
from ik2d_ros.commands import demo, plot, solve, urdf
from ik2d_ros.kinematics import Ik2dError

COMMANDS: MappingProxyType[str, ModuleType] = MappingProxyType(
    {'solve': solve, 'plot': plot, 'urdf': urdf, 'demo': demo}
)

REFUSED = 2
INTERRUPTED = 128 + 2  # as a shell reports a program that SIGINT ended
BROKEN_PIPE = 128 + 13  # the same for SIGPIPE


class Parser(argparse.ArgumentParser):
    """Argparse, but a refusal is one line that leads to the help instead of a page of usage."""

    def error(self, message: str) -> NoReturn:
        """Print the reason on stderr and exit with status 2."""
        self.exit(REFUSED, f'{self.prog}: {message} (see {self.prog} --help)\n')


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``ik2d`` with the given arguments, or those of the process; gives the exit status."""
    arguments = build_parser().parse_args(
        shield_negative_numbers(sys.argv[1:] if argv is None else argv)
    )
    try:
        status: int = COMMANDS[arguments.command].run(arguments)
        sys.stdout.flush()
    except Ik2dError as error:
        print(f'ik2d {arguments.command}: {error}', file=sys.stderr)
        return REFUSED
    except BrokenPipeError:
        # The reader (head, less) has left. Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def build_parser() -> argparse.ArgumentParser:
    """The parser of ``ik2d`` and all its subcommands."""
    parser = Parser(prog='ik2d', description='Inverse kinematics of planar arms.')
    parser.add_argument('--version', action='version', version=f'ik2d_ros {__version__}')
    subparsers = parser.add_subparsers(dest='command', metavar='COMMAND', required=True)
    for name, module in COMMANDS.items():
        module.add_arguments(
            subparsers.add_parser(
                name, help=module.HELP, formatter_class=argparse.RawDescriptionHelpFormatter
            )
        )
    return parser


def shield_negative_numbers(arguments: Sequence[str]) -> list[str]:
    """Keep argparse from taking negative numbers such as ``-1e-3`` or ``-inf`` for options.

    It knows only plain ones; a leading blank marks any other as a value, and float() ignores it.
    """
    return [f' {text}' if text.startswith('-') and is_number(text) else text for text in arguments]


def is_number(text: str) -> bool:
    """Tell whether a text reads as a floating-point number, finite or not."""
    try:
        float(text)
    except ValueError:
        return False
    return True


if __name__ == '__main__':
    sys.exit(main())
