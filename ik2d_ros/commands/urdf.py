"""Write the arm as a URDF, for robot_state_publisher, RViz and physics engines.

Write the arm of a parameter file as a URDF: its base pose, joints, limits, simple visuals, the same
shapes for collisions, and their inertia at the density of water. Physics engines load it as it is;
they must not let links of one arm collide with one another if the arm is to fold.

The joints keep their names from the parameter file. The links are <joint>_link, and `tip` at the
end. Two arms in one TF tree need a prefix each. The node then needs the same prefix for its base
frame: ik2d.launch.py frame_prefix:=left/

Examples:
  ik2d urdf two_bone
  ik2d urdf my_arm.yaml -o my_arm.urdf
  ik2d urdf two_bone --prefix left/
"""

from __future__ import annotations

import argparse

from ik2d_ros.commands.arguments import add, add_config, add_output, load
from ik2d_ros.commands.output import write
from ik2d_ros.robot.export import urdf_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d urdf``."""
    add_config(parser)
    add_output(parser)
    words = 'prefix of every frame name, such as left/ (default: none)'
    add(parser, '--prefix', 'TEXT', str, words, '')


def run(arguments: argparse.Namespace) -> int:
    """Write the URDF and return the exit status."""
    _, _, configuration = load(arguments)
    write(urdf_of(configuration.arm, prefix=arguments.prefix), arguments.output)
    return 0
