"""The table of outcomes."""

from __future__ import annotations

import pytest

from ik2d_ros.kinematics import Status
from ik2d_ros.node.outcome import REACHABLE, VERDICTS, Code, Level


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
