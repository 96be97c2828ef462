"""Draw the arm and its reachable area, as PNG, SVG or PDF.

Draw the arm of a parameter file in its plane: the area that it reaches within the joint limits, the
reach of the links alone, the home pose, and a pose for each target. An arm with a turntable or a
lift gets a second view, which shows how that joint carries the area; targets for it need Z.

With a tip angle, the part of the area is shaded that is reached at it: the direction of the last
link frame's x-axis in the plane, for three joints or more.

Needs Matplotlib.

Examples:
  ik2d plot two_bone -o reach.png
  ik2d plot my_arm.yaml -o reach.pdf --target 0.3 0.1 --target -0.2 0.4
  ik2d plot my_robot.yaml -o views.png --target 0.2 0.1 0.15
  ik2d plot three_link -o level.png --angle 0
"""

from __future__ import annotations

import argparse
import io
import warnings
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from ik2d_ros.arm.points import in_base_frame
from ik2d_ros.commands.arguments import add_config, load, number, refused
from ik2d_ros.commands.output import write
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.pilot.answer import Situation, refusal
from ik2d_ros.pilot.request import Point

FORMATS = ('.png', '.svg', '.pdf')
DPI = 150.0  # of a PNG


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d plot``."""
    add_config(parser, 'tip_angle', 'plane_tolerance')
    parser.add_argument(
        '-o',
        '--output',
        metavar='FILE',
        type=picture,
        required=True,
        help=f'output file; its ending sets the format: {", ".join(FORMATS)}',
    )
    parser.add_argument(
        '--target',
        metavar=('X', 'Y'),
        type=number('a finite number of metres (--target takes all values that follow it)'),
        nargs='+',
        action='append',
        default=[],
        help='point in m to draw a pose for, X Y in the plane or X Y Z in base_frame; repeatable '
        '(default: the nearest and the farthest point in reach)',
    )


def run(arguments: argparse.Namespace) -> int:
    """Draw and write the picture, and return the exit status."""
    config, _, configuration = load(arguments)
    arm, settings = configuration.arm, configuration.settings
    targets = [in_base_frame(arm, target) for target in arguments.target]
    for target in targets:
        refused = refusal(Point(target), Situation(arm.home), configuration, moves=False)
        if refused is not None:
            raise ConfigError(refused.message)
    save(drawing().draw_arm(arm, config.stem, targets, settings), arguments.output)
    write(f'{arguments.output}\n')
    return 0


def drawing() -> ModuleType:
    """Return the module that draws.

    Raises:
        ConfigError: Matplotlib is missing.
    """
    if find_spec('matplotlib') is None:
        raise ConfigError(
            "drawing needs Matplotlib; install it with 'pip install matplotlib', "
            "or in a ROS installation with 'apt install python3-matplotlib'"
        )
    from ik2d_ros.commands import drawing  # noqa: PLC0415  # slow to load

    return drawing


def save(figure: Any, path: Path) -> None:
    """Write a figure in the format of the path's ending.

    Raises:
        OSError: it cannot be written.
    """
    image = io.BytesIO()
    with warnings.catch_warnings():
        # Names may be in any script; glyphs that the fonts lack are drawn as boxes.
        warnings.filterwarnings('ignore', 'Glyph .* missing')
        figure.savefig(image, format=path.suffix[1:].lower(), dpi=DPI)
    write(image.getvalue(), path)


def picture(text: str) -> Path:
    """Parse the path of a picture to write.

    Raises:
        ArgumentTypeError: its ending is not a supported format.
    """
    if Path(text).suffix.lower() not in FORMATS:
        raise refused(text, f'a file that ends in {", ".join(FORMATS)}')
    return Path(text)
