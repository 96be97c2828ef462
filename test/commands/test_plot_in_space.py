"""``ik2d plot`` for arms with a turntable or a lift: both views show where the arm gets to."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from arms import one_to_six
from hypothesis import given, settings
from hypothesis import strategies as st
from space import random_arm, random_pose, tip

from ik2d_ros import cli
from ik2d_ros.arm.description import ArmDescription, MotionLimits, arm_from_parameters
from ik2d_ros.kinematics import Chain, Lift, Turntable

HAS_MATPLOTLIB = importlib.util.find_spec('matplotlib') is not None

if HAS_MATPLOTLIB:
    from matplotlib.collections import PolyCollection
    from matplotlib.path import Path as Outline

    from ik2d_ros.commands import drawing
    from ik2d_ros.commands.drawing import draw_arm

needs_matplotlib = pytest.mark.skipif(not HAS_MATPLOTLIB, reason='matplotlib is not installed')

WAIST = {
    'joints': ['shoulder', 'elbow'],
    'base.xyz': [0.0, 0.05, 0.1],
    'base.rpy': [np.pi / 2.0, 0.0, 0.0],
    'turntable.joint': 'waist',
    'turntable.min_position': -1.0,
    'turntable.max_position': 1.5,
    'chain.shoulder.length': 0.3,
    'chain.shoulder.min_position': 0.0,
    'chain.shoulder.max_position': 1.5,
    'chain.elbow.length': 0.2,
    'chain.elbow.min_position': -2.0,
    'chain.elbow.max_position': 0.5,
}
SCARA = {
    'joints': ['shoulder', 'elbow'],
    'base.xyz': [0.0, 0.0, 0.4],
    'lift.joint': 'z_axis',
    'lift.axis': -1,
    'lift.min_position': 0.0,
    'lift.max_position': 0.15,
    'lift.home': 0.05,
    'chain.shoulder.length': 0.3,
    'chain.elbow.length': 0.2,
}


def described(arm):
    """What the node makes of an arm of the library."""
    count = len(arm.names)
    home = tuple(min(max(0.0, lower), upper) for lower, upper in arm.limits)
    return ArmDescription(
        arm.chain,
        home,
        (MotionLimits(),) * count,
        base_xyz=arm.plane.origin,
        base_rpy=arm.plane.rpy(),
        turntable=arm.turntable,
        lift=arm.lift,
    )


def areas(axes):
    """The filled outlines of a view."""
    (region,) = [part for part in axes.collections if isinstance(part, PolyCollection)]
    return [Outline(path.vertices) for path in region.get_paths()]


def is_in(outlines, points, rim):
    """Whether points (k, 2) are within outlines or about this near to their edges."""
    turns = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    circle = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    steps = rim * np.concatenate([[(0.0, 0.0)], circle])
    return np.any(
        [outline.contains_points(points + step) for outline in outlines for step in steps], axis=0
    )


def distance_to_nearest(points, others):
    away = points[:, None, :] - others[None, :, :]
    return np.sqrt((away**2).sum(axis=2).min(axis=1))


SEEDED = np.random.default_rng(12)
ARMS = {
    'waist': arm_from_parameters(WAIST),
    'scara': arm_from_parameters(SCARA),
    **{
        turntable: described(random_arm(3, 'asymmetric', turntable, SEEDED))
        for turntable in ('free', 'half')
    },
}


@needs_matplotlib
@pytest.mark.parametrize('name', ARMS)
def test_what_is_drawn_is_where_the_tip_gets_to(name):
    arm = ARMS[name]
    rng, size = np.random.default_rng(3), arm.chain.reach.outer
    poses = [random_pose(arm.kinematics, rng) for _ in range(1500)]
    seen = drawing.body_view(arm).flat([tuple(tip(arm.kinematics, pose)) for pose in poses])
    plane, body, _ = draw_arm(arm, name).axes
    outlines = areas(body)
    assert is_in(outlines, seen, 0.015 * size).all()
    low, high = seen.min(axis=0) - 0.1 * size, seen.max(axis=0) + 0.1 * size
    points = rng.uniform(low, high, (200, 2))
    drawn = is_in(outlines, points, 0.0)
    assert drawn.any()
    # Random poses leave gaps, and few of them are at the edges.
    away = distance_to_nearest(points[drawn], seen)
    assert away.max() < 0.2 * size
    assert (away < 0.1 * size).mean() > 0.8
    # Away from the area's sharp corners, which the triangles cut off.
    inner = [0.9 * pose + 0.1 * np.array(arm.kinematics.middle) for pose in poses[:40]]
    turned_back = [drawing.pose_in_plane(arm, pose.tolist())[-1] for pose in inner]
    assert is_in(areas(plane), drawing.plane_view(arm).flat(turned_back), 0.015 * size).all()


@needs_matplotlib
@pytest.mark.parametrize('name', ARMS)
def test_a_target_and_its_pose_are_where_they_are_in_space(name):
    arm = ARMS[name]
    rng = np.random.default_rng(4)
    size = arm.chain.reach.outer
    near = tuple(tip(arm.kinematics, random_pose(arm.kinematics, rng)))
    far = tuple(np.array(near) + 4.0 * size)
    plane, body, table = draw_arm(arm, name, [near, far]).axes
    told = [text.get_text() for text in table.get_legend().get_texts()]
    (reached,) = [text for text in told if text.endswith('REACHED')]
    (missed,) = [text for text in told if text.endswith(' m away')]
    view = drawing.body_view(arm)
    poses = [line for line in body.lines if line.get_marker() == 'o' and len(line.get_xdata()) > 1]
    ends = [np.array(line.get_data())[:, -1] for line in poses]
    crosses = [np.array(line.get_data())[:, 0] for line in body.lines if line.get_marker() == '+']
    flat = view.flat([near, far])
    assert min(np.hypot(*(end - flat[0])) for end in ends) < 1e-5
    for place in flat:
        assert min(np.hypot(*(cross - place)) for cross in crosses) < 1e-9
    # In the plane the pose ends in the cross of the target that it reaches, and misses the other.
    for label, hits in ((reached, True), (missed, False)):
        (line,) = [line for line in plane.lines if line.get_label() == label]
        end = np.array(line.get_data())[:, -1]
        marks = [np.array(c.get_data())[:, 0] for c in plane.lines if c.get_marker() == '+']
        assert (min(np.hypot(*(mark - end)) for mark in marks) < 1e-5) == hits
    # A target out of reach does not shrink the arm to a dot.
    for axes in (plane, body):
        left, right = axes.get_xlim()
        assert right - left < 8.0 * size


@needs_matplotlib
@pytest.mark.parametrize(
    ('parameters', 'row', 'title'),
    [
        (WAIST, ['waist', '-57..86', 'deg', '0', 'deg'], 'axis of waist, from -57 to 86 deg'),
        (SCARA, ['z_axis', '0..0.15', 'm', '0.05', 'm'], 'with z_axis from 0 to 0.15 m'),
    ],
)
def test_the_carrier_is_in_the_table_with_its_units(parameters, row, title):
    arm = arm_from_parameters(parameters)
    _, body, table = draw_arm(arm, 'any').axes
    rows = [line.split() for line in table.texts[0].get_text().splitlines()]
    assert rows[1] == row
    assert [line[0] for line in rows[2:4]] == list(arm.chain.names)
    assert title in body.get_title()


@needs_matplotlib
def test_up_is_up_on_the_page():
    """Whatever way the axis points; a leg's plane, with the axis along x, stands upright too."""
    for axis in ([0, 0, 1], [0, 0, -1], [1, 0, 0]):
        arm = arm_from_parameters({**WAIST, 'turntable.axis': axis})
        view = drawing.plane_view(arm)
        (low, high) = view.flat([(0.1, 0.05, 0.0), (0.1, 0.05, 0.3)])
        assert high - low == pytest.approx([0.0, 0.3])
    above = drawing.body_view(ARMS['waist'])
    assert above.labels == ('x in m', 'y in m')
    assert drawing.body_view(ARMS['scara']).labels == ('x in m', 'z in m')


carriers = st.sampled_from(
    [
        Turntable(),
        Turntable((0.1, 0.2, 0.3), (0.0, 1.0, 0.0), -9.0, 9.0),
        Turntable((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), 0.5, 0.5),
        Lift(),
        Lift(-1, -1e6, 1e6),
        Lift(1, 0.2, 0.2),
    ]
)


@needs_matplotlib
@given(one_to_six.filter(lambda count: count < 4), carriers, st.sampled_from([0.0, 1e-4, 1.0]))
@settings(max_examples=8)
def test_any_arm_in_space_can_be_drawn(count, carrier, length):
    chain = Chain.from_lengths([length] * count, [(-1.0, 1.0)] * count)
    is_turned = isinstance(carrier, Turntable)
    rpy = (0.0, 0.0, 0.0)
    if is_turned and carrier.axis == (0.0, 0.0, 1.0):
        rpy = (np.pi / 2.0, 0.0, 0.0)
    home = (0.0 if carrier.lower is None else carrier.lower, *(0.0,) * count)
    arm = ArmDescription(
        chain,
        home,
        (MotionLimits(),) * (count + 1),
        base_rpy=rpy,
        turntable=carrier if is_turned else None,
        lift=None if is_turned else carrier,
    )
    figure = draw_arm(arm, 'any $name')
    figure.canvas.draw()
    for axes in figure.axes[:2]:
        (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
        assert left < right
        assert low < high


def config_of(parameters, tmp_path):
    lines = ''.join(
        f'    {name}: {value.tolist() if hasattr(value, "tolist") else value}\n'
        for name, value in parameters.items()
    )
    file = tmp_path / 'arm.yaml'
    file.write_text(f'/**:\n  ros__parameters:\n{lines}')
    return file


@pytest.mark.parametrize(
    ('target', 'words'),
    [
        (['0.1', '0.2'], ['--target 0.1 0.2', 'waist', 'X Y Z', "'base_link'"]),
        (['0.1'], ['--target 0.1', '1 numbers', 'X Y Z']),
        (['1', '2', '3', '4'], ['--target 1 2 3 4', '4 numbers', 'X Y Z']),
        (['0.1', 'nan', '2'], ["'nan'", 'metres']),
    ],
)
def test_a_target_that_is_none_for_the_arm_is_refused(capsys, tmp_path, target, words):
    config = config_of(WAIST, tmp_path)
    try:
        status = cli.main(['plot', str(config), '-o', str(tmp_path / 'a.png'), '--target', *target])
    except SystemExit as end:
        status = end.code
    out, err = capsys.readouterr()
    assert (status, out) == (2, '')
    assert err.count('\n') == 1
    assert all(word in err for word in words)
    assert not (tmp_path / 'a.png').exists()


@needs_matplotlib
def test_a_planar_arm_takes_a_target_in_space_as_the_node_does(capsys, tmp_path):
    """It is projected into the plane: both pictures are the same."""
    drawn = []
    for target in (['0.3', '0.1'], ['0.3', '0.1', '5']):
        file = tmp_path / f'{len(target)}.png'
        arguments = ['plot', 'two_bone', '-o', file, '--dpi', '40', '--target', *target]
        assert cli.main(list(map(str, arguments))) == 0
        drawn.append(file.read_bytes())
    assert drawn[0] == drawn[1]
    capsys.readouterr()
