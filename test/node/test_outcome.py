"""The table of outcomes: whole, of one meaning, and the only place where a code is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness import ROOT

from ik2d_ros.kinematics import Status
from ik2d_ros.node.outcome import REACHABLE, VERDICTS, Code, Level

PACKAGE = ROOT / 'ik2d_ros'
TABLE, REFUSALS = PACKAGE / 'node/outcome.py', PACKAGE / 'node/answer.py'
SOLVERS = sorted(PACKAGE.glob('kinematics/**/*.py'))

WORDS = re.compile(rf'\b({"|".join(code.name for code in Code)})\b')


def written(path: Path) -> set[str]:
    """The codes that stand in a file, be it in code, text or comment."""
    return set(WORDS.findall(path.read_text(encoding='utf-8')))


def test_levels_are_those_of_diagnostic_msgs() -> None:
    status = pytest.importorskip('diagnostic_msgs.msg').DiagnosticStatus
    assert {level.name for level in Level} == {'OK', 'WARN', 'ERROR', 'STALE'}
    for level in Level:
        assert bytes([level]) == getattr(status, level.name)


@pytest.mark.parametrize('status', Status)
def test_every_status_of_a_solver_has_the_code_of_its_name(status: Status) -> None:
    code = Code.of(status)
    assert code.name == status.name
    assert code.level is (Level.OK if status is Status.REACHED else Level.WARN)


def test_only_what_is_reached_is_said_to_be_reachable() -> None:
    assert [code for code in Code if code.reachable] == [Code.REACHED]
    for words in (REACHABLE, VERDICTS):
        assert set(words) == {True, False, None}
        assert len(set(words.values())) == 3


def test_every_level_has_colours_of_its_own() -> None:
    assert len({level.colour for level in Level}) == len(Level)
    assert len({level.terminal_colour for level in Level}) == len(Level)
    for level in Level:
        assert all(0 <= part <= 255 for part in level.colour)


def test_a_code_is_written_in_the_table_and_where_it_arises_and_nowhere_else() -> None:
    everywhere = {path: written(path) for path in sorted(PACKAGE.rglob('*.py'))}
    assert everywhere[TABLE] == {code.name for code in Code}
    refusals = {code.name for code in Code} - {status.name for status in Status}
    assert everywhere[REFUSALS] == refusals
    others = everywhere.keys() - {TABLE, REFUSALS, *SOLVERS}
    assert {path.name: everywhere[path] for path in others if everywhere[path]} == {}
