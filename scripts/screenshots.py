#!/usr/bin/env python3
"""Take the pictures of the page for the documents: `make screenshots`, or those that are named.

They go to ``doc/images``: ``viewer.png`` while the arm moves, ``viewer_in_space.png`` of an arm
with a turntable on a large screen, ``viewer_phone.png`` of one on a phone, ``arms.png`` of all
shipped arms on their demo paths, ``so101.gif`` of the first ten seconds of one, ``drag.gif`` of a
drag, ``path.gif`` of a path that is drawn and followed, and ``design.gif`` of an arm that is
designed. The arm's time goes on from picture to picture, however long a browser takes for one,
which shows no mouse without a screen: an arrow is drawn in its place.
"""

from __future__ import annotations

import io
import math
import sys
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
from ik2d_ros.viewer.local import PERIOD, LocalArm  # noqa: E402
from ik2d_ros.viewer.page import Front  # noqa: E402
from ik2d_ros.viewer.parameters import ViewerSettings  # noqa: E402
from ik2d_ros.viewer.view import Act, Request  # noqa: E402

IMAGES = ROOT / 'doc/images'
TILE, COLUMNS = (320, 200), 6  # of the sheet of all arms, in pixels
EIGHTHS = 80  # pictures of the arm in space, each of an eighth of a second
LAP = 6.5  # s; a bit more than the demo path takes
REACHED = 'The target can be reached'
FRAME = 0.07  # s
SPEED = 0.15  # m/s along the path that is drawn
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


class Alone:
    """A page and its arm, whose time goes on only when it is asked to."""

    def __init__(self, browser: object, name: str, size: tuple[int, int]) -> None:
        file = single_arms()[name]
        self.seconds = 0.0
        self.front = Front(ViewerSettings(port=0), name, lambda: None, print, can_design=True)
        parameters, controller = load_completed(file), self.front.controller
        self.arm = LocalArm(file, 'ik2d', parameters, controller, str, self.now)
        self.go_on(PERIOD)
        self.page = pages.open_page(browser, self.front.page.address, *size, ARROW)
        self.mouse = self.page.page.mouse
        self.wait_for_area()

    @property
    def now(self) -> Now:
        return Now(round(1e9 * self.seconds), self.seconds)

    def go_on(self, seconds: float) -> None:
        self.front.answer(lambda command: self.arm.carry_out(command, self.now))
        for _ in range(round(seconds / PERIOD)):
            self.seconds += PERIOD
            self.arm.tick(self.now)
        self.front.show()

    def wait_for_area(self) -> None:
        """Wait until the arm is drawn, in place of the one before, and then what it reaches."""
        area = 'window.coloured(window.area_colour).length > 0'
        self.page.page.wait_for_timeout(2000)
        self.page.wait(lambda: self.go_on(0.0) or self.page.page.evaluate(area), 'the area')
        self.page.page.wait_for_timeout(2000)

    def picture(self, seconds: float = FRAME) -> Image.Image:
        """Take a picture after some seconds of the arm; viser sends 20 places of a mouse per s."""
        self.page.page.wait_for_timeout(90)
        self.go_on(seconds)
        self.page.page.wait_for_timeout(60)
        self.page.wait_for_frames()
        return Image.open(io.BytesIO(self.page.page.screenshot())).convert('RGB')

    def press(self, kind: str, name: str) -> None:
        box = self.page.page.get_by_role(kind, name=name).bounding_box()
        self.mouse.move(box['x'] + 0.5 * box['width'], box['y'] + 0.6 * box['height'])
        self.mouse.down()
        self.mouse.up()


def picture(alone: Alone, path: Path) -> None:
    alone.go_on(LAP)
    image = alone.picture()
    while REACHED not in alone.page.status:
        image = alone.picture()
    image.thumbnail((1280, 1280))
    image.save(path, optimize=True)


def sheet_of_arms(alone: Alone, path: Path) -> None:
    names, (width, height) = [*single_arms()], TILE
    alone.page.page.add_style_tag(content='.ik2d-hint {display: none}')
    sheet = Image.new('RGB', (COLUMNS * width, -(-len(names) // COLUMNS) * height))
    for index, name in enumerate(names):
        for command in alone.front.controller.answer(Request(Act.CHOOSE_ARM, name), 0.0):
            alone.arm.carry_out(command, alone.now)
        alone.wait_for_area()
        image = [alone.picture(LAP), alone.picture()][1]
        tile = image.crop((0, 0, 2 * width, 2 * height)).resize(TILE)  # without the panel
        ImageDraw.Draw(tile).text((6, 3), name, 'black', font_size=14)
        sheet.paste(tile, (index % COLUMNS * width, index // COLUMNS * height))
    sheet.quantize(SHEET_COLOURS).save(path, optimize=True)


def animation_in_space(alone: Alone, path: Path) -> None:
    frames = [alone.picture(0.125) for _ in range(EIGHTHS)]
    for frame in frames:  # the panel has a width of its own
        frame.thumbnail((820, 820))
    save(frames, path, 0.125)


def animation_of_a_drag(alone: Alone, path: Path) -> None:
    page, is_good = alone.page, False
    while not is_good:  # up and to the right
        frames = [alone.picture()]
        x, y = page.tip
        is_good = REACHED in page.status and 0.30 < x < 0.45 and 0.06 < y < 0.2
    px, py = page.on_screen(x, y)
    for part in steps(8):  # the mouse comes from the lower right
        alone.mouse.move(px + 150 * (1 - part), py + 120 * (1 - part))
        frames.append(alone.picture(0.0))
    page.grab()
    for place in way(page.handle):
        alone.mouse.move(*page.on_screen(*place))
        frames.append(alone.picture())
    alone.mouse.up()
    save([*frames, *[alone.picture()] * 8], path)


def animation_of_a_path(alone: Alone, path: Path) -> None:
    page, frames = alone.page, []
    alone.press('tab', 'Path')
    page.wait(lambda: alone.go_on(FRAME) or page.has_sheet(), 'a sheet')
    places = [page.on_screen(*place) for place in wave()]
    alone.mouse.move(*places[0])
    page.wait_for_frames()
    alone.mouse.down()
    for place in places:
        alone.mouse.move(*place)
        frames.append(alone.picture())
    alone.mouse.up()
    page.wait(lambda: alone.go_on(FRAME) or 'can be followed' in page.text, 'the verdict')
    frames += [alone.picture()] * 8
    for command in alone.front.controller.answer(Request(Act.SET, ('path_speed', SPEED)), 0.0):
        alone.arm.carry_out(command, alone.now)
    alone.press('button', 'Follow')
    page.wait(lambda: alone.go_on(PERIOD) or '% of the path' in page.status, 'the way along it')
    while '% of the path' in page.status:
        frames.append(alone.picture(6.0 * FRAME))
    save([*frames, *[alone.picture()] * 8], path)


def animation_of_a_design(alone: Alone, path: Path) -> None:
    page = alone.page
    alone.press('button', 'Home')
    alone.picture(3.0)
    alone.press('tab', 'Design')
    ends, limits = (
        f"window.coloured('{pages.hex_string(colour)}')" for colour in (drawing.END, drawing.RANGE)
    )
    is_there = lambda: alone.go_on(FRAME) or page.page.evaluate(f'{ends}.length') == 3  # noqa: E731
    page.wait(is_there, 'the ends')
    frames = [alone.picture()] * 4

    def place(kind: str, index: int) -> tuple[float, float]:
        x, y, _ = page.page.evaluate(f'window.in_plane({kind}[{index}])')
        return x, y

    def slide(begin: tuple[float, float], stop: tuple[float, float]) -> None:
        """Drag from point to point of the plane."""
        places = [page.on_screen(*begin), page.on_screen(*stop)]
        alone.mouse.move(*places[0])
        page.wait_for_frames()
        alone.mouse.down()
        for part in steps(12):
            alone.mouse.move(*(a + part * (b - a) for a, b in zip(*places, strict=True)))
            frames.append(alone.picture())
        alone.mouse.up()

    for index, share in ((2, 2.2), (1, 0.6)):
        (ax, ay), (bx, by) = place(ends, index - 1), place(ends, index)
        slide((bx, by), (ax + share * (bx - ax), ay + share * (by - ay)))
    for index, turn in ((1, -0.8), (0, 0.5)):  # of the first joint, which is at the origin
        x, y = place(limits, index)
        c, s = math.cos(turn), math.sin(turn)
        slide((x, y), (c * x - s * y, s * x + c * y))
    save([*frames, *[alone.picture()] * 8], path)


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


def save(frames: list[Image.Image], path: Path, seconds: float = FRAME) -> None:
    """Save an animation whose frames share a palette, which keeps the differences small."""
    width, height = frames[0].size
    sheet = Image.new('RGB', (width, 8 * height))
    for i in range(8):
        sheet.paste(frames[(len(frames) - 1) * i // 7], (0, i * height))
    palette = sheet.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    how = {'duration': round(1e3 * seconds), 'loop': 0, 'optimize': True}
    first.save(path, save_all=True, append_images=others, **how)


PICTURES = {  # of an arm in a window of some size
    'viewer.png': (picture, 'two_bone', (1280, 720)),
    'viewer_in_space.png': (picture, 'so101', (2560, 1440)),
    'viewer_phone.png': (picture, 'so101', (390, 844)),
    'arms.png': (sheet_of_arms, 'so101', (1024, 400)),
    'so101.gif': (animation_in_space, 'so101', (1100, 560)),
    'drag.gif': (animation_of_a_drag, 'two_bone', (960, 576)),
    'path.gif': (animation_of_a_path, 'two_bone', (960, 576)),
    'design.gif': (animation_of_a_design, 'three_link', (960, 576)),
}


def main() -> int:
    if pages.CHROMIUM is None:
        print('Chromium is missing: apt-get install chromium', file=sys.stderr)
        return 1
    too_large = False
    for name in sys.argv[1:] or PICTURES:
        (make, arm, size), path = PICTURES[name], IMAGES / name
        with pages.browser() as browser:
            alone = Alone(browser, arm, size)
            make(alone, path)
            alone.front.page.close()
        size = path.stat().st_size
        print(f'doc/images/{name}: {size / 1e3:.0f} kB, of {LARGEST / 1e3:.0f} kB at most')
        too_large |= size > LARGEST
    return int(too_large)


if __name__ == '__main__':
    sys.exit(main())
