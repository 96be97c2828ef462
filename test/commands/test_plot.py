"""``ik2d plot`` shows the reach, the walls and home."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace

import numpy as np
import pytest
from harness import load_configuration
from space import described, random_arm, random_pose, tip

from ik2d_ros.kinematics import Wall
from ik2d_ros.parameters.shipped import find_config

HAS_MATPLOTLIB = importlib.util.find_spec('matplotlib') is not None

pytestmark = pytest.mark.skipif(not HAS_MATPLOTLIB, reason='matplotlib is not installed')


def shipped(name):
    return load_configuration(find_config(name)).arm


IN_SPACE = {
    'so101': replace(shipped('so101'), walls=()),
    'free': described(random_arm(3, 'asymmetric', 'free', np.random.default_rng(12))),
}


def filled(axes):
    """The smallest and largest x and y of the filled areas."""
    from matplotlib.collections import PolyCollection

    areas = [part for part in axes.collections if isinstance(part, PolyCollection)]
    points = np.concatenate([path.vertices for part in areas for path in part.get_paths()])
    return np.stack([points.min(axis=0), points.max(axis=0)])


@pytest.mark.parametrize(
    ('config', 'ending', 'begins'),
    [('two_bone', 'svg', b'<?xml'), ('rail', 'pdf', b'%PDF'), ('two_bone', 'PNG', b'\x89PNG')],
)
def test_arms_are_drawn_in_every_format(run, tmp_path, config, ending, begins):
    file = tmp_path / f'reach.{ending}'
    assert run('plot', config, '-o', file) == (0, f'{file}\n', '')
    assert file.read_bytes().startswith(begins)


@pytest.mark.parametrize('name', IN_SPACE)
def test_the_drawn_area_spans_the_reachable_points(name):
    from ik2d_ros.drawing.reach_plot import draw_reach, flat, page_of

    arm, rng = IN_SPACE[name], np.random.default_rng(5)
    poses = np.array([random_pose(arm.kinematics, rng) for _ in range(2000)])
    poses[:, 0] = 0.0
    seen = flat(page_of(arm), tip(arm.kinematics, poses))
    ends = np.stack([seen.min(axis=0), seen.max(axis=0)])
    (axes,) = draw_reach(arm, name).axes
    assert filled(axes) == pytest.approx(ends, abs=0.1 * arm.chain.reach.outer)


def test_without_matplotlib_it_says_what_to_install(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, 'matplotlib', None)
    status, out, err = run('plot', 'two_bone', '-o', tmp_path / 'reach.png')
    assert (status, out, err.count('\n')) == (2, '', 1)
    assert 'pip install matplotlib' in err


def test_what_is_across_a_wall_is_hatched_where_its_edge_is_seen():
    from ik2d_ros.drawing.reach_plot import draw_reach

    table = Wall((0.0, 0.0, -0.1), (0.0, 0.0, 3.0), 0.02, 'table')
    corner = Wall((0.1, 0.0, 0.0), (1.0, 1.0, 1.0), 0.0, 'corner')
    (axes,) = draw_reach(replace(shipped('so101'), walls=(table, corner)), 'arm').axes
    (hatched,) = [each for each in axes.collections if each.get_hatch()]
    (points,) = [path.vertices for path in hatched.get_paths()]
    assert points[:, 1].max() == pytest.approx(-0.08, abs=1e-5)
    assert hatched.get_label() == 'across wall table'
