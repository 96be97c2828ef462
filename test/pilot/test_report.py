"""Reports, written as statuses and read back."""

from __future__ import annotations

import pytest
from harness import HAS_ROS

from ik2d_ros.kinematics import Status
from ik2d_ros.pilot.outcome import Code, Level
from ik2d_ros.pilot.report import Report

if HAS_ROS:
    from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

    from ik2d_ros.node.status import read

pytestmark = pytest.mark.usefixtures('ros_packages')


def test_solver_statuses_have_a_code_of_their_name_and_its_level() -> None:
    for status in Status:
        code = Code[status.name]
        level = DiagnosticStatus.OK if status is Status.REACHED else DiagnosticStatus.WARN
        assert (code.name, bytes([code.level])) == (status.name, level)


@pytest.mark.parametrize('code', Code)
def test_a_report_is_read_as_it_was_written(code: Code) -> None:
    wall = 'the table on which the arm stands, to the left of the door'
    parts = {'target': (0.1, -0.2, 1 / 3), 'error': 1 / 3, 'moving': True, 'wall': wall}
    report = Report.of(code, 'So it is.', **parts)
    pairs = [KeyValue(key=key, value=value) for key, value in report.values().items()]
    level = bytes([code.level])
    heard = read(DiagnosticStatus(level=level, message=report.message, values=pairs))
    assert heard.says_the_same(report)


def test_an_unknown_status_can_be_read() -> None:
    level, pairs = bytes([255]), [KeyValue(key='code', value='FROM_LATER')]
    heard = read(DiagnosticStatus(level=level, message='Yes.', values=pairs))
    assert heard.says_the_same(Report('FROM_LATER', Level.STALE, None, 'Yes.'))
