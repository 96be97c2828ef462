"""``ik2d calibrate``: what a person reads, and the file that is written."""

from __future__ import annotations

import numpy as np
import pytest

from ik2d_ros import load_arm
from ik2d_ros.parameters.shipped import find_config

TURNED = np.array([0.2, -0.15, 0.1])


@pytest.fixture(autouse=True)
def scipy():
    pytest.importorskip('scipy', reason='SciPy is not installed')


@pytest.fixture
def points(tmp_path):
    """Return a writer of points of three_link, whose zeros are off by ``TURNED``."""

    def write(head='', degrees=False, size=1.0):
        random, arm = np.random.default_rng(1), load_arm('three_link')
        q = random.uniform(-1.5, 1.5, (14, 3))
        tips = arm.forward(q + TURNED)[:, -1]
        tips += random.normal(0.0, 1e-3, tips.shape)
        tips[3] += 0.08
        rows = np.hstack([np.degrees(q) if degrees else q, size * tips])
        text = '\n'.join(','.join(f'{x:.5f}' for x in row) for row in rows)
        file = tmp_path / 'points.csv'
        file.write_text(f'{head}{text}\n')
        return file

    return write


def test_the_zeros_are_found_and_written(run, points, tmp_path):
    output = tmp_path / 'fitted.yaml'
    status, out, _ = run('calibrate', 'three_link', points(), '-o', output)
    assert status == 0
    assert ', line 4 is ' in out
    before, after = load_arm(find_config('three_link')), load_arm(output)
    off = [
        one.axis * (two.offset - one.offset)
        for one, two in zip(before.joints, after.joints, strict=True)
    ]
    assert np.allclose(off, TURNED, atol=0.01)
    for name in before.names:
        assert f'chain.{name}.offset: ' in out


def test_the_names_of_columns_are_in_their_order(run, points):
    out = run('calibrate', 'three_link', points('shoulder,"elbow",wrist,x,y\n'))[1]
    assert out.replace('line 5', 'line 4') == run('calibrate', 'three_link', points())[1]
    status, _, err = run('calibrate', 'three_link', points('elbow,shoulder,wrist,x,y\n'))
    assert (status, 'must be shoulder, elbow, wrist, x, y' in err) == (2, True)


def test_what_does_not_fit_and_other_units_are_pointed_out(run, points, tmp_path):
    flipped, output = tmp_path / 'flipped.yaml', tmp_path / 'fitted.yaml'
    text = find_config('three_link').read_text()
    flipped.write_text(text.replace('axis: -1 ', 'axis: 1 '))
    assert load_arm(flipped).joints[1].axis == 1
    status, out, _ = run('calibrate', flipped, points(), '-o', output)
    assert (status, 'offset' in out, output.exists()) == (1, False, False)
    assert "do not fit such an arm: joint 'elbow' seems to go -0.99" in out
    assert 'degrees? It would be' in run('calibrate', 'three_link', points(degrees=True))[2]
    assert 'millimetres? It would be' in run('calibrate', 'three_link', points(size=1000.0))[2]


def test_any_number_of_joints_is_fitted_and_ends(run, tmp_path):
    random, output = np.random.default_rng(2), tmp_path / 'snake.yaml'
    rows = np.hstack([random.uniform(-0.5, 0.5, (30, 10)), random.uniform(-1.0, 1.0, (30, 2))])
    np.savetxt(tmp_path / 'points.csv', rows, delimiter=',')
    status, out, err = run('calibrate', 'snake', tmp_path / 'points.csv', '-o', output)
    assert status == 0, err
    assert 'after: ' in out
    assert load_arm(output).names == load_arm('snake').names
