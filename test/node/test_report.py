"""Reports, written as statuses and read back."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from harness import HAS_ROS

from ik2d_ros.kinematics import Status
from ik2d_ros.node.outcome import Code, Level
from ik2d_ros.node.report import ReceivedStatus, Report, read

if HAS_ROS:
    from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

pytestmark = pytest.mark.usefixtures('ros_packages')


def status(level: int, values: Mapping[str, str], message: str = 'So it is.') -> DiagnosticStatus:
    pairs = [KeyValue(key=key, value=value) for key, value in values.items()]
    return DiagnosticStatus(level=bytes([level]), message=message, values=pairs)


def test_levels_are_the_levels_of_ros_and_codes_have_the_names_of_solver_statuses() -> None:
    assert {level.name for level in Level} == {'OK', 'WARN', 'ERROR', 'STALE'}
    for level in Level:
        assert bytes([level]) == getattr(DiagnosticStatus, level.name)
    for each in Status:
        code = Code.of(each)
        assert code.name == each.name
        assert code.level is (Level.OK if each is Status.REACHED else Level.WARN)


@pytest.mark.parametrize('code', Code)
def test_a_report_is_read_as_it_was_written(code: Code) -> None:
    report = Report(code, 'So it is.')
    heard = read(status(code.level, report.values()))
    assert heard == ReceivedStatus(code.name, report.message, code.level, code.reachable)


@pytest.mark.parametrize('level', [4, 255])
def test_an_unknown_status_can_be_read(level: int) -> None:
    values = {'code': 'FROM_LATER', 'reachable': 'perhaps', 'target_x': '1.0', 'target_y': '2.0'}
    heard = read(status(level, values))
    assert heard == ReceivedStatus('FROM_LATER', 'So it is.', Level.STALE, None)
    assert read(status(0, {})) == ReceivedStatus('?', 'So it is.', Level.OK, None)


def test_the_target_in_the_base_frame_is_published_and_read() -> None:
    pairs = Report(Code.REACHED, 'So it is.', place=(0.1, -0.2, 1 / 3)).values()
    assert [pairs[f'target_{axis}'] for axis in 'xyz'] == ['0.1', '-0.2', repr(1 / 3)]
    assert read(status(0, pairs)).target == (0.1, -0.2, 1 / 3)
