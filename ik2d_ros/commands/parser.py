"""The command line of ``ik2d``; each subcommand is a module, registered here in ``COMMANDS``.

Such a module has ``add_arguments(parser)`` and ``run(arguments)``. ``run`` prints, returns the exit
status, and raises ``Ik2dError`` if its input is refused and ``OSError`` if its output cannot be
written. The module's docstring is its help: a line, a description, and examples.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import NoReturn

from ik2d_ros import __version__
from ik2d_ros.commands import (
    calibrate,
    check,
    demo,
    import_urdf,
    machines,
    path,
    plot,
    solve,
    urdf,
    view,
)
from ik2d_ros.commands.output import complain
from ik2d_ros.kinematics.kernel import kernel_name
from ik2d_ros.parameters.checks import number_in

COMMANDS: dict[str, ModuleType] = {
    'solve': solve,
    'path': path,
    'plot': plot,
    'urdf': urdf,
    'import-urdf': import_urdf,
    'check': check,
    'calibrate': calibrate,
    'machines': machines,
    'view': view,
    'demo': demo,
}

EPILOG = """\
exit status:
  0  done
  1  failed, or as said above; the reason is printed
  2  wrong usage or invalid input; the reason is on stderr

"""

REFUSED = 2


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line that points to the help."""

    def error(self, message: str) -> NoReturn:
        """Print the reason on stderr and exit with status 2."""
        complain(f'{self.prog}: {message} (see {self.prog} --help)')
        sys.exit(REFUSED)


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of ``ik2d`` and all its subcommands."""
    parser = Parser(prog='ik2d', description='Inverse kinematics of planar arms.')
    version = f'ik2d_ros {__version__}, solver: {kernel_name()}'
    parser.add_argument('--version', action='version', version=version)
    subparsers = parser.add_subparsers(dest='command', metavar='COMMAND', required=True)
    for name, module in COMMANDS.items():
        line, _, rest = (module.__doc__ or '').partition('\n\n')
        description, examples, commands = rest.partition('Examples:\n')
        added = subparsers.add_parser(
            name,
            help=line[:1].lower() + line[1:].rstrip('.'),
            description=description,
            epilog=EPILOG + examples + commands,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.set_defaults(run=module.run)
        module.add_arguments(added)
    return parser


def prepared(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of a command line in a form that argparse takes.

    Arguments of xacro files, ``NAME:=VALUE``, may stand anywhere, which argparse cannot tell. It
    takes negative numbers such as ``-1e-3``, ``-inf`` or ``-90deg`` for options; a leading space,
    which is ignored, marks them as values.
    """

    def marked(text: str) -> str:
        if re.match(r'\w+:=', text):
            return f'--arg={text}'
        numbers = (number_in(part.strip(), ('deg',)) for part in text.split(','))
        return f' {text}' if text.startswith('-') and None not in numbers else text

    return [*map(marked, arguments)]
