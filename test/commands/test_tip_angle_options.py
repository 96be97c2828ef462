"""``--angle`` of ``ik2d solve`` and ``ik2d plot``."""

from __future__ import annotations

import importlib.util
import json
import math

import numpy as np
import pytest

from ik2d_ros import cli

HAS_MATPLOTLIB = importlib.util.find_spec('matplotlib') is not None
needs_matplotlib = pytest.mark.skipif(not HAS_MATPLOTLIB, reason='matplotlib is not installed')

COARSELY = {'CELLS': 8, 'COARSE': 6, 'ASKED': 6}  # so that a drawing does not take long


@pytest.fixture
def run(capsys):
    """Run the command line in this process: gives exit status, stdout, stderr."""

    def run(*arguments):
        try:
            status = cli.main([*map(str, arguments)])
        except SystemExit as end:
            status = end.code
        return status, *capsys.readouterr()

    return run


@pytest.mark.parametrize('angle', ['0.2', '-0.5', '-1e-1', '6.4'])
def test_a_target_is_solved_at_an_angle(run, angle):
    status, out, _ = run('solve', 'three_link', '0.35', '0.3', '--angle', angle, '--json')
    said = json.loads(out)
    assert (status, said['code']) == (0, 'REACHED')
    assert math.remainder(said['angle'] - float(angle), math.tau) == pytest.approx(0.0, abs=1e-6)
    assert said['angle_error'] <= 1e-6
    _, text, _ = run('solve', 'three_link', '0.35', '0.3', '--angle', angle)
    turned = math.degrees(math.remainder(float(angle), math.tau))
    assert f'{turned:.3f} deg, ' in text
    assert ' deg off' in text


def test_a_missed_angle_is_told_and_may_be_tolerated(run):
    target = ('solve', 'three_link', '0.35', '0.3', '--angle', '2.5')
    said = json.loads(run(*target, '--json')[1])
    assert (said['code'], said['reachable']) == ('TIP_ANGLE', False)
    assert said['error'] <= 1e-6 < said['angle_error']
    text = run(*target)[1]
    assert 'reachable: no' in text
    off = f'{math.degrees(said["angle_error"]):.3g} deg off'
    assert text.count(off) == 2  # as the reason, and beside the angle
    more = ('--angle-tolerance', str(1.01 * said['angle_error']), '--json')
    assert json.loads(run(*target, *more)[1])['code'] == 'REACHED'


def test_without_an_angle_it_is_told_and_nothing_is_off(run):
    text = run('solve', 'two_bone', '0.3', '0.1')[1]
    assert '\nangle: ' in text
    assert 'deg off' not in text


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (('solve', 'two_bone', '0.3', '0.1', '--angle', '0.5'), ['tip_angle', '0.5', '3 joints']),
        (('solve', 'three_link', '0.3', '0.1', '--angle', 'up'), ["'up'", 'number of radians']),
        (('solve', 'three_link', '0.3', '0.1', '--angle', '1e9'), ['tip_angle', '1000000000.0']),
        (('solve', 'three_link', '0.3', '0', '--angle-tolerance', '0'), ['_tolerance', '> 0']),
        (('plot', 'two_bone', '-o', 'x.png', '--angle', '0.5'), ['tip_angle', '0.5', '3 joints']),
        (('plot', 'two_bone', '-o', 'x.png', '--angle'), ['--angle is not allowed', '3 joints']),
        (('plot', 'three_link', '-o', 'x.png', '--angle', 'up'), ["'up'", 'number of radians']),
    ],
)  # fmt: skip
def test_what_is_refused_is_named_in_one_line(run, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(*arguments)
    assert (status, out, err.count('\n')) == (2, '', 1)
    assert [word for word in words if word not in err] == []
    assert list(tmp_path.iterdir()) == []


@needs_matplotlib
@pytest.mark.parametrize('config', ['three_link'])
def test_what_is_reached_at_an_angle_is_drawn(monkeypatch, config):
    from ik2d_ros.commands import drawing
    from ik2d_ros.node.parameters import load_configuration
    from ik2d_ros.parameters.shipped import find_config

    for name, count in COARSELY.items():
        monkeypatch.setattr(f'ik2d_ros.arm.tip_angles.{name}', count)
    arm = load_configuration(find_config(config)).arm
    plain = len(drawing.draw_arm(arm, config).axes[0].collections)
    shaded = drawing.draw_arm(arm, config, angle=-0.5)
    assert len(shaded.axes[0].collections) == plain + 2
    labels = [
        text.get_text()
        for axes in shaded.axes
        if axes.get_legend() is not None
        for text in axes.get_legend().get_texts()
    ]
    assert 'at a tip angle of -28.65 deg' in labels
    ranges = drawing.draw_arm(arm, config, angle=math.inf)
    (scale,) = [axes for axes in ranges.axes if 'deg' in axes.get_ylabel()]
    assert scale.get_ylabel() == 'range of tip angles, deg'
    (widths,) = [c.get_array() for c in ranges.axes[0].collections if c.get_array() is not None]
    assert 0.0 <= np.nanmin(widths) < np.nanmax(widths) <= scale.get_ylim()[1] <= 360.0


@needs_matplotlib
@pytest.mark.parametrize('angle', [('--angle',)])
def test_a_picture_is_written(run, tmp_path, monkeypatch, angle):
    for name, count in COARSELY.items():
        monkeypatch.setattr(f'ik2d_ros.arm.tip_angles.{name}', count)
    file = tmp_path / 'angles.png'
    written = run('plot', 'three_link', '-o', file, '--dpi', '30', *angle, '--target', '0.3', '0.3')
    assert written == (0, f'{file}\n', '')
    assert file.read_bytes().startswith(b'\x89PNG')
