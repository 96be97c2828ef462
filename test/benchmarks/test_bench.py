"""The benchmark runs, tells successes beside times, and its yardstick is what it says it is.

Nothing here judges a time: they depend on the machine and on who else uses it.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from harness import PROGRAM_TIMEOUT, ROOT
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.kinematics import Chain

sys.path.append(str(ROOT / 'benchmarks'))
import trial
from article_ccd import article_ccd

SECTIONS = (
    'One solve, 2 links',
    'Growth',
    'Success without limits',
    'Success with limits',
    'Along paths',
    'Passes',
    'Two links, ',
    'Memory of one call',
    'Six links, ',
    'One solve at a tip angle',
    'At a tip angle: ',
)


@pytest.fixture(scope='module')
def quick_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    folder = tmp_path_factory.mktemp('bench')
    command = [sys.executable, str(ROOT / 'benchmarks' / 'bench.py'), '--quick']
    files = ['--json', str(folder / 'out.json'), '--write', str(folder / 'out.md')]
    done = subprocess.run(
        [*command, *files], capture_output=True, text=True, timeout=PROGRAM_TIMEOUT, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return json.loads((folder / 'out.json').read_text()), (folder / 'out.md').read_text()


def test_every_section_is_there_and_whole(quick_run: tuple[dict[str, Any], str]) -> None:
    report, text = quick_run
    titles = [table['title'] for table in report['tables']]
    for section in SECTIONS:
        assert any(title.startswith(section) for title in titles), section
    for table in report['tables']:
        assert table['rows']
        assert {len(row) for row in table['rows']} == {len(table['columns'])}
        assert f'## {table["title"]}' in text


def test_all_targets_are_reached(quick_run: tuple[dict[str, Any], str]) -> None:
    report, _ = quick_run
    assert report['failures'] == []
    shares = []
    for table in report['tables']:
        for place, column in enumerate(table['columns']):
            if (column.endswith(' (1e-09)') and 'ours' in column) or column == 'reached':
                rows = [row for row in table['rows'] if 'article' not in row[0]]
                shares += [row[place] for row in rows if row[place]]
    assert len(shares) > 40
    assert set(shares) == {'100 %'}


def test_every_demand_has_a_verdict(quick_run: tuple[dict[str, Any], str]) -> None:
    report, _ = quick_run
    assert report['bars']
    for bar in report['bars']:
        assert bar['demand']
        assert isinstance(bar['met'], bool)


def test_the_page_names_the_machine_by_cores_and_processor_only(
    quick_run: tuple[dict[str, Any], str],
) -> None:
    _, text = quick_run
    (line,) = [line for line in text.splitlines() if line.startswith('* Machine:')]
    assert ' cores, ' in line
    assert str(ROOT) not in text


ANGLES = st.floats(-math.pi, math.pi)


@given(
    pose=st.lists(ANGLES, min_size=2, max_size=6),
    goal=st.tuples(ANGLES, st.floats(0.0, 1.0)),
    cap=st.integers(1, 20),
)
def test_the_article_never_moves_away(
    pose: list[float], goal: tuple[float, float], cap: int
) -> None:
    chain = Chain.from_lengths([1.0 / len(pose)] * len(pose))
    target = (goal[1] * math.cos(goal[0]), goal[1] * math.sin(goal[0]))

    def away(q: list[float]) -> float:
        return float(np.hypot(*(chain.forward(q)[-1] - target)))

    once = article_ccd(chain.lengths, target, pose, cap=cap)
    more = article_ccd(chain.lengths, target, pose, cap=cap + 1)
    assert away(once) <= away(pose) + 1e-9
    assert away(more) <= away(once) + 1e-9


def test_the_article_sticks_where_its_figure_3_shows_it() -> None:
    chain = Chain.from_lengths([0.5, 0.5])
    target = (0.5, 0.0)
    q = article_ccd(chain.lengths, target, [0.0, 0.0])
    assert np.hypot(*(chain.forward(q)[-1] - target)) == pytest.approx(0.5)


def run_trial(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / 'benchmarks' / 'trial.py'), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=PROGRAM_TIMEOUT, check=False
    )


def test_the_trial_is_passed() -> None:
    done = run_trial('--count', '100', '--only', ' 2 links')
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    table = [line for line in done.stdout.splitlines() if line.startswith('| ')]
    rows = [line.split('|')[1:-1] for line in table if ' 2 links, ' in line]
    assert {row[0].split(',')[0].strip() for row in rows} == {'ccd', 'hybrid'}
    assert {'no limits', 'narrow limits', 'outside the annulus'} <= {
        row[0].split('links, ')[1].split(', start')[0].strip() for row in rows
    }
    assert all(int(row[1]) >= 10 for row in rows)
    assert all(int(cell) == 0 for row in rows for cell in row[2:4])


def test_the_trial_sees_what_is_missed() -> None:
    chain = Chain.from_lengths([0.5, 0.5], limits=[(-1.0, 1.0)] * 2)
    found = trial.judged(chain, np.array([[0.9, 0.1], [-0.9, 0.0]]), np.zeros((2, 2)), 'ccd')
    assert (found.targets, found.missed, found.missed_at_once) == (2, 1, 1)
    assert '[-0.9, 0.0]' in found.failures[0]


@pytest.mark.parametrize('count', ['0', '-5'])
def test_a_trial_of_no_targets_is_refused(count: str) -> None:
    done = run_trial('--count', count, '--only', '2 links')
    assert done.returncode == 2
    assert f'--count is {count}; it must be 1 or more' in done.stderr


def test_a_row_of_the_trial_that_is_not_there_is_named() -> None:
    done = run_trial('--only', '99 links')
    assert done.returncode == 2
    assert "'99 links'" in done.stderr
