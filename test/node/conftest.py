"""The nodes that the tests of a file talk to."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from harness import HAS_ROS
from node_client import TWO, Client, new_context, parameter_file
from transforms import with_tf

if HAS_ROS:
    from std_srvs.srv import Trigger


@pytest.fixture
def client_of(ros_environment: int, spin_until: Any) -> Iterator[Callable[[str], Client]]:
    """``client_of(node) -> Client`` of a node, by its full name."""
    # Their own: a context that has been there for long is heard of by new nodes only later.
    with new_context() as context, contextlib.ExitStack() as stack:

        def connect(node: str = '/ik2d') -> Client:
            client = Client(context, spin_until, node)
            stack.callback(client.close)
            return client

        yield connect


@pytest.fixture
def start(
    client_of: Callable[[str], Client], start_process: Any, tmp_path: Path
) -> Iterator[Callable[..., Any]]:
    """``start(parameters, *ros_arguments) -> (process, client)``; none may log a traceback."""
    processes: list[Any] = []

    def start_node(
        parameters: Mapping[str, object],
        *arguments: str,
        node: str = '/ik2d',
        env: Mapping[str, str] | None = None,
        program: Sequence[str] = ('node',),
    ) -> tuple[Any, Client]:
        file = parameter_file(tmp_path / f'{len(processes)}.yaml', parameters)
        ros_arguments = ('--ros-args', '--params-file', file, *arguments)
        process, client = start_process(*program, *ros_arguments, env=env), client_of(node)
        processes.append(process)
        process.wait_for_output('ready')
        return process, client

    yield start_node
    assert 'Traceback' not in ''.join(process.output for process in processes)


@pytest.fixture(scope='module')
def lasting(
    ros_environment: int, start_lasting: Any, spin_until: Any, tmp_path_factory: Any
) -> Iterator[Client]:
    """One node with two joints, and with TF, for all the tests of a file."""
    file = parameter_file(tmp_path_factory.mktemp('lasting') / 'two.yaml', TWO)
    arguments = ('--ros-args', '--params-file', file, '-r', '__ns:=/lasting')
    process = start_lasting('node', *arguments, env=with_tf())
    with new_context() as context:
        client = Client(context, spin_until, '/lasting/ik2d').connect()
        client.process = process
        yield client
        client.close()
    assert process.stop() == 0
    assert re.search('Traceback|internal error', process.output) is None, process.output


@pytest.fixture
def arm(lasting: Client) -> Client:
    """That node at home, with the parameters that it was started with, and nothing under way."""
    lasting.reset(TWO)
    for service in ('home', 'stop'):
        assert lasting.call(Trigger, service).success
    lasting.connect().pose()
    lasting.joint_states.clear()
    return lasting
