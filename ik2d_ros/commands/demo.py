"""``ik2d demo``: an arm that follows targets, on a page or in this terminal."""

from __future__ import annotations

import argparse
import sys

from ik2d_ros.commands.arguments import add_node, number
from ik2d_ros.demo import session
from ik2d_ros.node.parameters import load_configuration
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.parameters.wording import printable
from ik2d_ros.viewer.parameters import PARAMETERS

HELP = 'watch an arm follow targets, through the real node and the real middleware'

DESCRIPTION = """
Start the node, demo targets and a page for the browser as three processes. On the page the arm
follows the targets, until somebody drags the target with the mouse. Or show it in this terminal:
the target, the joint positions, the tip by a forward kinematics of the demo's own, its distance
from the target, and the status. Some of the targets are out of reach. Either way it ends with a
summary of what was checked, after the duration or on Ctrl-C.

Only this machine takes part, unless ROS_AUTOMATIC_DISCOVERY_RANGE says otherwise. ROS_DOMAIN_ID
is obeyed: `ros2 topic echo /joint_states` in another terminal shows the same arm.
"""

EPILOG = """
exit status:
  0  every target that the node called reached had the tip within the tolerance
  1  one had not, or a process ended early, or nothing was heard; the reason is on stderr
  2  refused: wrong usage, or a file that is not allowed
"""

PORT = 8080


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of ``ik2d demo``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument(
        '--duration', metavar='S', type=seconds, help='end after S seconds (default: Ctrl-C)'
    )
    parser.add_argument(
        '--view',
        choices=('browser', 'terminal'),
        default='browser',
        help='where to show it (default: browser)',
    )
    parser.add_argument(
        '--port',
        metavar='N',
        type=int,
        default=PORT,
        help=f'port of the page on this machine; where it is taken, the next one (default: {PORT})',
    )
    parser.add_argument(
        '--config',
        metavar='FILE',
        default='two_bone',
        help='ROS parameter file, or the name of a shipped one (default: two_bone)',
    )
    add_node(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the demo; see ``DESCRIPTION``.

    Raises:
        Ik2dError: The file or the port is refused.
    """
    config = find_config(arguments.config)
    configuration = load_configuration(config, node_name=arguments.node)
    port = None
    if arguments.view == 'browser':
        port = PARAMETERS['port'].checked(arguments.port, '--port')
    problem = session.run(config, configuration, arguments.duration, port, arguments.node)
    if problem is None:
        return 0
    sys.stderr.write(f'ik2d demo: {problem}\n')
    return 1


def seconds(text: str) -> float:
    """An argument that is a duration.

    Raises:
        ArgumentTypeError: It is not a number above 0.
    """
    allowed = 'a number of seconds > 0'
    value = number(text, allowed)
    if value <= 0.0:
        raise argparse.ArgumentTypeError(
            f"'{printable(text.strip())}' is not allowed; it must be {allowed}"
        )
    return value
