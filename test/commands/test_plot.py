"""``ik2d plot`` shows the answers of the solver."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest
from arms import one_to_six
from carried import described
from hypothesis import given, settings
from hypothesis import strategies as st
from space import random_arm, random_pose, tip

from ik2d_ros.kinematics import Arm, Chain, Lift, Plane, Turntable
from ik2d_ros.node.parameters import Settings, load_configuration
from ik2d_ros.parameters.shipped import find_config

HAS_MATPLOTLIB = importlib.util.find_spec('matplotlib') is not None

if HAS_MATPLOTLIB:
    from matplotlib.collections import PolyCollection

    from ik2d_ros.commands import drawing
    from ik2d_ros.commands.drawing import draw_arm

pytestmark = pytest.mark.skipif(not HAS_MATPLOTLIB, reason='matplotlib is not installed')


def shipped(name, node='ik2d'):
    return load_configuration(find_config(name), node_name=node).arm


SEEDED = np.random.default_rng(12)
IN_SPACE = {
    'so101': shipped('so101'),
    'scara': shipped('scara_icube'),
    **{kind: described(random_arm(3, 'asymmetric', kind, SEEDED)) for kind in ('free', 'half')},
}


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def filled(axes):
    """The smallest and largest x and y of the filled areas."""
    areas = [part for part in axes.collections if isinstance(part, PolyCollection)]
    points = np.concatenate([path.vertices for part in areas for path in part.get_paths()])
    return np.stack([points.min(axis=0), points.max(axis=0)])


@pytest.mark.parametrize(
    ('config', 'ending', 'begins', 'options'),
    [
        ('two_bone', 'png', b'\x89PNG', ()),
        ('rail', 'svg', b'<?xml', ()),
        ('so101', 'pdf', b'%PDF', ('--target', '0.2', '0.1', '0.15')),
        ('three_link', 'PNG', b'\x89PNG', ('--angle', '-0.5', '--target', '0.3', '0.3')),
    ],
)
def test_arms_are_drawn_in_every_format(run, tmp_path, config, ending, begins, options):
    file = tmp_path / f'reach.{ending}'
    written = run('plot', config, '-o', file, '--dpi', 30, *options)
    assert written == (0, f'{file}\n', '')
    assert file.read_bytes().startswith(begins)


@pytest.mark.parametrize('name', IN_SPACE)
def test_the_drawn_area_and_body_span_the_reachable_points(name):
    arm = IN_SPACE[name]
    rng = np.random.default_rng(5)
    poses = [random_pose(arm.kinematics, rng) for _ in range(2000)]
    plane, body = draw_arm(arm, name).axes
    for axes, view, first in (
        (plane, drawing.plane_view(arm), 0.0),
        (body, drawing.body_view(arm), None),
    ):
        tips = [
            tip(arm.kinematics, [pose[0] if first is None else first, *pose[1:]]) for pose in poses
        ]
        seen = view.flat(tips)
        ends = np.stack([seen.min(axis=0), seen.max(axis=0)])
        assert filled(axes) == pytest.approx(ends, abs=0.1 * arm.chain.reach.outer)


def test_a_target_shows_its_pose_and_its_status():
    arm = shipped('two_bone')
    targets = [(0.3, 0.1), (0.9, 0.2), (0.01, 0.0), (0.1, 0.0)]
    figure = draw_arm(arm, 'two_bone', [arm.kinematics.plane.point(x, y) for x, y in targets])
    told = legend(figure)
    codes = ('REACHED', 'TOO_FAR', 'TOO_NEAR', 'JOINT_LIMIT')
    for (x, y), code in zip(targets, codes, strict=True):
        (line,) = [text for text in told if text.startswith(f'({x:.4g}, {y:.4g}): {code}')]
        assert line.endswith(' away') == (code != 'REACHED')
        (drawn,) = [part for part in figure.axes[0].lines if part.get_label() == line]
        miss = np.hypot(*(np.array(drawn.get_data())[:, -1] - (x, y)))
        assert (miss < 1e-5) == (code == 'REACHED')
    assert 'home' in told


@pytest.mark.parametrize('name', IN_SPACE)
def test_targets_and_poses_are_projected_correctly(name):
    arm = IN_SPACE[name]
    size, near = arm.chain.reach.outer, tip(arm.kinematics, random_pose(arm.kinematics, SEEDED))
    targets = [tuple(near), tuple(np.array(near) + 4.0 * size)]
    figure = draw_arm(arm, name, targets)
    (reached,) = [text for text in legend(figure) if text.endswith('REACHED')]
    (missed,) = [text for text in legend(figure) if text.endswith(' m away')]
    for axes, view in zip(figure.axes, (None, drawing.body_view(arm)), strict=False):
        marks = [np.array(line.get_data())[:, 0] for line in axes.lines if line.get_marker() == '+']
        if view is not None:
            assert marks == pytest.approx(view.flat(targets), abs=1e-9)
        # A pose ends at the cross of a reached target, and away from a missed one.
        labels = [line.get_label() for line in figure.axes[0].lines]
        for label, mark, hits in zip((reached, missed), marks, (True, False), strict=True):
            line = axes.lines[labels.index(label) - len(labels)]
            assert (np.hypot(*(np.array(line.get_data())[:, -1] - mark)) < 1e-5) == hits
        # A distant target does not shrink the arm to a dot.
        left, right = axes.get_xlim()
        assert right - left < 8.0 * size


def test_entries_of_the_legend_have_distinct_colours():
    arm = shipped('two_bone')
    for count in (1, 5, 9):
        targets = [(0.2 + 0.03 * number, 0.1, 0.0) for number in range(count)]
        drawn = draw_arm(arm, 'two_bone', targets).axes[0].lines
        colours = [str(line.get_color()) for line in drawn if line.get_label()[0] != '_']
        assert len(set(colours)) == len(colours) == count + 2


@pytest.mark.parametrize(
    ('config', 'reach'),
    # A snake can return to its base, though the corners of its area are far away.
    [('two_bone', '0.1548 to 0.55'), ('excavator', '0 to 10.2'), ('snake', '0 to 0.8')],
)
def test_without_targets_the_nearest_and_farthest_points_are_shown(config, reach):
    arm = shipped(config)
    figure = draw_arm(arm, config)
    for end in ('farthest', 'nearest'):
        (line,) = [text for text in legend(figure) if text.startswith(end)]
        assert line.endswith('REACHED')
    assert f'reaches {reach} m' in figure.texts[0].get_text()


@pytest.mark.parametrize('name', IN_SPACE)
def test_joints_are_named_beside_their_links(name):
    arm = IN_SPACE[name]
    plane, _ = draw_arm(arm, 'any').axes
    assert [text.get_text() for text in plane.texts] == list(arm.chain.names)


def test_the_area_at_a_tip_angle_is_shaded():
    arm = shipped('three_link')
    plain = len(draw_arm(arm, 'three_link').axes[0].collections)
    shaded = draw_arm(arm, 'three_link', settings=Settings(tip_angle=-0.5))
    assert len(shaded.axes[0].collections) == plain + 2
    assert any('at a tip angle of -28.65 deg, ' in text for text in legend(shaded))
    for end in ('farthest', 'nearest'):  # of what is reached at the angle
        (line,) = [text for text in legend(shaded) if text.startswith(end)]
        assert line.endswith('REACHED')


def test_up_is_up_on_the_page():
    """Also if the axis points down, and for a leg, whose axis is horizontal."""
    for arm in (shipped('px100'), IN_SPACE['so101'], shipped('go2', '/fl/ik2d')):
        low, high = drawing.plane_view(arm).flat([(0.1, 0.05, 0.0), (0.1, 0.05, 0.3)])
        assert high - low == pytest.approx([0.0, 0.3], abs=1e-5)
    assert drawing.body_view(IN_SPACE['so101']).labels == ('x in m', 'y in m')
    assert drawing.body_view(IN_SPACE['scara']).labels == ('x in m', 'z in m')


carriers = st.sampled_from(
    [
        None,
        Turntable(),
        Turntable((0.1, 0.2, 0.3), (0.0, 1.0, 0.0), -9.0, 9.0),
        Turntable((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), 0.5, 0.5),
        Lift(),
        Lift(-1, -1e6, 1e6),
        Lift(1, 0.2, 0.2),
    ]
)


@given(one_to_six.filter(lambda count: count < 4), carriers, st.sampled_from([0.0, 1e-4, 1.0]))
@settings(max_examples=8)
def test_any_arm_can_be_drawn(count, carrier, length):
    chain = Chain.from_lengths([length] * count, [(-1.0, 1.0)] * count)
    is_upright = getattr(carrier, 'axis', None) == (0.0, 0.0, 1.0)
    plane = Plane.from_pose((0.0,) * 3, (np.pi / 2.0 * is_upright, 0.0, 0.0))
    kind = 'turntable' if isinstance(carrier, Turntable) else 'lift'
    figure = draw_arm(described(Arm(chain, plane, **{kind: carrier})), 'any $name')
    figure.canvas.draw()
    for axes in figure.axes:
        (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
        assert left < right
        assert low < high


def test_without_matplotlib_it_says_what_to_install(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, 'matplotlib', None)
    status, out, err = run('plot', 'two_bone', '-o', tmp_path / 'reach.png')
    assert (status, out, err.count('\n')) == (2, '', 1)
    assert 'pip install matplotlib' in err
