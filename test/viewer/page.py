"""The page in a real browser: Chromium without a screen, its scene, and a mouse.

The scene is read where the browser has it: three.js tells developer tools about every scene that
it makes, and we listen in their place.
"""

from __future__ import annotations

import contextlib
import math
import re
import shutil
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from harness import DEFAULT_TIMEOUT, wait_until

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.drawing.extent import extent
from ik2d_ros.pilot.outcome import Colour
from ik2d_ros.viewer import drawing

Point = tuple[float, float]

URL = re.compile(r'http://\S+:\d+(?:/\?token=[\w-]+)?')


def find_url(log: str) -> str | None:
    """The URL of the page in the viewer's log, if it is there yet."""
    found = URL.search(log)
    return found[0] if found else None


CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser')

ARGUMENTS = [
    '--headless',
    '--no-sandbox',
    '--use-gl=angle',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
]

PATIENCE = 2.0 * DEFAULT_TIMEOUT  # s; without a graphics card a busy machine draws few frames

LISTEN = """
// Else the handle may be under what the page says of a browser without a graphics card.
addEventListener('DOMContentLoaded', () => document.head.append(Object.assign(
  document.createElement('style'), {textContent: '.mantine-Notifications-root {display: none}'})));
window.__THREE_DEVTOOLS__ = new EventTarget();
window.__THREE_DEVTOOLS__.addEventListener('observe', event => {
  if (event.detail.isScene) (window.scenes ??= []).push(event.detail);
});
window.drawn = () => window.scenes?.find(scene => scene.__r3f);
window.meshes = test => {
  const found = [];
  window.drawn()?.traverse(object => object.isMesh && test(object) && found.push(object));
  return found;
};
window.coloured = colour => window.meshes(
  mesh => mesh.material?.color?.getHexString?.() === colour && mesh.geometry?.type !== 'Plane');
window.radius = ({geometry}) => {
  geometry.computeBoundingSphere();
  return geometry.boundingSphere.radius;
};
window.unseen = () => window.meshes(mesh => mesh.material?.opacity === 0)
  .sort((a, b) => window.radius(a) - window.radius(b));
window.grasp = () => window.unseen()[0];
window.plane = () => window.coloured(window.area_colour)[0].parent;
window.in_plane = mesh => {
  window.drawn().updateMatrixWorld(true);
  const [plane, place] = [window.plane(), mesh.getWorldPosition(mesh.position.clone())];
  plane.worldToLocal(place);
  return [place.x, place.y, place.z + plane.position.z];
};
window.seen = (x, y, z = 0) => {
  const [camera, plane] = [window.drawn().__r3f.root.getState().camera, window.plane()];
  window.drawn().updateMatrixWorld(true);
  camera.updateMatrixWorld();
  const place = plane.localToWorld(plane.position.clone().set(x, y, z - plane.position.z));
  const canvas = document.querySelector('canvas[data-engine]').getBoundingClientRect();
  return {camera, canvas, distance: place.distanceTo(camera.position), at: place.project(camera)};
};
window.on_screen = (x, y) => {
  const {canvas, at} = window.seen(x, y);
  return [
    canvas.left + (at.x + 1) / 2 * canvas.width, canvas.top + (1 - at.y) / 2 * canvas.height,
  ];
};
window.dots = () => {
  const found = [];
  window.drawn()?.traverse(object => {
    const places = object.isPoints ? object.geometry.attributes.position : {count: 0};
    for (let i = 0; i < places.count; i++) {
      const place = object.localToWorld(object.position.clone().fromBufferAttribute(places, i));
      found.push(window.plane().worldToLocal(place));
    }
  });
  return found.map(place => [place.x, place.y]);
};
window.frames = count => new Promise(
  done => count ? requestAnimationFrame(() => window.frames(count - 1).then(done)) : done());
"""


def hex_string(colour: Colour) -> str:
    return '{:02x}{:02x}{:02x}'.format(*colour)


TIP = f"window.coloured('{hex_string(drawing.TIP)}')[0]"


class Page:
    """One browser tab with the viewer's page."""

    def __init__(self, page: Any, address: str, script: str = '') -> None:
        self.page = page
        self._tools = page.context.new_cdp_session(page)
        page.set_default_timeout(1e3 * PATIENCE)
        self.complaints: list[str] = []
        page.on('pageerror', lambda error: self.complaints.append(str(error)))
        page.add_init_script(
            f'window.area_colour = {hex_string(drawing.AREA)!r};' + LISTEN + script
        )
        page.goto(address)
        page.wait_for_selector('canvas[data-engine]')

    def close(self) -> None:
        """Close the tab, which may be closed already; it must have had nothing to complain of."""
        assert self.complaints == []
        self.page.close()

    def wait(self, condition: Callable[[], Any], what: str, timeout: float = PATIENCE) -> Any:
        """Wait until something holds; gives what the condition gave."""
        missing = lambda: f'{what} did not come; the page says: {self.text}'  # noqa: E731
        return wait_until(condition, missing, lambda: self.page.wait_for_timeout(20), timeout)

    def wait_for_text(self, text: str) -> None:
        self.wait(lambda: text in self.text, repr(text))

    @property
    def text(self) -> str:
        """All the words on the page."""
        return str(self.page.inner_text('body'))

    @property
    def status(self) -> str:
        """The words of the status box."""
        boxes = self.page.query_selector_all('[role=status]')
        return str(boxes[0].inner_text()) if boxes else ''

    @property
    def bottoms(self) -> list[float]:
        """Where the controls of the tab that is open end, in pixels from the top."""
        shown = """[...document.querySelectorAll('label')]
          .filter(label => label.checkVisibility())
          .map(label => label.parentElement.parentElement.getBoundingClientRect().bottom)"""
        return list(self.page.evaluate(shown))

    @property
    def tip(self) -> tuple[float, float]:
        """Where the browser draws the tip, in m in the arm's plane."""
        x, y, _ = self.page.evaluate(f'window.in_plane({TIP})')
        return x, y

    @property
    def handle(self) -> tuple[float, float]:
        """Where the browser draws the handle, in m in the arm's plane."""
        x, y, _ = self.page.evaluate('window.in_plane(window.grasp())')
        return x, y

    def on_screen(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the arm's plane, in m, is on the screen, in pixels."""
        px, py = self.page.evaluate(f'window.on_screen({x}, {y})')
        return px, py

    def wait_for_fit(self, arm: ArmDescription) -> None:
        """Wait until all that the arm reaches is in view, and fills it on its longer side."""
        plane, points = arm.plane_at(arm.home), extent(arm, arm.home).tolist()
        points = [list(plane.locate(point)) for point in points]
        fit = f"""(() => {{
          if (!window.coloured(window.area_colour).length) return false;
          const seen = {points}.map(point => window.seen(...point));
          const [{{camera, canvas}}] = seen;
          const shown = axis => seen.map(({{at}}) => at[axis]);
          const fills = axis => (Math.max(...shown(axis)) - Math.min(...shown(axis))) / 2;
          const room = Math.min(1, Math.max(camera.aspect, 0.56));  // above the panel of a phone
          const is_there = seen.every(({{at}}) => Math.abs(at.x) < 1 && Math.abs(at.y) < 1)
            && Math.max(fills('x'), fills('y') / room) > 0.7
            && Math.abs(camera.aspect - canvas.width / canvas.height) < 0.01;
          return is_there && [canvas.left, canvas.top, canvas.width, canvas.height];
        }})()"""

        def is_fitted() -> bool:
            before = self.page.evaluate(fit)
            self.wait_for_frames()  # in which a browser lays out the rest
            return bool(before) and before == self.page.evaluate(fit)

        self.wait(is_fitted, 'all of the arm in the middle')

    def wait_for_frames(self) -> None:
        """Let the browser draw what it knows: it is touched where it was drawn."""
        self.page.evaluate('window.frames(2)')

    def grab(self) -> None:
        """Take the handle with the mouse."""
        x, y = self.handle
        self.page.mouse.move(*self.on_screen(x, y))
        self.wait_for_frames()
        self.page.mouse.down()

    def drag(self, *points: Point) -> None:
        """Drag the handle along points of the plane, in m."""
        self.grab()
        for x, y in points:
            self.page.mouse.move(*self.on_screen(x, y))
        self.page.mouse.up()

    def has_sheet(self) -> bool:
        """Whether the browser has the sheet on which paths are drawn."""
        sheet = 'mesh => mesh.material?.opacity > 0.0 && mesh.material.opacity < 0.31'
        return bool(self.page.evaluate(f'window.meshes({sheet}).length > 0'))

    def draw(self, *points: Point, follows: Callable[[], Point] | None = None) -> None:
        """Drag a line through points of the plane, in m, or click at one.

        Args:
            points: in m.
            follows: gives the place of what follows the mouse, in m. At each point the mouse waits
                for it: viser sends 20 places a second, and a busy browser would leave out some.
        """
        self.page.mouse.move(*self.on_screen(*points[0]))
        self.wait_for_frames()
        self.page.mouse.down()
        for (ax, ay), (bx, by) in pairwise(points):
            for part in (0.5, 1.0):
                self.page.mouse.move(*self.on_screen(ax + part * (bx - ax), ay + part * (by - ay)))
            if follows is not None:
                self.wait(lambda b=(bx, by): math.dist(follows(), b) < 0.01, 'what follows')
        self.page.mouse.up()

    @property
    def dots(self) -> list[Point]:
        """The points of a path that are marked, in m in the arm's plane."""
        return [(x, y) for x, y in self.page.evaluate('window.dots()')]

    def swipe(self, *ways: tuple[Point, Point]) -> None:
        """Move fingers from point to point of the screen, in pixels."""
        for part in (0.0, 0.25, 0.5, 0.75, 1.0):
            points = [
                {'x': ax + part * (bx - ax), 'y': ay + part * (by - ay), 'id': i}
                for i, ((ax, ay), (bx, by)) in enumerate(ways)
            ]
            self._touch('touchMove' if part else 'touchStart', points)
            self.wait_for_frames()
        self._touch('touchEnd', [])

    def _touch(self, kind: str, points: list[dict[str, float]]) -> None:
        self._tools.send('Input.dispatchTouchEvent', {'type': kind, 'touchPoints': points})


@contextlib.contextmanager
def browser(*arguments: str) -> Iterator[Any]:
    """Chromium, driven by Playwright, with further arguments."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=CHROMIUM, args=[*ARGUMENTS, *arguments]
        )
        try:
            yield running
        finally:
            running.close()


def open_page(
    running: Any,
    address: str,
    width: int = 900,
    height: int = 560,
    script: str = '',
    **looks: Any,
) -> Page:
    """A new tab with the page, and an arm; a script of one's own may run first."""
    page = Page(
        running.new_page(viewport={'width': width, 'height': height}, **looks), address, script
    )
    page.wait(lambda: page.page.evaluate(f'!!({TIP})'), 'an arm')
    return page
