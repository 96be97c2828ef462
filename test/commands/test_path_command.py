"""``ik2d path``: the verdict in words, the trajectory as CSV."""

from __future__ import annotations

import csv
import re
import sys
from tempfile import NamedTemporaryFile

import pytest
from harness import load_configuration, run_program
from hypothesis import given, settings
from hypothesis import strategies as st

from ik2d_ros.arm.coordinates import read_rows
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.shipped import find_config


@pytest.fixture
def points(tmp_path):
    def write(text):
        file = tmp_path / 'points.csv'
        file.write_text(text)
        return file

    return write


def test_a_path_is_judged_in_words(run, points):
    file = points('\ufeffx,y\n0.3,-0.2\n# a corner\n\n 0.3\t0.2\n')
    status, out, _ = run('path', 'two_bone', file)
    assert status == 0
    assert 'can be followed: REACHED, proven' in out
    status, out, _ = run('path', 'two_bone', points('0.4;0\n0.7; 0;\n'))
    assert status == 0
    assert 'cannot be followed: TOO_FAR, proven' in out
    assert '0.150001 m along the path' in out
    folded = '0.3 0.2\n0.3 0.2\n0.4 0.1\n0.3 0.2\n'
    assert 'can be followed: REACHED, proven' in run('path', 'two_bone', points(folded))[1]


def test_points_come_from_standard_input():
    command = (sys.executable, '-m', 'ik2d_ros.cli', 'path', 'wx250', '-')
    assert 'REACHED' in run_program(*command, input='0.3 0 0.1\n0.3 0.1 0.1\n').stdout


def test_the_trajectory_is_within_the_limits_and_ends_on_the_path(run, points, tmp_path):
    arm = load_configuration(find_config('three_link')).arm
    output, file = tmp_path / 'trajectory.csv', points('0.3 0.2\n0.4 0.1\n')
    status, out, _ = run('path', 'three_link', file, '-o', output, '--speed', 0.1)
    assert status == 0
    rows = list(csv.DictReader(output.open()))
    assert f'duration:    {float(rows[-1]["time"]):.3g} s' in out
    poses = [[float(row[name]) for name in arm.names] for row in rows]
    assert arm.chain.forward(poses[0])[-1] == pytest.approx((0.3, 0.2), abs=1e-5)
    assert arm.chain.forward(poses[-1])[-1] == pytest.approx((0.4, 0.1), abs=1e-5)
    assert [float(row['time']) for row in rows][:2] == [0.0, 0.02]
    for name, limits in zip(arm.names, arm.motion, strict=True):
        speeds = [abs(float(row[f'{name}_velocity'])) for row in rows]
        assert max(speeds) <= (limits.velocity or float('inf')) * (1 + 1e-6)


@pytest.mark.parametrize(
    ('text', 'options', 'words'),
    [
        ('', (), 'has no points'),
        ('0.3 0.2\n', (), 'points are 1'),
        ('0.3 nan\n0.3 0.2\n', (), 'finite numbers up to 1e+09'),
        ('0.3 0.2\n' + 9999 * '0.1 ', (), 'line 2 is too long'),
        ('x;y\n0,3;2\n0,4;1\n', (), "line 2 is '0,3;2': are its commas decimal ones?"),
        ('0.3 0.2\n0.3 0.2 0\n', (), "line 2 is '0.3 0.2 0'; it must be X Y, finite"),
        ('0.3 0.2\n0.4 0.2\n', ('--speed', 0), "'path_speed' is 0; it must be a finite number > 0"),
        (
            '0.3 0.2\n0.4 0.2\n',
            ('--speed', '1e-300', '-o', 'never.csv'),
            'must take at most 20000 s',
        ),
        ('9 9\n8 8\n', ('-o', 'never.csv'), 'its first point is TOO_FAR'),
    ],
)
def test_bad_input_is_named(run, points, text, options, words):
    status, _, err = run('path', 'two_bone', points(text), *options)
    assert (status, words in err) == (2, True), err


NAME = r'["\']?[a-zA-Zäß][\w.()\[\]/-]*["\']?'
NAMES = st.from_regex(NAME, fullmatch=True)
CELLS = st.one_of(NAMES, st.sampled_from(['\u22120.3', '0,3', '0.3m', '(0.3', '.3.', '--1', '_x']))


@settings(max_examples=30)
@given(st.lists(CELLS, min_size=2, max_size=3), st.sampled_from([' ', ';', ' ; ']))
def test_a_first_line_is_names_or_refused(cells, between):
    """A point that cannot be read is never skipped: another path would be judged."""
    forms = {2: 'X Y', 3: 'X Y Z'}
    with NamedTemporaryFile('w', encoding='utf-8') as file:
        file.write(f'{between.join(cells)}\n0.3 0.2\n0.4 0.2\n')
        file.flush()
        if all(re.fullmatch(NAME, cell) for cell in cells):
            assert [*read_rows(file.name, forms, 9)[1].values()] == [[0.3, 0.2], [0.4, 0.2]]
        else:
            with pytest.raises(ConfigError, match='line 1 is'):
                read_rows(file.name, forms, 9)


def test_a_missing_z_and_a_missing_file_are_named(run, points, tmp_path):
    assert 'needs Z' in run('path', 'wx250', points('0.3 0.2\n0.4 0.2\n'))[2]
    for file in (tmp_path / 'missing.csv', tmp_path):
        status, _, err = run('path', 'two_bone', file)
        assert (status, 'cannot be read' in err) == (2, True)
