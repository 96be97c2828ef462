"""Fixtures of the tests of the page: running programs, and the messages that they publish."""

from __future__ import annotations

import importlib.util

import pytest
from harness import CONFIG
from page import find_url
from wire import Served, Wire


@pytest.fixture(scope='session')
def viser():
    """Viser; skips where it is not installed."""
    if importlib.util.find_spec('viser') is None:
        pytest.skip('viser is not installed')


@pytest.fixture
def serve(viser):
    """``serve(name='two_bone', host='127.0.0.1')``: a page that shows an arm."""
    served = []

    def serve_one(*arguments):
        served.append(Served(*arguments))
        return served[-1]

    yield serve_one
    for each in served:
        each.page.close()


@pytest.fixture
def run(viser, ros_environment, start_process):
    """Start programs of the package; none may have printed an error in the end."""
    processes = []

    def start(module, *arguments):
        processes.append(start_process(module, *arguments))
        return processes[-1]

    def start_node(name, *arguments):
        file = str(CONFIG / f'{name}.yaml')
        return start('node', '--ros-args', '--params-file', file, *arguments)

    def start_viewer(*arguments):
        """It has the ``address`` of its page."""
        viewer = start('viewer', '--ros-args', '-p', 'port:=0', *arguments)
        viewer.wait_for_output('showing')
        viewer.address = find_url(viewer.output)
        return viewer

    start.node, start.viewer = start_node, start_viewer
    yield start
    for process in processes:
        process.end()
        assert 'Traceback' not in process.output
        assert 'Error' not in process.output


@pytest.fixture
def open_wire(viser):
    """``open_wire(address)``: the page without a browser."""
    opened = []

    def open_one(address, wait=True):
        opened.append(Wire(address))
        if wait:
            opened[-1].wait_for_arm()
        return opened[-1]

    yield open_one
    for wire in opened:
        wire.close()
