"""What the demo shows in a terminal: it fits, it is in the right place, and plain where it must."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.demo.monitor import SentPose, SentStatus, Tally, judge
from ik2d_ros.demo.picture import CYAN, Room, picture
from ik2d_ros.demo.scenes import scenes
from ik2d_ros.demo.terminal import PANEL_WIDTH, frame, line, panel, view
from ik2d_ros.kinematics import Chain, Joint, Turntable
from ik2d_ros.node.outcome import Code, Level

ARM = ArmDescription(
    Chain([Joint('shoulder', link=(0.3, 0.0)), Joint('elbow', link=(0.25, 0.0))]),
    (0.0, 0.0),
    (MotionLimits(), MotionLimits()),
)


ON_A_TURNTABLE = replace(
    ARM,
    home=(0.0, 0.0, 0.0),
    motion=(MotionLimits(),) * 3,
    base_xyz=(0.0, 0.0, 0.1),
    base_rpy=(math.pi / 2.0, 0.0, 0.0),
    turntable=Turntable(name='waist'),
)


def sample_at(q, target, code='REACHED', sentence='The target is reached.', arm=ARM):
    outcome = Code[code]
    status = SentStatus(0, 0, code, sentence, outcome.level, outcome.reachable is True)
    place = (*target, 0.0) if len(target) == 2 else target
    return judge(arm, place, SentPose(0, dict(zip(arm.names, q, strict=True))), status)


def drawn(sample, height):
    """The one view of an arm in its plane, this many rows high."""
    return picture(scenes(ARM, sample), Room(2 * height, height), Level.OK.terminal_colour)


angle = st.floats(-3.2, 3.2)


@given(
    q=st.tuples(angle, angle),
    target=st.tuples(st.floats(-1e3, 1e3), st.floats()),
    columns=st.integers(PANEL_WIDTH + 1, 300),
    rows=st.integers(2, 100),
    sentence=st.text('abc ', max_size=300),
)
def test_a_frame_fits_the_terminal(q, target, columns, rows, sentence):
    in_space = sample_at((1.0, *q), (*target, 0.2), sentence=sentence, arm=ON_A_TURNTABLE)
    for arm, sample in (
        (ARM, sample_at(q, target, sentence=sentence)),
        (ON_A_TURNTABLE, in_space),
    ):
        lines = frame(arm, sample, Tally(), 1.0, columns, rows)
        assert len(lines) == rows - 1
        assert all(len(cells) + 1 + len(text) <= columns for text, cells in lines)


def test_an_arm_in_space_is_told_in_space():
    sample = sample_at((math.pi / 2.0, 0.0, 0.0), (0.1, 0.5, 0.3), arm=ON_A_TURNTABLE)
    text = line(ON_A_TURNTABLE, sample, 1.0)
    assert 'target x  0.100  y  0.500  z  0.300 m' in text
    assert 'tip x  0.000  y  0.550  z  0.100 m' in text
    shown = panel(ON_A_TURNTABLE, sample, Tally(), 1.0, PANEL_WIDTH)
    for words in ('0.100  0.500  0.300 m', '0.000  0.550  0.100 m', 'waist'):
        assert any(words in text for text in shown)
    figures = [text for text in shown if text.startswith(('target', 'waist', 'tip'))]
    assert max(map(len, figures)) <= PANEL_WIDTH


def test_a_tip_angle_is_shown_where_one_is_asked_for():
    sample = sample_at((0.2, 0.3), (0.4, 0.1))
    asked = replace(sample, status=replace(sample.status, tip_angle=(0.5, math.radians(2.0))))
    words = '28.6 deg, 2.0 off'
    assert words in line(ARM, asked, 1.0)
    assert any(words in text for text in panel(ARM, asked, Tally(), 1.0, PANEL_WIDTH))
    assert 'angle' not in line(ARM, sample, 1.0)
    assert not any('angle' in text for text in panel(ARM, sample, Tally(), 1.0, PANEL_WIDTH))


@pytest.mark.parametrize(
    ('target', 'column', 'row'),
    [
        ((0.5, 0.0), 'right', 'middle'),
        ((0.0, 0.5), 'middle', 'top'),
        ((-0.5, -0.5), 'left', 'bottom'),
    ],
)
def test_x_points_right_and_y_points_up(target, column, row):
    height = 21
    cells = [
        (x, y)
        for y, line in enumerate(drawn(sample_at((0.3, 2.0), target), height))
        for x, (_, colour) in enumerate(line)
        if colour == Level.OK.terminal_colour
    ]
    x = np.mean([x for x, _ in cells]) / (2 * height)
    y = np.mean([y for _, y in cells]) / height
    third = {'left': (0, 1 / 3), 'top': (0, 1 / 3), 'middle': (1 / 3, 2 / 3)}
    for value, name in ((x, column), (y, row)):
        low, high = third.get(name, (2 / 3, 1))
        assert low < value < high


def test_the_arm_is_drawn_from_base_to_tip():
    """Stretched along x, it covers the row of the base from the middle to its reach."""
    height = 21
    rows = drawn(sample_at((0.0, 0.0), (-0.3, -0.3)), height)
    arm = [x for x, (_, colour) in enumerate(rows[height // 2]) if colour == CYAN]
    assert arm == list(range(arm[0], arm[-1] + 1))
    assert arm[0] == pytest.approx(height, abs=1)
    assert arm[-1] == pytest.approx(height * (1 + 1 / 1.2), abs=1)


def test_lines_come_at_a_modest_rate_and_at_every_change_of_code():
    out = io.StringIO()
    reached = sample_at((0.0, 0.0), (0.55, 0.0))
    missed = sample_at((0.0, 0.0), (0.7, 0.0), 'TOO_FAR', 'It is too far.')
    with view(ARM, out) as show:
        for i in range(200):  # 10 s at 20 Hz, out of reach for one sample in the middle
            show(missed if i == 101 else reached, Tally(), i * 0.05)
    lines = out.getvalue().splitlines()
    assert sum('TOO_FAR' in line for line in lines) == 1
    assert sum('It is too far.' in line for line in lines) == 1
    assert 10 <= sum('target' in line and ' s  ' in line for line in lines) <= 20
    for figure in ('x  0.700', 'x  0.550', '0.150 m', 'shoulder 0.000'):
        assert figure in next(line for line in lines if 'TOO_FAR' in line)
    assert '\x1b' not in out.getvalue()
