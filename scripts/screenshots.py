#!/usr/bin/env python3
"""Take the pictures of the page for the documents from `ik2d view`: `make screenshots`.

They go to ``doc/images``: ``viewer.png`` while the arm moves, ``viewer_in_space.png`` of an arm
with a turntable on a large screen, ``viewer_phone.png`` of one on a phone, ``so101.gif`` of its
first six seconds, each picture a tenth of a second of its own time, ``drag.gif`` of a drag,
``path.gif`` of a path that is drawn and followed, and ``design.gif`` of an arm that is designed. In
these the mouse goes step by step, and waits for each picture; the arm is as quick as ever. The
browser shows no mouse without a screen, so an arrow is drawn in its place.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / 'test' / 'viewer'), str(ROOT / 'test')]

import page as pages  # noqa: E402

from ik2d_ros.parameters.shipped import single_arms  # noqa: E402
from ik2d_ros.pilot.clock import Now  # noqa: E402
from ik2d_ros.robot.from_urdf import load_completed  # noqa: E402
from ik2d_ros.viewer import drawing  # noqa: E402
from ik2d_ros.viewer.front import Front  # noqa: E402
from ik2d_ros.viewer.local import PERIOD, LocalArm  # noqa: E402
from ik2d_ros.viewer.parameters import ViewerSettings  # noqa: E402

IMAGES = ROOT / 'doc/images'
SIZE, LARGE, PHONE = (1280, 720), (2560, 1440), (390, 844)
DRAG_SIZE, SPACE_SIZE = (960, 576), (720, 450)
TENTHS = 100  # pictures of the arm in space
IN_SPACE = 'so101'
LAP = 6.5  # s; a bit more than the demo path takes
REACHED = 'The target can be reached'
FRAME = 70  # ms
LENGTH, PAUSE = 1.5, 0.45  # m of the path that is drawn; s between pictures of the arm on it
COLOURS = 100
LARGEST = 1_000_000  # bytes
NAMES = (
    *('viewer.png', 'viewer_in_space.png', 'viewer_phone.png'),
    *('so101.gif', 'drag.gif', 'path.gif', 'design.gif'),
)

ARROW = """
addEventListener('DOMContentLoaded', () => {
  const arrow = document.createElement('div');
  arrow.innerHTML = `<svg width="22" height="30" viewBox="0 0 11 15"><path d="M0.5 0.5V12L3.3
    9.4L5.3 14L7.3 13.1L5.3 8.7H9.2Z" fill="white" stroke="black" stroke-width="0.9"/></svg>`;
  Object.assign(arrow.style, {position: 'fixed', left: '-50px', zIndex: 99999,
    pointerEvents: 'none', lineHeight: 0});
  document.body.append(arrow);
  addEventListener('pointermove', event => Object.assign(arrow.style,
    {left: event.clientX + 'px', top: event.clientY + 'px'}), true);
});
"""


def main() -> int:
    if pages.CHROMIUM is None:
        print('Chromium is missing: apt-get install chromium', file=sys.stderr)
        return 1
    with demo() as address, pages.browser() as browser:
        picture(browser, address, SIZE, IMAGES / 'viewer.png')
        animation_of_a_drag(browser, address, IMAGES / 'drag.gif')
        animation_of_a_path(browser, address, IMAGES / 'path.gif')
    with demo('three_link') as address, pages.browser() as browser:
        animation_of_a_design(browser, address, IMAGES / 'design.gif')
    with pages.browser() as browser:
        animation_in_space(browser, IMAGES / 'so101.gif')
    with demo(IN_SPACE) as address, pages.browser() as browser:
        picture(browser, address, LARGE, IMAGES / 'viewer_in_space.png')
        picture(browser, address, PHONE, IMAGES / 'viewer_phone.png')
    sizes = {name: (IMAGES / name).stat().st_size for name in NAMES}
    for name, size in sizes.items():
        print(f'doc/images/{name}: {size / 1000.0:.0f} kB, of {LARGEST / 1000.0:.0f} kB at most')
    return int(max(sizes.values()) > LARGEST)


@contextlib.contextmanager
def demo(*arguments: str) -> Iterator[str]:
    """Start the page without ROS, and yield its address."""
    running = subprocess.Popen(
        [sys.executable, '-m', 'ik2d_ros.cli', 'view', '--port', '0', *arguments],
        env={**os.environ, 'PYTHONUNBUFFERED': '1'},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        address = next(filter(None, map(pages.find_url, running.stdout)), None)
        if address is None:
            raise SystemExit('the page does not open')
        yield address
    finally:
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=30.0)


def picture(browser: object, address: str, size: tuple[int, int], path: Path) -> None:
    page = pages.open_page(browser, address, *size)
    time.sleep(LAP)
    image = None
    while image is None or REACHED not in page.status:  # any more: a busy machine takes long
        page.wait(lambda: REACHED in page.status, 'a pose to show')
        image = screenshot(page)
    image.thumbnail((1280, 1280))
    image.save(path, optimize=True)
    page.page.close()


def is_a_good_pose(page: pages.Page) -> bool:
    """Up and to the right, the target reached; the handle may be a frame ahead of the arm."""
    x, y = page.tip
    is_there = math.dist(page.handle, (x, y)) < 0.01
    return REACHED in page.status and is_there and 0.30 < x < 0.45 and 0.06 < y < 0.2


def animation_of_a_drag(browser: object, address: str, path: Path) -> None:
    page = pages.open_page(browser, address, *DRAG_SIZE, ARROW)
    page.wait(lambda: is_a_good_pose(page), 'a pose to begin with')
    frames = [screenshot(page)]
    x, y = page.handle
    px, py = page.on_screen(x, y)
    for part in steps(8):  # the mouse comes from the lower right
        page.page.mouse.move(px + 150 * (1 - part), py + 120 * (1 - part))
        frames.append(screenshot(page))
    with page.grabbed() as move:
        for place in way((x, y)):
            move(*place)
            page.page.wait_for_timeout(90)  # viser sends 20 places of the mouse a second
            frames.append(screenshot(page))
    save(page, frames, path)


def animation_in_space(browser: object, path: Path) -> None:
    file, steady = single_arms()[IN_SPACE], 0.0
    front = Front(ViewerSettings(port=0), IN_SPACE, lambda: None, print)
    arm = LocalArm(file, 'ik2d', load_completed(file), front.controller, str, Now(0, steady))

    def go_on(count: int) -> None:
        nonlocal steady
        for _ in range(count):
            steady += PERIOD
            arm.tick(Now(round(1e9 * steady), steady))
        front.show()

    go_on(1)
    page = pages.open_page(browser, front.page.address, *SPACE_SIZE)
    area = 'window.coloured(window.area_colour).length > 0'
    page.wait(lambda: go_on(0) or page.page.evaluate(area), 'the area')
    page.page.wait_for_timeout(2000)
    frames = []
    for _ in range(TENTHS):
        go_on(round(0.1 / PERIOD))
        page.page.wait_for_timeout(60)
        page.wait_for_frames()
        frames.append(screenshot(page))
    save(page, frames, path, duration=100)
    front.page.close()


def animation_of_a_path(browser: object, address: str, path: Path) -> None:
    page = pages.open_page(browser, address, *DRAG_SIZE, ARROW)
    page.page.get_by_role('tab', name='Path').click()
    page.page.get_by_label('Draw').check()
    page.wait(page.has_sheet, 'a sheet')
    frames, places = [], list(wave())
    page.page.mouse.move(*page.on_screen(*places[0]))
    page.wait_for_frames()
    page.page.mouse.down()
    for place in places:
        page.page.mouse.move(*page.on_screen(*place))
        page.page.wait_for_timeout(90)
        frames.append(screenshot(page))
    page.page.mouse.up()
    page.wait_for_text('can be followed')
    began = time.monotonic()
    frames += [screenshot(page)] * 8
    slow = 2.0 * LENGTH / (len(places) * (time.monotonic() - began + PAUSE))  # for half as many
    page.page.get_by_label('Speed, m/s').click()
    page.page.keyboard.press('Control+A')
    page.page.keyboard.type(f'{max(min(slow, 0.1), 0.005):.3f}')
    page.page.keyboard.press('Enter')
    follow = page.page.get_by_role('button', name='Follow')
    box = follow.bounding_box()
    page.page.mouse.move(box['x'] + 0.5 * box['width'], box['y'] + 0.6 * box['height'])
    frames += [screenshot(page)] * 5
    follow.click()
    deadline = time.monotonic() + 600.0
    while not page.status.startswith('REACHED') or len(frames) < len(places) + 20:
        frames.append(screenshot(page))
        page.page.wait_for_timeout(1e3 * PAUSE)
        assert time.monotonic() < deadline
    save(page, frames, path)


def animation_of_a_design(browser: object, address: str, path: Path) -> None:
    page = pages.open_page(browser, address, *DRAG_SIZE, ARROW)
    page.page.get_by_role('button', name='Home').click()
    page.page.wait_for_timeout(3000)
    page.page.get_by_role('tab', name='Design').click()
    ends, limits = (
        f"window.coloured('{pages.hex_string(colour)}')" for colour in (drawing.END, drawing.RANGE)
    )
    page.wait(lambda: page.page.evaluate(f'{ends}.length') == 3, 'the ends')
    frames = [screenshot(page)] * 4

    def place(kind: str, index: int) -> tuple[float, float]:
        x, y, _ = page.page.evaluate(f'window.in_plane({kind}[{index}])')
        return x, y

    def slide(begin: tuple[float, float], stop: tuple[float, float], count: int) -> None:
        """Drag from pixel to pixel."""
        page.page.mouse.move(*begin)
        page.wait_for_frames()
        page.page.mouse.down()
        for part in steps(count):
            places = zip(begin, stop, strict=True)
            page.page.mouse.move(*(a + part * (b - a) for a, b in places))
            page.page.wait_for_timeout(120)
            frames.append(screenshot(page))
        page.page.mouse.up()

    for index, share in ((2, 2.2), (1, 0.6)):
        (ax, ay), (bx, by) = place(ends, index - 1), place(ends, index)
        far = ax + share * (bx - ax), ay + share * (by - ay)
        slide(page.on_screen(bx, by), page.on_screen(*far), 12)
    for index, turn in ((1, -0.8), (0, 0.5)):  # of the first joint, which is at the origin
        x, y = place(limits, index)
        c, s = math.cos(turn), math.sin(turn)
        slide(page.on_screen(x, y), page.on_screen(c * x - s * y, s * x + c * y), 12)
    save(page, frames, path)


def wave() -> Iterator[tuple[float, float]]:
    """Yield the path that the mouse draws: a wave within reach."""
    for i in range(41):
        part = i / 40
        angle = 6.0 * math.pi * part
        yield 0.16 + 0.30 * part - 0.06 * math.sin(angle), 0.26 - 0.1 * math.cos(angle) - 0.2 * part


def way(begin: tuple[float, float]) -> Iterator[tuple[float, float]]:
    """Yield the path of the mouse: once around, out of reach and back."""
    corners = [begin, (0.36, 0.22), (0.05, 0.42), (-0.22, 0.26), (0.20, 0.30), (0.50, 0.42)]
    corners += [(0.56, 0.10), (0.40, -0.22), (0.34, 0.10)]
    for (ax, ay), (bx, by) in pairwise(corners):
        count = max(4, round(math.dist((ax, ay), (bx, by)) / 0.05))
        for part in steps(count):
            yield ax + part * (bx - ax), ay + part * (by - ay)


def steps(count: int) -> list[float]:
    """Return steps from 0, exclusive, to 1, slow at both ends."""
    return [0.5 - 0.5 * math.cos(math.pi * i / count) for i in range(1, count + 1)]


def screenshot(page: pages.Page) -> Image.Image:
    return Image.open(io.BytesIO(page.page.screenshot())).convert('RGB')


def save(page: pages.Page, frames: list[Image.Image], path: Path, duration: int = FRAME) -> None:
    """Save an animation whose frames share a palette, which keeps the differences small."""
    frames += [screenshot(page)] * 8
    page.page.close()
    width, height = frames[0].size
    sheet = Image.new('RGB', (width, 8 * height))
    for i in range(8):
        sheet.paste(frames[(len(frames) - 1) * i // 7], (0, i * height))
    palette = sheet.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    indexed = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    indexed[0].save(
        path, save_all=True, append_images=indexed[1:], duration=duration, loop=0, optimize=True
    )


if __name__ == '__main__':
    sys.exit(main())
