"""The process of the viewer: it starts, serves, ends, and reports its errors."""

from __future__ import annotations

import contextlib
import itertools
import socket
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from harness import CONFIG, DEFAULT_TIMEOUT, runs_in_full, without
from wire import subprotocol

from ik2d_ros.viewer.parameters import find_url

# That it ends at a signal, whatever it does, is tested with each: faults/test_signals.py.
pytestmark = pytest.mark.skipif(
    not runs_in_full(), reason='the page is served alike with each distribution'
)


def viewer(*extra, **parameters):
    """The command line of a viewer on any free port."""
    given = [('-p', f'{name}:={value}') for name, value in ({'port': 0} | parameters).items()]
    return ['-m', 'ik2d_ros.viewer', '--ros-args', *itertools.chain(*given), *extra]


def page_of(process):
    """The address of the page, once it is there."""
    process.wait_for_output('showing')
    return find_url(process.output)


@pytest.fixture
def started(viser, started):
    """The same, where Viser is installed."""
    return started


def test_it_serves_a_page_to_this_machine_until_it_is_told_to_stop(started):
    """It tells of mistyped parameters, but not of an arm's; the next one gets another port."""
    file = str(CONFIG / 'two_bone.yaml')
    process = started(*viewer('--params-file', file, '-p', 'hots:=127.0.0.1'))
    with urllib.request.urlopen(page_of(process), timeout=DEFAULT_TIMEOUT) as answer:
        assert b'<html' in answer.read(2000)
    port = urlsplit(page_of(process)).port
    listening = {
        fields[1].rpartition(':')[0]
        for name in ('tcp', 'tcp6')
        for line in Path('/proc/net', name).read_text().splitlines()[1:]
        if (fields := line.split())[3] == '0A' and fields[1].endswith(f':{port:04X}')
    }
    assert listening == {'0100007F'}  # 127.0.0.1
    second = started(*viewer(port=port))
    assert urlsplit(page_of(second)).port > port
    assert f'port {port} is taken' in second.output
    assert process.stop() == 0
    assert 'viser' not in process.output  # whose banner says the same in another way
    assert "did you mean 'host'?" in process.output
    assert 'chain' not in process.output


def test_it_tells_the_token_that_other_machines_need(started):
    process = started(*viewer(host='0.0.0.0'))
    address = page_of(process)
    assert address.startswith('http://127.0.0.1:')
    process.wait_for_output('can move the arm')
    with urllib.request.urlopen(address, timeout=DEFAULT_TIMEOUT) as answer:
        assert answer.status == 200
    with pytest.raises(urllib.error.HTTPError, match='403'):
        urllib.request.urlopen(address.partition('?')[0], timeout=DEFAULT_TIMEOUT)


def test_more_connections_than_descriptors_fill_no_log_and_do_not_hold_up_its_end(started):
    """180 connections, with 128 descriptors; afterwards the page is there again."""
    program = ' '.join([sys.executable, *viewer()])
    process = started('bash', '-c', f'ulimit -n 128; exec {program}')
    page = page_of(process)
    address = urlsplit(page)
    with contextlib.ExitStack() as stack:

        def connect(host, count):
            for _ in range(count):
                connection = stack.enter_context(socket.socket())
                connection.setblocking(False)
                connection.connect_ex((address.hostname, address.port))
                with contextlib.suppress(OSError):
                    if host:
                        connection.sendall(handshake(host))

        for host in ('', address.netloc, 'evil.example'):
            connect(host, 60)
        deadline = time.monotonic() + 3.0
        while time.monotonic() < deadline:
            assert len(process.output) < 10_000
            time.sleep(0.1)
        assert process.is_running()
        stack.close()
        deadline = time.monotonic() + DEFAULT_TIMEOUT
        while not is_served(page):
            assert time.monotonic() < deadline
        connect('', 50)
        connect(address.netloc, 30)  # they shake hands, and neither read on nor say goodbye
        # Below the 10 s that the library gives each of them; it takes one, with nothing else to do.
        assert process.stop(timeout=9.0) == 0
    assert len(process.output) < 10_000


def is_served(page):
    with contextlib.suppress(OSError), urllib.request.urlopen(page, timeout=1.0) as answer:
        return answer.status == 200
    return False


def handshake(host):
    lines = ['GET / HTTP/1.1', f'Host: {host}', 'Upgrade: websocket', 'Connection: Upgrade']
    lines += ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==']
    lines += [f'Sec-WebSocket-Protocol: {subprotocol()}', '', '']
    return '\r\n'.join(lines).encode()


def test_without_viser_it_says_what_to_install(start_process, ros_environment):
    process = start_process(*viewer(), env=without('viser'))
    assert process.wait() == 1
    assert process.stderr.startswith('ik2d_viewer: ')
    assert 'pip install viser' in process.stderr
    assert len(process.stderr.splitlines()) == 1
