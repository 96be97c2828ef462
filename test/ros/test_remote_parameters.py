"""The parameters of a node, read and set from elsewhere."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from harness import DEFAULT_TIMEOUT

from ik2d_ros.parameters.file import load_parameters

CONFIG = Path(__file__).resolve().parents[2] / 'config'


@pytest.fixture
def remote(ros_node, spin_until):
    """``remote(name)``: reads and sets the parameters of a node, waiting for the answer."""
    from ik2d_ros.ros.remote_parameters import RemoteParameters

    class Remote:
        def __init__(self, name):
            self.parameters = RemoteParameters(ros_node, name)

        def wait(self, what=True):
            spin_until(ros_node, lambda: self.parameters.is_there() == what, what='the services')
            deadline = time.monotonic() + DEFAULT_TIMEOUT
            # The node may see each of our clients later than we see its services.
            while what and (self.read() is None or 'no answer' in self.write('none', 0)):
                assert time.monotonic() < deadline

        def ask(self, ask, *arguments):
            answers = []
            ask(*arguments, answers.append)
            spin_until(ros_node, lambda: self.parameters.tick() or answers, what='an answer')
            assert len(answers) == 1
            return answers[0]

        def read(self):
            return self.ask(self.parameters.read)

        def write(self, name, value):
            return self.ask(self.parameters.write, name, value)

    return Remote


def test_parameters_are_read_and_set_or_refused_until_the_node_does_not_answer(started, remote):
    """Then its services are still to be seen, but the process is stopped."""
    file = CONFIG / 'three_link.yaml'
    process = started('-m', 'ik2d_ros.node', '--ros-args', '--params-file', str(file))
    node = remote('ik2d')
    node.wait()
    given = load_parameters(file)
    assert {key: value for key, value in node.read().items() if key in given} == given
    assert node.write('solver', 'ccd') is None
    assert node.read()['solver'] == 'ccd'
    assert 'exactly two' in node.write('solver', 'two_bone')
    assert node.read()['solver'] == 'ccd'
    process.popen.send_signal(signal.SIGSTOP)
    try:
        assert node.read() is None
        assert 'no answer' in node.write('solver', 'ccd')
    finally:
        process.popen.send_signal(signal.SIGCONT)
    deadline = time.monotonic() + DEFAULT_TIMEOUT
    while node.read() is None:  # it has old requests to answer first
        assert time.monotonic() < deadline
    process.stop()
    node.wait(False)
