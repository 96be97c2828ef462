"""``ik2d urdf``: an arm as a robot description."""

from __future__ import annotations

import argparse
from pathlib import Path

from ik2d_ros.arm.description import load_arm
from ik2d_ros.arm.urdf import urdf_of
from ik2d_ros.commands.arguments import add_config
from ik2d_ros.commands.output import write_document
from ik2d_ros.parameters.shipped import find_config

HELP = 'write the arm as a URDF, for robot_state_publisher and RViz'

DESCRIPTION = """
Write the arm of a parameter file as a URDF: its base pose, joints, limits, and simple visuals.

The joints keep their names from the parameter file. The links are <joint>_link, and `tip` at the
end. Two arms in one TF tree need a prefix each. The node then needs the same prefix for its base
frame: ik2d.launch.py frame_prefix:=left/
"""

EPILOG = """
exit status:
  0  written
  1  cannot be written; the reason is on stderr
  2  wrong usage, or an invalid parameter file; the reason is on stderr

examples:
  ik2d urdf two_bone
  ik2d urdf my_arm.yaml -o my_arm.urdf
  ik2d urdf two_bone --prefix left/
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d urdf``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add_config(parser)
    parser.add_argument(
        '-o', '--output', metavar='FILE', type=Path, help='output file (default: standard output)'
    )
    parser.add_argument(
        '--prefix',
        metavar='TEXT',
        default='',
        help='prefix of every frame name, such as left/ (default: none)',
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the URDF; see ``DESCRIPTION``.

    Raises:
        Ik2dError: the parameter file is refused.
        OutputError: the URDF cannot be written.
    """
    arm = load_arm(find_config(arguments.config), arguments.node)
    write_document(urdf_of(arm, prefix=arguments.prefix), arguments.output)
    return 0
