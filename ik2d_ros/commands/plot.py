"""``ik2d plot``: a drawing of an arm and its reachable area."""

from __future__ import annotations

import argparse
import io
import math
import warnings
from pathlib import Path
from types import ModuleType

from ik2d_ros.arm.description import ArmDescription, ConfigError
from ik2d_ros.commands.arguments import (
    add_config,
    needs_z,
    place,
    tip_angle,
    warn_of_file,
)
from ik2d_ros.commands.output import OutputError, write_file, write_out
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.pointing import angle_refusal
from ik2d_ros.node.parameters import load_configuration
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.parameters.wording import printable

HELP = 'draw the arm and its reachable area, as PNG, SVG or PDF'

DESCRIPTION = """
Draw the arm of a parameter file in its plane: the reachable area within the joint limits, the reach
without them, the home pose, and a pose for each target. An arm with a turntable or a lift gets a
second view, which shows what that joint sweeps and its limits; targets for it need Z.

With --angle A, the part of that area is shaded that is reached at the tip angle A; with --angle
alone, how wide the range of tip angles is at each point. The tip angle is the direction of the last
link frame's x-axis in the plane; it takes three joints or more.

Needs Matplotlib.
"""

EPILOG = """
exit status:
  0  written
  1  cannot be written; the reason is on stderr
  2  wrong usage, or an invalid parameter file; the reason is on stderr

examples:
  ik2d plot two_bone -o reach.png
  ik2d plot my_arm.yaml -o reach.pdf --target 0.3 0.1 --target -0.2 0.4
  ik2d plot my_robot.yaml -o views.png --target 0.2 0.1 0.15
  ik2d plot three_link -o level.png --angle 0
  ik2d plot three_link -o angles.png --angle
"""

FORMATS = ('.png', '.svg', '.pdf')
DPI = (10, 1200)
ANY_ANGLE = math.inf  # stands for --angle without a number


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d plot``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add_config(parser)
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
        type=place,
        nargs='+',
        action='append',
        default=[],
        help='point in m to draw a pose for, X Y in the plane or X Y Z in base_frame; repeatable '
        '(default: nearest and farthest in reach)',
    )
    parser.add_argument(
        '--angle',
        metavar='A',
        type=tip_angle,
        nargs='?',
        const=ANY_ANGLE,
        help='shade what is reached at this tip angle, in rad; without A, the range of tip angles',
    )
    parser.add_argument(
        '--dpi', type=resolution, default=150, help='dots per inch of a PNG (default: 150)'
    )


def run(arguments: argparse.Namespace) -> int:
    """Draw and write the picture; see ``DESCRIPTION``.

    Raises:
        Ik2dError: the parameter file is refused, or Matplotlib is missing.
        OutputError: the picture cannot be written.
    """
    config, output = find_config(arguments.config), arguments.output
    angle = arguments.angle
    overrides = {} if angle in (None, ANY_ANGLE) else {'tip_angle': angle}
    configuration = load_configuration(config, overrides, arguments.node)
    warn_of_file(config, arguments.node, configuration.arm)
    targets = [_drawable(target, configuration.arm) for target in arguments.target]
    refusal = angle_refusal(configuration.arm.chain)
    if angle == ANY_ANGLE and refusal:
        raise ConfigError(f'--angle is not allowed for this arm: {refusal}')
    if not output.parent.is_dir():
        raise OutputError(
            f'{printable(str(output))}: cannot be written: '
            f'there is no folder {printable(str(output.parent))}'
        )
    figure = drawing().draw_arm(
        configuration.arm, config.stem, targets, configuration.settings, angle
    )
    picture = io.BytesIO()
    with warnings.catch_warnings():
        # Names may be in any script; glyphs that the fonts lack are drawn as boxes.
        warnings.filterwarnings('ignore', 'Glyph .* missing')
        figure.savefig(picture, format=output.suffix[1:].lower(), dpi=arguments.dpi)
    write_file(output, picture.getvalue())
    write_out(f'{printable(str(output))}\n')
    return 0


def drawing() -> ModuleType:
    """Return the module that draws.

    Raises:
        ConfigError: Matplotlib is missing.
    """
    try:
        from ik2d_ros.commands import drawing  # noqa: PLC0415  # optional, and slow to load
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition('.')[0] != 'matplotlib':
            raise
        raise ConfigError(
            "drawing needs Matplotlib; install it with 'pip install matplotlib', "
            "or in a ROS installation with 'apt install python3-matplotlib'"
        ) from None
    return drawing


def _drawable(target: list[float], arm: ArmDescription) -> Vector:
    """Return a target in the base frame.

    Raises:
        ConfigError: it has not as many coordinates as the arm needs.
    """
    given = f'--target {" ".join(f"{value:g}" for value in target)}'
    if len(target) not in (2, 3):
        raise ConfigError(
            f'{given} has {len(target)} numbers; it must have 2, X Y in the plane, or 3, X Y Z in '
            f"the frame '{arm.base_frame}', in m"
        )
    if len(target) == 2 and arm.carrier is not None:
        raise ConfigError(f'{given}: {needs_z(arm)}')
    if len(target) == 2:
        return arm.kinematics.plane.point(*target)
    x, y, z = target
    return x, y, z


def picture(text: str) -> Path:
    """Parse the path of a picture to write.

    Raises:
        ArgumentTypeError: its ending is not a supported format.
    """
    path = Path(text)
    if path.suffix.lower() not in FORMATS:
        raise argparse.ArgumentTypeError(
            f"'{printable(text)}' is not allowed; it must end in {', '.join(FORMATS)}"
        )
    return path


def resolution(text: str) -> int:
    """Parse a resolution in dots per inch.

    Raises:
        ArgumentTypeError: it is not a whole number in range.
    """
    lowest, highest = DPI
    if not text.isdecimal() or not lowest <= int(text) <= highest:
        raise argparse.ArgumentTypeError(
            f"'{printable(text)}' is not allowed; "
            f'it must be a whole number from {lowest} to {highest}'
        )
    return int(text)
