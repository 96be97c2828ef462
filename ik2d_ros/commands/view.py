"""Move an arm on a page in the browser, without ROS.

The page is that of ik2d_viewer, for an arm in this process: drag the target, draw a path, move the
joints. The arm follows a path until you do. The list on the page has all shipped files of one arm;
of several, such as legs, --node chooses. It ends on Ctrl-C.

Examples:
  ik2d view so101
  ik2d view my_arm.yaml
"""

from __future__ import annotations

import argparse

from ik2d_ros.commands.arguments import add, add_node, load, positive
from ik2d_ros.viewer.parameters import PARAMETERS

DEFAULT = 'two_bone'
PORT = 8080


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d view``: an arm, and for how long it is shown where."""
    words = f'ROS parameter file, or the name of a shipped one (default: {DEFAULT})'
    parser.add_argument('config', metavar='CONFIG', nargs='?', default=DEFAULT, help=words)
    add_node(parser)
    parser.set_defaults(overrides=())
    words = 'end after S seconds (default: on Ctrl-C)'
    add(parser, '--duration', 'S', positive('seconds'), words)
    words = f'port of the page on this machine; if taken, the next free one (default: {PORT})'
    add(parser, '--port', 'N', int, words, PORT)
    words = 'do not open a browser, even where there is a display'
    parser.add_argument('--no-browser', action='store_true', help=words)


def run(arguments: argparse.Namespace) -> int:
    """Show the page until it ends, and return the exit status."""
    path, parameters, _ = load(arguments)
    port = PARAMETERS['port'].checked(arguments.port, '--port')
    from ik2d_ros.demo import alone  # noqa: PLC0415  # slow to import

    opens = not arguments.no_browser
    alone.run(path, arguments.node, parameters, port, arguments.duration, opens)
    return 0
