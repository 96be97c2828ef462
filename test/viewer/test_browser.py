"""The page in a real browser, against the real node: what a person sees and does.

Positions are read from the scene that the browser draws, and held against a forward kinematics of
the test's own over the joint states that the node publishes. What needs no browser is in
``test_page.py``.
"""

from __future__ import annotations

import http.server
import importlib.util
import math
import threading
from urllib.parse import urlsplit

import page as pages
import pytest
import wire
from harness import CONFIG, runs_in_full

from ik2d_ros.robot.from_urdf import load_arm

pytestmark = [
    pytest.mark.skipif(
        pages.CHROMIUM is None, reason='Chromium is missing: apt-get install chromium'
    ),
    pytest.mark.skipif(
        importlib.util.find_spec('playwright') is None, reason='playwright is not installed'
    ),
    # A browser takes more processor time than all the rest of a test, and the page cannot tell one
    # distribution from the other. What its server does with ROS is seen with both in test_page.
    pytest.mark.skipif(not runs_in_full(), reason='a page in a browser is seen with Jazzy'),
]

MILLIMETRE = 1e-3


@pytest.fixture(scope='module')
def chromium(viser):
    with pages.browser() as running:
        yield running


@pytest.fixture
def open_page(chromium):
    opened = []

    def open_one(address, **options):
        opened.append(pages.open_page(chromium, address, **options))
        opened[-1].wait_for_arm()
        return opened[-1]

    yield open_one
    for page in opened:
        assert page.complaints == []
        page.page.close()


def close(place, other, tolerance=MILLIMETRE):
    return math.dist(place, other) <= tolerance


def is_where_ros_says(page, heard, arm):
    return close(page.tip, heard.tip(arm))


def test_an_arm_is_dragged_sent_to_numbers_and_home_and_along_a_path(run, heard, open_page):
    arm, ros = load_arm(CONFIG / 'two_bone.yaml'), heard()
    run.node('two_bone', '-p', 'path_speed:=0.5')
    page = open_page(run.viewer())
    page.wait_for_text('READY')
    page.wait(lambda: is_where_ros_says(page, ros, arm), 'the tip at home')
    home = page.handle
    assert close(home, page.tip)
    assert ros.targets == []  # an untouched handle never publishes

    # Dragged, within reach and beyond.
    page.drag_until(
        *(0.1, 0.3),
        lambda: ros.targets and close(ros.tip(arm), (0.1, 0.3), 0.003),
        'the target, and the tip at the mouse',
    )
    page.wait(lambda: is_where_ros_says(page, ros, arm), 'the tip on the page')
    page.wait_for_text('REACHED')
    assert close(page.handle, (0.1, 0.3), 0.003)
    page.drag_until(
        *(0.5, 0.4),
        lambda: 'TOO_FAR' in page.text and close(place(ros)[:2], (0.5, 0.4), 0.003),
        'the target out of reach',
    )
    page.wait(lambda: is_where_ros_says(page, ros, arm), 'the closest pose on the page')
    assert close(page.handle, (0.5, 0.4), 0.003)
    assert {target.point.z for target in ros.targets} == {0.0}
    page.drag_until(*(0.03, 0.12), lambda: 'JOINT_LIMIT' in page.text, 'a target that is forbidden')

    # Typed, and sent home.
    numbers = page.page.locator('input[inputmode=decimal]')

    def type_numbers():
        for index, number in enumerate(('0.31', '0.12')):
            numbers.nth(index).fill(number)
            numbers.nth(index).press('Enter')

    page.repeat_until(type_numbers, lambda: close(ros.tip(arm), (0.31, 0.12)), 'the tip there')
    page.wait_for_text('0.310, 0.120 m')
    page.wait(lambda: close(page.handle, (0.31, 0.12), 0.003), 'the target at the numbers')
    go_home = page.page.get_by_role('button', name='Home').click
    page.repeat_until(go_home, lambda: ros.positions(arm) == arm.home, 'the joints at home')
    page.wait(lambda: close(page.tip, home) and close(page.handle, home), 'the arm at home')

    # A path is drawn and followed.
    page.page.get_by_text('Path', exact=True).click()
    page.page.get_by_label('Draw').check()
    page.wait(page.has_sheet, 'a sheet')
    page.draw((0.4, -0.1))
    follow = page.page.get_by_role('button', name='Follow')
    page.wait(follow.is_visible, 'a path')
    before = page.on_screen(0.4, 0.2)  # the arm has been fitted into the window by now
    page.draw((0.4, 0.0), (0.4, 0.2), (0.3, 0.2))
    page.wait_for_text('of the path can be followed.')  # pixels are millimetres
    follow.click()
    page.wait(lambda: close(ros.tip(arm), (0.3, 0.2), 0.003), 'the tip at the end')
    assert close(page.on_screen(0.4, 0.2), before, 1.0)  # the view has not been dragged


def test_a_phone_shows_the_whole_arm_and_folds_the_details(run, heard, open_page):
    ros = heard()
    run.node('three_link')
    page = open_page(run.viewer(), width=390, height=844)
    page.wait_for_text('READY')
    assert 'Solver' not in page.text
    page.repeat_until(
        lambda: ros.publish(0.0, 0.0), lambda: 'The closest pose ends' in page.status, 'a status'
    )
    box = "document.querySelector('[role=status]')"
    assert page.page.evaluate(f'{box}.scrollHeight <= {box}.clientHeight'), page.status

    def is_whole():
        ends = (page.on_screen(*end) for end in ((-0.77, 0), (0.77, 0), (0, 0.77), (0, -0.77)))
        return all(0 <= px <= 390 and 0 <= py <= 844 for px, py in ends)

    page.wait(is_whole, 'the whole arm')
    page.page.get_by_text('Details').click()
    page.wait_for_text('Solver')


def place(ros):
    """The last target, in m."""
    point = ros.targets[-1].point
    return point.x, point.y, point.z


# --- strangers -------------------------------------------------------------------------------

STRANGER = """<!doctype html><title>stranger</title>
<iframe src="{address}"></iframe>
<script>
const report = (name, what) => (window.reports ??= {{}})[name] = what;
for (const host of ['127.0.0.1', 'localhost', '[::1]', 'evil.example']) {{
  const socket = new WebSocket(`ws://${{host}}:{port}/`, ['{subprotocol}']);
  socket.onopen = () => report('ws ' + host, 'open');
  socket.onerror = () => report('ws ' + host, 'refused');
}}
fetch('{address}').then(() => report('fetch', 'open'), () => report('fetch', 'refused'));
</script>"""


@pytest.fixture
def stranger():
    """``stranger(html) -> port`` of a page that is served at another address."""
    servers = []

    def serve(html):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header('Content-Type', 'text/html')
                self.end_headers()
                self.wfile.write(html.encode())

            def log_message(self, *_):
                pass

        servers.append(http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return servers[-1].server_address[1]

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize('host', ['127.0.0.1', '0.0.0.0'])
def test_a_page_of_a_stranger_gets_nowhere_and_its_own_opens(run, chromium, stranger, host):
    address = run.viewer('-p', f'host:={host}')
    port = urlsplit(address).port
    html = STRANGER.format(address=address, port=port, subprotocol=wire.subprotocol())
    page = chromium.new_page()
    for name in ('127.0.0.1', 'evil.example'):
        page.goto(f'http://{name}:{stranger(html)}/')
        page.wait_for_function('Object.keys(window.reports ?? {}).length == 5')
        assert set(page.evaluate('window.reports').values()) == {'refused'}
        frame = page.frames[1]
        assert 'viser' not in frame.content().lower()
    page.close()
    page = chromium.new_page()  # which has no cookie yet
    # By a name that was bound to this machine, and without the token of the other one.
    name = 'evil.example' if host == '127.0.0.1' else '127.0.0.1'
    assert page.goto(f'http://{name}:{port}').status == 403
    assert f'http://127.0.0.1:{port}' in page.inner_text('body')
    page.close()
    pages.open_page(chromium, address).wait_for_text('NO NODE')
