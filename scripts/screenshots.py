#!/usr/bin/env python3
"""Take the pictures of the page for the documents: `make screenshots`, or those that are named.

They go to ``doc/images``: ``viewer.png`` while the arm moves, ``viewer_in_space.png`` of an arm
with a turntable on a large screen, ``viewer_phone.png`` of one on a phone, ``arms.png`` of all
shipped arms on their demo paths, ``so101.gif`` of the first ten seconds of one, each picture a
tenth of a second of its own time, ``drag.gif`` of a drag, ``path.gif`` of a path that is drawn and
followed, and ``design.gif`` of an arm that is designed. In these the mouse goes step by step, and
waits for each picture; the arm is as quick as ever. The browser shows no mouse without a screen, so
an arrow is drawn in its place.
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

from PIL import Image, ImageDraw

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
from ik2d_ros.viewer.requests import Act, Request  # noqa: E402

IMAGES = ROOT / 'doc/images'
SIZE, LARGE, PHONE = (1280, 720), (2560, 1440), (390, 844)
DRAG_SIZE, SPACE_SIZE = (960, 576), (720, 450)
TILE, COLUMNS = (320, 200), 6  # of the sheet of all arms, in pixels
SHEET_SIZE = 1024, 400  # of the window, whose panel is left out
TENTHS = 100  # pictures of the arm in space
IN_SPACE = 'so101'
LAP = 6.5  # s; a bit more than the demo path takes
REACHED = 'The target can be reached'
FRAME = 70  # ms
LENGTH, PAUSE = 1.5, 0.45  # m of the path that is drawn; s between pictures of the arm on it
COLOURS, SHEET_COLOURS = 100, 200
LARGEST = 1_000_000  # bytes
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


@contextlib.contextmanager
def demo(arm: str) -> Iterator[str]:
    """Start the page without ROS, and yield its address."""
    running = subprocess.Popen(
        [sys.executable, '-m', 'ik2d_ros.cli', 'view', '--port', '0', arm],
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


def picture(page: pages.Page, path: Path) -> None:
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


def animation_of_a_drag(page: pages.Page, path: Path) -> None:
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


class Alone:
    """A page and its arm, whose time goes on only when it is asked to."""

    def __init__(self, browser: object, size: tuple[int, int]) -> None:
        file = single_arms()[IN_SPACE]
        self.seconds = 0.0
        self.front = Front(ViewerSettings(port=0), IN_SPACE, lambda: None, print)
        parameters, controller = load_completed(file), self.front.controller
        self.arm = LocalArm(file, 'ik2d', parameters, controller, str, self.now)
        self.go_on(PERIOD)
        self.page = pages.open_page(browser, self.front.page.address, *size)
        self.wait_for_area()

    @property
    def now(self) -> Now:
        return Now(round(1e9 * self.seconds), self.seconds)

    def go_on(self, seconds: float) -> None:
        for _ in range(round(seconds / PERIOD)):
            self.seconds += PERIOD
            self.arm.tick(self.now)
        self.front.show()

    def choose(self, name: str) -> None:
        for command in self.front.controller.answer(Request(Act.CHOOSE_ARM, name), 0.0):
            self.arm.carry_out(command, self.now)
        self.go_on(PERIOD)
        self.wait_for_area()

    def wait_for_area(self) -> None:
        """Wait until the arm is drawn, in place of the one before, and then what it reaches."""
        area = 'window.coloured(window.area_colour).length > 0'
        self.page.page.wait_for_timeout(2000)
        self.page.wait(lambda: self.go_on(0.0) or self.page.page.evaluate(area), 'the area')
        self.page.page.wait_for_timeout(2000)


def animation_in_space(browser: object, path: Path) -> None:
    alone = Alone(browser, SPACE_SIZE)
    frames = []
    for _ in range(TENTHS):
        alone.go_on(0.1)
        alone.page.page.wait_for_timeout(60)
        alone.page.wait_for_frames()
        frames.append(screenshot(alone.page))
    save(alone.page, frames, path, duration=100)
    alone.front.page.close()


def sheet_of_arms(browser: object, path: Path) -> None:
    alone, names, (width, height) = Alone(browser, SHEET_SIZE), [*single_arms()], TILE
    alone.page.page.add_style_tag(content='.ik2d-hint {display: none}')
    sheet = Image.new('RGB', (COLUMNS * width, -(-len(names) // COLUMNS) * height))
    for index, name in enumerate(names):
        alone.choose(name)
        alone.go_on(LAP)
        alone.page.page.wait_for_timeout(500)
        tile = screenshot(alone.page).crop((0, 0, 2 * width, 2 * height)).resize(TILE)
        ImageDraw.Draw(tile).text((6, 3), name, 'black', font_size=14)
        sheet.paste(tile, (index % COLUMNS * width, index // COLUMNS * height))
    sheet.quantize(SHEET_COLOURS).save(path, optimize=True)
    alone.front.page.close()


def animation_of_a_path(page: pages.Page, path: Path) -> None:
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


def animation_of_a_design(page: pages.Page, path: Path) -> None:
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


PICTURES = {  # of an arm in a window of some size
    'viewer.png': (picture, 'two_bone', SIZE),
    'viewer_in_space.png': (picture, IN_SPACE, LARGE),
    'viewer_phone.png': (picture, IN_SPACE, PHONE),
    'drag.gif': (animation_of_a_drag, 'two_bone', DRAG_SIZE),
    'path.gif': (animation_of_a_path, 'two_bone', DRAG_SIZE),
    'design.gif': (animation_of_a_design, 'three_link', DRAG_SIZE),
}
STEPPED = {'arms.png': sheet_of_arms, 'so101.gif': animation_in_space}


def main() -> int:
    if pages.CHROMIUM is None:
        print('Chromium is missing: apt-get install chromium', file=sys.stderr)
        return 1
    too_large = False
    for name in sys.argv[1:] or [*PICTURES, *STEPPED]:
        path = IMAGES / name
        with pages.browser() as browser:
            if name in STEPPED:
                STEPPED[name](browser, path)
            else:
                make, arm, size = PICTURES[name]
                with demo(arm) as address:
                    make(pages.open_page(browser, address, *size, ARROW), path)
        size = path.stat().st_size
        print(f'doc/images/{name}: {size / 1e3:.0f} kB, of {LARGEST / 1e3:.0f} kB at most')
        too_large |= size > LARGEST
    return int(too_large)


if __name__ == '__main__':
    sys.exit(main())
