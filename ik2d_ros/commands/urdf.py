"""``ik2d urdf``: an arm as a robot description."""

from __future__ import annotations

import argparse
from pathlib import Path

from ik2d_ros.arm.urdf import DENSITY, density_for, urdf_of
from ik2d_ros.commands.arguments import add_config, positive, warn_of_file
from ik2d_ros.commands.output import write_document
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.robot.described import load_described_arm

HELP = 'write the arm as a URDF, for robot_state_publisher, RViz and physics engines'

DESCRIPTION = """
Write the arm of a parameter file as a URDF: its base pose, joints, limits, simple visuals, the same
shapes for collisions, and the inertia that they have at one density. Physics engines load it as it
is; they must not let links of one arm collide with one another if the arm is to fold.

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
  ik2d urdf two_bone --mass 1.2
"""

MOST = 1e9  # kg or kg/m^3, far beyond any material


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
    weight = parser.add_mutually_exclusive_group()
    weight.add_argument(
        '--density',
        metavar='KG/M3',
        type=positive('kg/m^3', MOST),
        default=DENSITY,
        help=f'density of all links (default: {DENSITY:g})',
    )
    weight.add_argument(
        '--mass',
        metavar='KG',
        type=positive('kg', MOST),
        help='total mass of the moving links, instead of a density',
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the URDF; see ``DESCRIPTION``.

    Raises:
        Ik2dError: the parameter file is refused.
        OutputError: the URDF cannot be written.
    """
    config = find_config(arguments.config)
    arm = load_described_arm(config, arguments.node)
    warn_of_file(config, arguments.node, arm)
    density = arguments.density
    if arguments.mass is not None:
        density = density_for(arm, arguments.mass)
    urdf = urdf_of(arm, prefix=arguments.prefix, density=density)
    write_document(urdf, arguments.output)
    return 0
