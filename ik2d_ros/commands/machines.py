"""List the public robots whose arms are shipped.

A name of the list can stand wherever a parameter file can: `ik2d demo so101`. The head of each file
says from which robot description it was made and what was decided by hand.

For each arm, the list has the turntable or lift that carries its plane, if any, the number of
joints that move in the plane, and their reach from the first of them to the tip, without the joint
limits. A robot with several limbs has one line for each: choose one with --node.
"""

from __future__ import annotations

import argparse
import re

from ik2d_ros.commands.output import write
from ik2d_ros.parameters.file import nodes_in, read_text
from ik2d_ros.parameters.shipped import find_machines
from ik2d_ros.robot.from_urdf import load_arm

COLUMNS = ('name', 'node', 'carrier', 'joints', 'reach', 'robot')
_TITLE = re.compile(r'# (.+?)\.?\n')


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add no arguments: ``ik2d machines`` has none."""


def run(_arguments: argparse.Namespace) -> int:
    """Print the list and return the exit status."""
    rows = [COLUMNS]
    for name, path in find_machines().items():
        title = _TITLE.match(read_text(path))
        for node in nodes_in(path) or ['ik2d']:
            arm = load_arm(path, node)
            rows.append(
                (
                    name,
                    '' if node == 'ik2d' else node,
                    'turntable' if arm.turntable else 'lift' if arm.lift else '',
                    str(len(arm.chain)),
                    f'{arm.reach.outer:.3g} m',
                    title[1] if title else '',
                )
            )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    write(''.join('  '.join(map(str.ljust, row, widths)).rstrip() + '\n' for row in rows))
    return 0
