"""``ik2d plot``: the picture shows what the solver answers."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from ik2d_ros import cli
from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Status, solve_batch
from ik2d_ros.node.parameters import load_configuration
from ik2d_ros.parameters.shipped import find_config

HAS_MATPLOTLIB = importlib.util.find_spec('matplotlib') is not None

if HAS_MATPLOTLIB:
    from matplotlib.collections import PolyCollection
    from matplotlib.path import Path as Outline
    from PIL import Image

    from ik2d_ros.commands import drawing as plot

pytestmark = pytest.mark.skipif(not HAS_MATPLOTLIB, reason='matplotlib is not installed')


@pytest.fixture
def ik2d(capsys):
    """Run the command line in this process: gives exit status, stdout, stderr."""

    def run(*arguments):
        try:
            status = cli.main(['plot', *map(str, arguments)])
        except SystemExit as end:
            status = end.code
        return status, *capsys.readouterr()

    return run


def arm_of(chain, home=None):
    home = chain.middle if home is None else home
    return ArmDescription(chain, tuple(home), (MotionLimits(),) * len(chain))


def legend(figure):
    return [text.get_text() for text in figure.axes[1].get_legend().get_texts()]


@pytest.mark.parametrize(
    ('config', 'ending', 'begins'),
    [('two_bone', 'png', b'\x89PNG'), ('rail', 'svg', b'<?xml'), ('so101', 'pdf', b'%PDF')],
)
def test_arms_are_drawn_in_every_format(ik2d, tmp_path, config, ending, begins):
    file = tmp_path / f'reach.{ending}'
    assert ik2d(config, '-o', file, '--dpi', 30) == (0, f'{file}\n', '')
    assert file.read_bytes().startswith(begins)


def test_a_png_has_the_asked_resolution_and_is_not_blank(ik2d, tmp_path):
    sizes = []
    for dpi in (40, 80):
        file = tmp_path / f'{dpi}.PNG'
        assert ik2d('two_bone', '--output', file, '--dpi', dpi)[0] == 0
        with Image.open(file) as picture:
            sizes.append(picture.size)
            assert len(picture.convert('RGB').getcolors(1 << 24)) > 100
    assert sizes[1] == (2 * sizes[0][0], 2 * sizes[0][1])


@pytest.mark.parametrize('config', ['three_link', 'telescope'])
def test_the_drawn_area_is_what_the_solver_reaches(config):
    """But for a rim: the area's chords and corners may be off by a hundredth of the reach."""
    arm = load_configuration(find_config(config)).arm
    figure = plot.draw_arm(arm, config)
    (area,) = [c for c in figure.axes[0].collections if isinstance(c, PolyCollection)]
    outer = arm.chain.reach.outer
    points = np.random.default_rng(1).uniform(-1.1, 1.1, (1500, 2)) * outer
    drawn = np.zeros(len(points), dtype=bool)
    for path in area.get_paths():
        drawn |= Outline(path.vertices).contains_points(points)

    def reached(targets):
        return solve_batch(arm.chain, targets, tolerance=1e-5 * outer).status == Status.REACHED

    # What is on the same side in four directions around a point is no matter of the rim.
    around = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]) * 0.015 * outer
    sides = np.stack([reached(points + step) for step in around])
    inside, outside = sides.all(axis=0), ~sides.any(axis=0) & ~reached(points)
    assert inside.any()
    assert outside.any()
    assert drawn[inside].all()
    assert not drawn[outside].any()


def test_a_target_shows_its_pose_and_its_status():
    arm = load_configuration(find_config('two_bone')).arm
    targets = [(0.3, 0.1), (0.9, 0.2), (0.01, 0.0), (0.1, 0.0)]
    places = [arm.kinematics.plane.point(x, y) for x, y in targets]
    figure = plot.draw_arm(arm, 'two_bone', places)
    told = legend(figure)
    for (x, y), code in zip(
        targets, ('REACHED', 'TOO_FAR', 'TOO_NEAR', 'JOINT_LIMIT'), strict=True
    ):
        (line,) = [text for text in told if text.startswith(f'({x:.4g}, {y:.4g}): {code}')]
        assert line.endswith(' away') == (code != 'REACHED')
        (drawn,) = [part for part in figure.axes[0].lines if part.get_label() == line]
        tip = np.array(drawn.get_data())[:, -1]
        miss = np.hypot(*(tip - (x, y)))
        assert (miss < 1e-5) == (code == 'REACHED')
    assert 'home' in told


def test_no_two_entries_of_the_legend_have_one_colour():
    arm = load_configuration(find_config('two_bone')).arm
    for count in (1, 5, 9):
        targets = [(0.2 + 0.03 * number, 0.1, 0.0) for number in range(count)]
        drawn = plot.draw_arm(arm, 'two_bone', targets).axes[0].lines
        colours = [str(line.get_color()) for line in drawn if line.get_label()[0] != '_']
        assert len(set(colours)) == len(colours) == count + 2


@pytest.mark.parametrize('config', ['two_bone', 'excavator'])
def test_without_targets_the_ends_of_the_reach_are_shown(config):
    told = legend(plot.draw_arm(load_configuration(find_config(config)).arm, config))
    for end in ('farthest', 'nearest'):
        (line,) = [text for text in told if text.startswith(end)]
        assert line.endswith('REACHED')


def test_joints_and_their_limits_are_named():
    arm = load_configuration(find_config('three_link')).arm
    plan, table = plot.draw_arm(arm, 'three_link').axes
    named = {text.get_text() for text in plan.texts}
    assert named >= set(arm.chain.names)
    rows = {line.split()[0]: line for line in table.texts[0].get_text().splitlines() if line}
    for joint in arm.chain.joints:
        assert f'{np.degrees(joint.lower):.0f}..{np.degrees(joint.upper):.0f}' in rows[joint.name]


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['two_bone'], ['-o']),
        (['two_bone', '-o', 'reach.gif'], ['reach.gif', '.png', '.svg', '.pdf']),
        (['two_bone', '-o', 'reach'], ["'reach'", '.png']),
        (['two_bone', '-o', 'reach.png', '--dpi', '0'], ["'0'", '10', '1200']),
        (['two_bone', '-o', 'reach.png', '--dpi', 'fine'], ["'fine'", '10', '1200']),
        (['two_bone', '-o', 'reach.png', '--target', '0.1'], ['--target', '2']),
        (['two_bone', '-o', 'reach.png', '--target', 'nan', '0'], ["'nan'", 'metres']),
        (['no_bone', '-o', 'reach.png'], ['no_bone', 'two_bone']),
    ],
)
def test_what_is_refused_is_named_in_one_line(ik2d, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    status, out, err = ik2d(*arguments)
    assert (status, out) == (2, '')
    assert err.count('\n') == 1
    assert all(word in err for word in words)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(ik2d, tmp_path):
    status, out, err = ik2d('two_bone', '-o', tmp_path / 'no/such/reach.png')
    assert (status, out, err.count('\n')) == (1, '', 1)
    assert all(word in err for word in ('no/such/reach.png', 'no folder'))


def test_without_matplotlib_it_says_what_to_install(ik2d, tmp_path, monkeypatch):
    monkeypatch.delattr('ik2d_ros.commands.drawing')
    monkeypatch.delitem(sys.modules, 'ik2d_ros.commands.drawing')
    for name in [name for name in sys.modules if name.partition('.')[0] == 'matplotlib']:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, 'meta_path', [NoMatplotlib(), *sys.meta_path])
    status, out, err = ik2d('two_bone', '-o', tmp_path / 'reach.png')
    assert (status, out, err.count('\n')) == (2, '', 1)
    assert 'pip install matplotlib' in err


class NoMatplotlib:
    """An import finder for a Python without Matplotlib."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition('.')[0] == 'matplotlib':
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
