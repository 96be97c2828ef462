"""The process of the viewer: it starts, serves, ends, and reports its errors."""

from __future__ import annotations

import contextlib
import socket
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from harness import CONFIG, DEFAULT_TIMEOUT, once, without
from wire import subprotocol

# That it ends at a signal, whatever it does, is tested with each: faults/test_signals.py.
pytestmark = once


def test_it_serves_a_page_to_this_machine_until_it_is_told_to_stop(run):
    """It tells of mistyped parameters, but not of an arm's; the next one gets another port.

    With a host for other machines it tells the token that they need.
    """
    file = str(CONFIG / 'two_bone.yaml')
    process = run.viewer('--params-file', file, '-p', 'hots:=127.0.0.1')
    with urllib.request.urlopen(process.address, timeout=DEFAULT_TIMEOUT) as answer:
        assert b'<html' in answer.read(2000)
    port = urlsplit(process.address).port
    listening = {
        fields[1].rpartition(':')[0]
        for name in ('tcp', 'tcp6')
        for line in Path('/proc/net', name).read_text().splitlines()[1:]
        if (fields := line.split())[3] == '0A' and fields[1].endswith(f':{port:04X}')
    }
    assert listening == {'0100007F'}  # 127.0.0.1
    second = run.viewer('-p', f'port:={port}', '-p', 'host:=0.0.0.0')
    assert second.address.startswith('http://127.0.0.1:')
    assert urlsplit(second.address).port > port
    assert f'port {port} is taken' in second.output
    second.wait_for_output('can move the arm')
    with urllib.request.urlopen(second.address, timeout=DEFAULT_TIMEOUT) as answer:
        assert answer.status == 200
    with pytest.raises(urllib.error.HTTPError, match='403'):
        urllib.request.urlopen(second.address.partition('?')[0], timeout=DEFAULT_TIMEOUT)
    assert process.stop() == 0
    assert 'viser' not in process.output  # whose banner says the same in another way
    assert "did you mean 'host'?" in process.output
    assert 'chain' not in process.output


def test_connections_that_nobody_uses_fill_no_log_and_do_not_hold_up_its_end(run):
    process = run.viewer()
    address = urlsplit(process.address)
    lines = ['GET / HTTP/1.1', f'Host: {address.netloc}', 'Upgrade: websocket']
    lines += ['Connection: Upgrade', 'Sec-WebSocket-Version: 13']
    lines += ['Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==']
    lines += [f'Sec-WebSocket-Protocol: {subprotocol()}', '', '']
    handshake = '\r\n'.join(lines).encode()  # after which they neither read nor say goodbye
    with contextlib.ExitStack() as stack:
        for words in (b'', handshake, b'nonsense') * 30:
            place = address.hostname, address.port
            connection = stack.enter_context(socket.create_connection(place, DEFAULT_TIMEOUT))
            connection.sendall(words)
        # Below the 10 s that the library gives each of them; it takes one, with nothing else to do.
        assert process.stop(timeout=9.0) == 0
    assert len(process.output) < 10_000


@pytest.mark.parametrize('missing', ['viser', 'trimesh'])
def test_without_viser_it_says_what_to_install(missing, start_process, ros_environment):
    process = start_process('viewer', env=without(missing))
    assert process.wait() == 1
    assert process.stderr.startswith('ik2d_viewer: ')
    assert 'pip install viser trimesh' in process.stderr
    assert len(process.stderr.splitlines()) == 1
