"""The pictures of doc/your_arm.md, into doc/images or another folder.

``your_arm.png``: links, offsets and positions, and the plane in space. ``calibration.png``: errors
of the tutorial's points before and after ``ik2d calibrate``. ``plot.png``: a plot.

python scripts/arm_picture.py [FOLDER]
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np

from ik2d_ros import cli
from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.calibration.calibrate import calibrate
from ik2d_ros.commands.calibrate import read_measured
from ik2d_ros.kinematics import Chain, Joint, Plane
from ik2d_ros.robot.from_urdf import load_completed

mpl.use('Agg')
from matplotlib import pyplot as plt

FOLDER = Path(__file__).resolve().parent.parent / 'doc/images'
LINK, FRAME, ANGLE = '#0072b2', '#555555', '#d55e00'

CHAIN = Chain([
    Joint('shoulder', link=(0.30, 0.0), offset=0.5),
    Joint('elbow', link=(0.24, 0.08), axis=-1),
])  # fmt: skip
POSE = (0.6, 0.8)


def arrow(axes, start, vector, text, color):
    end = start + vector
    axes.annotate('', end, start, arrowprops={'arrowstyle': '-|>', 'color': color, 'lw': 1.2})
    axes.text(*(end + 0.012 * vector / np.hypot(*vector)), text, color=color, fontsize=9)


def arc(axes, center, radius, start, stop, text):
    """An angle, from one direction to another in rad, with an arrow's head at its end."""
    turns = np.linspace(start, stop, 40)
    x, y = center[0] + radius * np.cos(turns), center[1] + radius * np.sin(turns)
    axes.plot(x, y, color=ANGLE, lw=1.2)
    axes.annotate('', (x[-1], y[-1]), (x[-4], y[-4]),
                  arrowprops={'arrowstyle': '-|>', 'color': ANGLE, 'lw': 1.2})  # fmt: skip
    beside = (start + stop) / 2 if stop > start else stop - 0.4
    axes.text(*(np.array(center) + 1.12 * radius * unit(beside)), text, color=ANGLE, fontsize=9)


def in_the_plane(axes):
    """The chain of the tutorial's first example, its frames and angles."""
    points = CHAIN.forward(POSE)
    axes.plot(points[:, 0], points[:, 1], '-', color=LINK, lw=5, alpha=0.35, zorder=1)
    axes.plot(points[:-1, 0], points[:-1, 1], 'o', color='white', mec=LINK, ms=11, mew=2)
    axes.plot(*points[-1], 's', color=LINK, ms=7)
    axes.text(*(points[-1] + (0.015, 0.005)), 'tip', color=LINK)
    heading = 0.0
    for i, joint in enumerate(CHAIN.joints):
        before = heading
        turned = before + joint.offset
        heading = turned + joint.axis * POSE[i]
        base = points[i]
        axes.plot(*zip(base, base + 0.17 * unit(before), strict=True), ':', color=FRAME, lw=1)
        if joint.offset:
            axes.plot(*zip(base, base + 0.17 * unit(turned), strict=True), ':', color=FRAME, lw=1)
            arc(axes, base, 0.15, before, turned, f'offset {joint.offset}')
        sense = '' if joint.axis > 0 else ' (axis -1)'
        arc(axes, base, 0.105, turned, heading, f'position {POSE[i]}{sense}')
        arrow(axes, base, 0.2 * unit(heading), f'x{i + 1}', FRAME)
        axes.text(*(base + np.array([0.01, -0.04])), joint.name, color=LINK, ha='left')
    text = f'link: {list(CHAIN.joints[1].link)}'
    axes.text(
        *((points[1] + points[2]) / 2 + np.array([-0.06, 0.06])), text, color=LINK, ha='right'
    )
    axes.set_title('In the plane: links, offsets, positions', fontsize=10)
    axes.set_xlabel('x of the plane, m')
    axes.set_ylabel('y of the plane, m')
    axes.set_aspect('equal')
    axes.set(xlim=(-0.05, 0.52), ylim=(-0.07, 0.5))
    axes.grid(alpha=0.3)


def unit(angle):
    return np.array([np.cos(angle), np.sin(angle)])


def in_space(axes):
    """The plane that ``base.rpy: [1.5708, 0, 0]`` stands upright, in the base frame."""
    plane = Plane.from_pose((0.35, 0.0, 0.3), (np.pi / 2, 0.0, 0.0))
    corners = [(-0.1, -0.1), (0.5, -0.1), (0.5, 0.45), (-0.1, 0.45), (-0.1, -0.1)]
    edge = np.array([plane.point(x, y, 0.0) for x, y in corners])
    axes.plot(*edge.T, color=LINK, lw=1, alpha=0.6)
    arm = np.array([plane.point(x, y, 0.0) for x, y in CHAIN.forward(POSE)])
    axes.plot(*arm.T, '-o', color=LINK, lw=4)
    origin = np.array(plane.point(0.0, 0.0, 0.0))
    for direction, name in (((0.25, 0, 0), 'x'), ((0, 0.25, 0), 'y'), ((0, 0, 0.25), 'normal ')):
        axes.quiver(*origin, *(np.array(plane.point(*direction)) - origin), color=ANGLE)
        place = plane.point(*(1.25 * np.array(direction)))
        axes.text(*place, name, color=ANGLE, fontsize=9, ha='right')
    for axis, name in zip(0.2 * np.eye(3), ('x', 'y', 'z'), strict=True):
        axes.quiver(0, 0, 0, *axis, color=FRAME)
        axes.text(*(1.2 * axis), name, color=FRAME, fontsize=9)
    axes.text(-0.02, 0.0, -0.09, 'base_frame', color=FRAME, fontsize=9, ha='right')
    axes.plot(*zip((0.0, 0.0, 0.0), origin, strict=True), ':', color=FRAME, lw=1.5)
    axes.text(*(0.75 * origin + (0.05, 0.0, -0.06)), 'base.xyz', color=FRAME, fontsize=9)
    axes.set_title('In space: base.xyz and base.rpy', fontsize=10)
    axes.set_box_aspect((1, 1, 1))
    axes.set(xlim=(0, 0.75), ylim=(-0.4, 0.35), zlim=(0, 0.75))
    axes.set(xticks=[], yticks=[], zticks=[])
    axes.view_init(elev=22, azim=-50)


def calibration(axes):
    """How far off the points of the tutorial are, by the file and by the fitted arm."""
    text = (FOLDER.parent / 'your_arm.md').read_text()
    with tempfile.TemporaryDirectory() as folder:
        config, points = Path(folder, 'arm.yaml'), Path(folder, 'points.csv')
        for file, language in ((config, 'yaml'), (points, 'csv')):
            *_, block = re.findall(rf'^```{language}\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
            file.write_text(block)
        parameters = load_completed(config, 'ik2d', {})
        _, measured = read_measured(str(points), arm_from_parameters(parameters))
    found = calibrate(parameters, measured, ['offsets'])
    number = np.arange(1, len(measured.q) + 1)
    for errors, side, label, color in (
        (found.before, -0.2, 'before: numbers from the ruler', ANGLE),
        (found.after, 0.2, 'after: fitted zeros', LINK),
    ):
        axes.bar(number + side, 1e3 * errors, 0.4, color=color, label=label)
    axes.set(xlabel='measured point', ylabel='tip off by, mm', xticks=number)
    axes.legend(frameon=False, ncols=2, loc='lower left', bbox_to_anchor=(0.0, 1.0))


def main() -> None:
    """Draw and write the pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    figure = plt.figure(figsize=(10, 4.6), layout='constrained')
    in_the_plane(figure.add_subplot(1, 2, 1))
    in_space(figure.add_subplot(1, 2, 2, projection='3d'))
    figure.savefig(folder / 'your_arm.png', dpi=110)
    figure = plt.figure(figsize=(6, 2.6), layout='constrained')
    calibration(figure.add_subplot())
    figure.savefig(folder / 'calibration.png', dpi=110)
    assert cli.main(['plot', 'so101', '-o', str(folder / 'plot.png')]) == 0


if __name__ == '__main__':
    main()
