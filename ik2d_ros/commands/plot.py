"""Draw the area that an arm reaches, as PNG, SVG or PDF.

Draw the arm of a parameter file in its plane, with a turntable or a lift at 0: the area that it
reaches within the joint limits, the reach of the links alone, its walls and the home pose.

Needs Matplotlib.

Examples:
  ik2d plot two_bone -o reach.png
  ik2d plot my_arm.yaml -o reach.pdf
"""

from __future__ import annotations

import argparse
import io
from importlib.util import find_spec
from pathlib import Path

from ik2d_ros.commands.arguments import add_config, load
from ik2d_ros.commands.output import write
from ik2d_ros.parameters.checks import ConfigError

FORMATS = ('.png', '.svg', '.pdf')
DPI = 150.0  # of a PNG


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ik2d plot``."""
    add_config(parser)
    words = f'output file; its ending sets the format: {", ".join(FORMATS)}'
    parser.add_argument('-o', '--output', metavar='FILE', type=Path, required=True, help=words)


def run(arguments: argparse.Namespace) -> int:
    """Draw and write the picture, and return the exit status."""
    path, image = arguments.output, io.BytesIO()
    if path.suffix.lower() not in FORMATS:
        raise ConfigError(f'--output is {path}; it must end in {", ".join(FORMATS)}')
    config, _, configuration = load(arguments)
    if find_spec('matplotlib') is None:
        raise ConfigError(
            'drawing needs Matplotlib: pip install matplotlib, or apt install python3-matplotlib'
        )
    from ik2d_ros.drawing.reach_plot import draw_reach  # noqa: PLC0415  # slow to load

    figure = draw_reach(configuration.arm, config.stem)
    figure.savefig(image, format=path.suffix[1:].lower(), dpi=DPI)
    write(image.getvalue(), path)
    write(f'{path}\n')
    return 0
