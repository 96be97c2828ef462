"""Watch an arm follow targets, with the real node and the real middleware.

Start the node, demo targets and the page. In the browser, the arm follows a path until you drag the
target with the mouse. The terminal shows the targets and their statuses; some are out of reach.
The demo ends after the duration or on Ctrl-C. Where ROS is missing, it is `ik2d view`.

With --robot sim, the node drives an arm in physics (ik2d_sim) through a joint trajectory
controller, from the measured pose; the page also shows the measured arm.

ROS discovery is limited to this machine unless ROS_AUTOMATIC_DISCOVERY_RANGE is set. ROS_DOMAIN_ID
is respected: `ros2 topic echo /joint_states sensor_msgs/msg/JointState` in another terminal shows
the same arm.
"""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from ik2d_ros.commands import view
from ik2d_ros.commands.arguments import load
from ik2d_ros.commands.output import complain
from ik2d_ros.viewer.parameters import PARAMETERS

STATUS = (
    'targets were answered until the end',
    'a node did not start; the reason is on stderr',
)

NO_ROS = 'ROS 2 is not installed: this is `ik2d view`, the same page with an arm in this process'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d demo``."""
    view.add_arguments(parser)
    parser.add_argument(
        '--view',
        choices=('browser', 'terminal'),
        default='browser',
        help='where to show the arm (default: browser); terminal: without a page',
    )
    parser.add_argument(
        '--robot',
        choices=('none', 'sim'),
        default='none',
        help='sim: drive an arm in physics, through a controller (needs mujoco and ruckig); '
        'default: none, only the commanded pose',
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the demo and return the exit status."""
    port = PARAMETERS['port'].checked(arguments.port, '--port')
    if not find_spec('rclpy') and (arguments.view, arguments.robot) == ('browser', 'none'):
        complain(f'ik2d demo: {NO_ROS}')
        return view.run(arguments)
    from ik2d_ros.demo import session  # noqa: PLC0415  # slow to import

    _, parameters, _ = load(arguments)
    return session.run(
        parameters,
        drives=arguments.robot == 'sim',
        duration=arguments.duration,
        port=port if arguments.view == 'browser' else None,
        opens=not arguments.no_browser,
    )
