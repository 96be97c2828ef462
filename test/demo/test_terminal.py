"""What the demo prints about a sample: first what the arm does, then where, in few lines."""

from __future__ import annotations

import math
from dataclasses import replace

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.demo.monitor import judge
from ik2d_ros.demo.terminal import line, lines
from ik2d_ros.kinematics import Chain, Joint, Turntable
from ik2d_ros.node.outcome import Level
from ik2d_ros.node.report import ReceivedStatus

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


def sample_at(q, target, code='REACHED', sentence='The target is reached.', arm=ARM, **status):
    said = ReceivedStatus(code, sentence, Level.OK, code == 'REACHED', **status)
    return judge(arm, target, dict(zip(arm.names, q, strict=True)), said)


def test_an_arm_in_space_is_told_in_space_and_in_degrees():
    sample = sample_at((math.pi / 2.0, 0.0, 0.0), (0.1, 0.5, 0.3), arm=ON_A_TURNTABLE)
    text = line(ON_A_TURNTABLE, sample, 1.0)
    assert 'target  0.100  0.500  0.300 m' in text
    assert 'tip  0.000  0.550  0.100 m' in text
    assert 'waist 90.0 deg' in text


def test_under_way_it_says_how_far_and_there_how_exactly():
    away = sample_at((0.0, 0.0), (0.392, 0.0, 0.0), is_on_the_way=True)
    assert ' s  moving ' in line(ARM, away, 1.0)
    assert '158 mm to go' in line(ARM, away, 1.0)
    there = sample_at((0.0, 0.0), (0.55, 0.0, 0.0))
    assert ' s  REACHED ' in line(ARM, there, 1.0)
    assert 'off by < 1 um' in line(ARM, there, 1.0)


def test_a_tip_angle_is_told_where_one_is_asked_for():
    asked = sample_at((0.2, 0.3), (0.4, 0.1, 0.0), angle=0.5, angle_error=math.radians(2.0))
    assert 'tip angle 28.6 deg, 2.0 off' in line(ARM, asked, 1.0, asks_angle=True)
    assert 'angle' not in line(ARM, asked, 1.0)


def test_lines_come_at_a_modest_rate_and_at_every_change_of_code(capsys):
    reached = sample_at((0.0, 0.0), (0.55, 0.0, 0.0))
    missed = sample_at((0.0, 0.0), (0.7, 0.0, 0.0), 'TOO_FAR', 'It is too far.')
    show = lines(ARM)
    for i in range(200):  # 10 s at 20 Hz, out of reach for one sample in the middle
        show(missed if i == 101 else reached, i * 0.05)
    told = capsys.readouterr().out.splitlines()
    assert sum('TOO_FAR' in each for each in told) == 1
    assert sum('It is too far.' in each for each in told) == 1
    assert 10 <= sum('target' in each and ' s  ' in each for each in told) <= 20
