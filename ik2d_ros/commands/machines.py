"""``ik2d machines``: the public robots whose arms are shipped."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from ik2d_ros.arm.description import ArmDescription, load_arm
from ik2d_ros.commands.output import write_out
from ik2d_ros.parameters.content import read_text
from ik2d_ros.parameters.file import nodes_in
from ik2d_ros.parameters.shipped import find_machines

HELP = 'list the public robots whose arms are shipped'

DESCRIPTION = """
List the public robots that are shipped as parameter files. A name of the list can be used wherever
a parameter file can: `ik2d demo so101`. The head of each file says from which robot description it
was made and what was decided by hand.

For each arm: the turntable or lift that carries its plane, if any, how many joints move in that
plane, and their reach, from the first of them to the tip, without the joint limits. A robot with
several limbs has one line for each: choose one with --node.
"""

EPILOG = """
exit status:
  0  listed
  1  cannot be written; the reason is on stderr
  2  wrong usage; the reason is on stderr
"""

COLUMNS = ('name', 'node', 'before', 'joints', 'reach', 'robot')
_TITLE = re.compile(r'# (.+?)\.?\n')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d machines``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG


def run(_arguments: argparse.Namespace) -> int:
    """Print the list; see ``DESCRIPTION``.

    Raises:
        Ik2dError: a file cannot be read.
        OutputError: the list cannot be written.
    """
    rows: list[tuple[str, ...]] = [COLUMNS]
    for name, path in find_machines().items():
        rows += machine_rows(name, path)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ['  '.join(map(str.ljust, row, widths)).rstrip() for row in rows]
    write_out('\n'.join(lines) + '\n')
    return 0


def machine_rows(name: str, path: Path) -> list[tuple[str, ...]]:
    """Return one row of the list for each limb of a machine.

    Raises:
        ConfigError: the file is refused.
    """
    title = _TITLE.match(read_text(path))
    rows: list[tuple[str, ...]] = []
    for node in nodes_in(path) or ['ik2d']:
        arm = load_arm(path, node)
        rows.append(
            (
                name,
                '' if node == 'ik2d' else node,
                carrier_of(arm),
                str(len(arm.chain)),
                f'{arm.chain.reach.outer:.3g} m',
                title[1] if title else '',
            )
        )
    return rows


def carrier_of(arm: ArmDescription) -> str:
    """Return what carries the plane of an arm, in a word; empty if nothing does."""
    if arm.turntable is not None:
        return 'turntable'
    return '' if arm.lift is None else 'lift'
