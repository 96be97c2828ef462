"""``ik2d demo``: an arm that follows targets, in the browser or in the terminal."""

from __future__ import annotations

import argparse
import sys

from ik2d_ros.commands.arguments import add_node, positive, warn_of_file
from ik2d_ros.demo import session
from ik2d_ros.node.parameters import load_configuration
from ik2d_ros.parameters.checks import ConfigError, shown
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.viewer.parameters import PARAMETERS

HELP = 'watch an arm follow targets, with the real node and the real middleware'

DESCRIPTION = """
Start the node, demo targets and a viewer as three processes. In the browser, the arm follows a
path until you drag the target with the mouse. The terminal shows what the arm does, the target, the
tip from an independent forward kinematics, its distance from the target, and the joints; with
--view terminal, there is no page. Some of the targets are out of reach. The demo ends after the
duration or on Ctrl-C, with a summary of what was checked.

With --robot sim, the node drives an arm in physics (ik2d_sim) through a joint trajectory
controller, from the pose that is measured; the page also shows the measured arm.

ROS discovery is limited to this machine unless ROS_AUTOMATIC_DISCOVERY_RANGE is set. ROS_DOMAIN_ID
is respected: `ros2 topic echo /joint_states` in another terminal shows the same arm.
"""

EPILOG = """
exit status:
  0  for every target reported as reached, the tip was within the tolerance
  1  for one it was not, a process ended early, or there was no answer; the reason is on stderr
  2  wrong usage, or an invalid file; the reason is on stderr
"""

PORT = 8080
DEFAULT = 'two_bone'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d demo``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument(
        'arm',
        metavar='CONFIG',
        nargs='?',
        help=f'ROS parameter file, or the name of a shipped one (default: {DEFAULT})',
    )
    parser.add_argument(
        '--duration',
        metavar='S',
        type=positive('seconds'),
        help='end after S seconds (default: Ctrl-C)',
    )
    parser.add_argument(
        '--view',
        choices=('browser', 'terminal'),
        default='browser',
        help='where to show it (default: browser)',
    )
    parser.add_argument(
        '--robot',
        choices=('none', 'sim'),
        default='none',
        help='sim: drive an arm in physics, through a controller (needs mujoco and ruckig); '
        'default: none, only the commanded pose',
    )
    parser.add_argument(
        '--port',
        metavar='N',
        type=int,
        default=PORT,
        help=f'port of the page on this machine; if taken, the next free one (default: {PORT})',
    )
    parser.add_argument('--config', metavar='FILE', help='the same as CONFIG')
    add_node(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the demo; see ``DESCRIPTION``.

    Raises:
        Ik2dError: the file or the port is refused, or two files are given.
    """
    if arguments.arm is not None and arguments.config is not None:
        raise ConfigError(
            f'CONFIG is {shown(arguments.arm)} and --config is {shown(arguments.config)}; '
            'it must be one of them'
        )
    config = find_config(arguments.arm or arguments.config or DEFAULT)
    configuration = load_configuration(config, node_name=arguments.node)
    warn_of_file(config, arguments.node, configuration.arm)
    port = None
    if arguments.view == 'browser':
        port = PARAMETERS['port'].checked(arguments.port, '--port')
    problem = session.run(
        config,
        configuration,
        arguments.duration,
        port,
        arguments.node,
        drives=arguments.robot == 'sim',
    )
    if problem is None:
        return 0
    sys.stderr.write(f'ik2d demo: {problem}\n')
    return 1
