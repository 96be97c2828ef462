"""``ik2d path``: the verdict in words, the trajectory as CSV, the picture."""

from __future__ import annotations

import csv
import importlib.util
import io
import sys

import pytest

from ik2d_ros import cli
from ik2d_ros.node.parameters import load_configuration
from ik2d_ros.parameters.shipped import find_config


@pytest.fixture
def ik2d(capsys):
    """Run the command line in this process: gives exit status, stdout, stderr."""

    def run(*arguments):
        try:
            status = cli.main(['path', *map(str, arguments)])
        except SystemExit as end:
            status = end.code
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def points(tmp_path):
    def write(text):
        file = tmp_path / 'points.csv'
        file.write_text(text)
        return file

    return write


def test_a_path_is_judged_in_words(ik2d, points):
    status, out, _ = ik2d('two_bone', points('x,y\n0.3,-0.2\n# a corner\n0.3 0.2\n'))
    assert status == 0
    assert 'can be followed: REACHED, proven' in out
    status, out, _ = ik2d('two_bone', points('0.4;0\n0.7;0\n'))
    assert status == 0
    assert 'cannot be followed: TOO_FAR, proven' in out
    assert '0.150001 m along the path' in out


def test_points_come_from_standard_input(ik2d, monkeypatch):
    lines = io.TextIOWrapper(io.BytesIO(b'0.3 0 0.1\n0.3 0.1 0.1\n'))
    monkeypatch.setattr(sys, 'stdin', lines)
    assert 'REACHED' in ik2d('wx250', '-')[1]


def test_the_trajectory_is_within_the_limits_and_ends_on_the_path(ik2d, points, tmp_path):
    arm = load_configuration(find_config('three_link')).arm
    output = tmp_path / 'trajectory.csv'
    status, _, _ = ik2d('three_link', points('0.3 0.2\n0.4 0.1\n'), '-o', output, '--speed', 0.1)
    assert status == 0
    rows = list(csv.DictReader(output.open()))
    poses = [[float(row[name]) for name in arm.names] for row in rows]
    assert arm.chain.forward(poses[0])[-1] == pytest.approx((0.3, 0.2), abs=1e-5)
    assert arm.chain.forward(poses[-1])[-1] == pytest.approx((0.4, 0.1), abs=1e-5)
    times = [float(row['time']) for row in rows]
    assert times[:2] == [0.0, 0.02]
    for name, limits in zip(arm.names, arm.motion, strict=True):
        speeds = [abs(float(row[f'{name}_velocity'])) for row in rows]
        assert max(speeds) <= (limits.velocity or float('inf')) * (1 + 1e-6)


@pytest.mark.skipif(not importlib.util.find_spec('matplotlib'), reason='matplotlib is missing')
@pytest.mark.parametrize(
    ('config', 'text'),
    [
        ('two_bone', '0.4 0\n0.7 0\n'),
        ('wx250', '0.3 0 0.1\n0.3 0.1 0.1\n'),
        ('two_bone', '2 2\n3 3\n'),
    ],
)
def test_a_path_is_drawn(ik2d, points, tmp_path, config, text):
    picture = tmp_path / 'path.svg'
    assert ik2d(config, points(text), '--plot', picture)[0] == 0
    assert picture.read_bytes().startswith(b'<?xml')


@pytest.mark.parametrize(
    ('text', 'options', 'words'),
    [
        ('', (), 'has no points'),
        ('0.3 0.2\n', (), 'points are 1'),
        ('0.3 0.2\n0.3 nan\n', (), "line 2 is '0.3 nan'"),
        ('0.3 0.2\nx y\n', (), "line 2 is 'x y'"),
        ('0.3 0.2\n0.3 0.2 0\n', (), 'line 2 has 3 numbers; those before have 2'),
        ('0.3 0.2\n0.4 0.2\n', ('--speed', 0), 'metres per second'),
        ('9 9\n8 8\n', ('-o', 'never.csv'), 'its first point is TOO_FAR'),
    ],
)
def test_bad_input_is_named(ik2d, points, text, options, words):
    status, _, err = ik2d('two_bone', points(text), *options)
    assert (status, words in err) == (2, True), err


def test_what_a_turntable_needs_is_said(ik2d, points, tmp_path):
    assert 'needs Z' in ik2d('wx250', points('0.3 0.2\n0.4 0.2\n'))[2]
    status, _, err = ik2d('two_bone', tmp_path / 'missing.csv')
    assert (status, 'cannot be read' in err) == (2, True)
