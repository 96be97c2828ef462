"""The page in a real browser: Chromium without a screen, its scene, and a mouse.

The scene is read where the browser has it: three.js tells developer tools about every scene that
it makes, and we listen in their place.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from harness import DEFAULT_TIMEOUT, RESENT_AFTER

from ik2d_ros.pilot.outcome import Colour
from ik2d_ros.viewer import drawing

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
    '--host-resolver-rules=MAP evil.example 127.0.0.1',  # a name that was bound to this machine
]

PATIENCE = DEFAULT_TIMEOUT  # s; frames drawn without a graphics card take their time.
HOVER = 200.0  # ms, as long as a person needs; the page has to see the hover before the click

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
window.unseen = () => window.meshes(mesh => mesh.material?.opacity === 0)
  .sort((a, b) => a.geometry.boundingSphere.radius - b.geometry.boundingSphere.radius);
window.grasp = () => window.unseen()[0];
window.plane = () => window.unseen().at(-1).parent;
window.poses = () => {
  window.drawn().updateMatrixWorld(true);
  return window.meshes(mesh => mesh.visible && mesh.material?.color)
    .map(mesh => [mesh.geometry.type, mesh.material.color.getHexString(),
      ...mesh.matrixWorld.elements.map(x => x.toFixed(4).replace('-0.0000', '0.0000'))].join(' '))
    .sort();
};
window.in_plane = mesh => {
  window.drawn().updateMatrixWorld(true);
  const [plane, place] = [window.plane(), mesh.getWorldPosition(mesh.position.clone())];
  plane.worldToLocal(place);
  return [place.x, place.y, place.z + plane.position.z];
};
window.on_screen = (x, y) => {
  const [camera, plane] = [window.drawn().__r3f.root.getState().camera, window.plane()];
  camera.updateMatrixWorld();
  const place = plane.position.clone().set(x, y, -plane.position.z);
  plane.localToWorld(place).project(camera);
  const canvas = document.querySelector('canvas[data-engine]').getBoundingClientRect();
  return [
    canvas.left + (place.x + 1) / 2 * canvas.width,
    canvas.top + (1 - place.y) / 2 * canvas.height,
  ];
};
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
        page.add_init_script(LISTEN + script)
        page.goto(address)
        page.wait_for_selector('canvas[data-engine]')

    def close(self) -> None:
        """Close the tab, which may be closed already; it must have had nothing to complain of."""
        assert self.complaints == []
        self.page.close()

    def wait(self, condition: Callable[[], Any], what: str, timeout: float = PATIENCE) -> Any:
        """Wait until something holds; gives what the condition gave."""
        deadline = time.monotonic() + timeout
        while not (result := condition()):
            assert time.monotonic() < deadline, f'{what} did not come; the page says: {self.text}'
            self.page.wait_for_timeout(20)
        return result

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
    def tip(self) -> tuple[float, float]:
        """Where the browser draws the tip, in m in the arm's plane."""
        x, y, _ = self.page.evaluate(f'window.in_plane({TIP})')
        return x, y

    @property
    def poses(self) -> list[str]:
        """What the browser draws, and where: shapes with their colours and poses."""
        return list(self.page.evaluate('window.poses()'))

    @property
    def handle(self) -> tuple[float, float]:
        """Where the browser draws the handle, in m in the arm's plane."""
        x, y, _ = self._handle
        return x, y

    @property
    def height(self) -> float:
        """How far above the arm's plane the browser draws it, in m."""
        return self._handle[2]

    @property
    def _handle(self) -> tuple[float, float, float]:
        x, y, z = self.page.evaluate('window.in_plane(window.grasp())')
        return x, y, z

    def on_screen(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the arm's plane, in m, is on the screen, in pixels."""
        px, py = self.page.evaluate(f'window.on_screen({x}, {y})')
        return px, py

    @contextlib.contextmanager
    def grabbed(self) -> Iterator[Callable[[float, float], None]]:
        """Hold the handle with the mouse; gives a function that moves it to a point, in m."""
        x, y = self.handle
        self.page.mouse.move(*self.on_screen(x, y))
        self.page.wait_for_timeout(HOVER)
        self.page.mouse.down()

        def move(x: float, y: float) -> None:
            self.page.mouse.move(*self.on_screen(x, y))

        try:
            yield move
        finally:
            if not self.page.is_closed():
                self.page.mouse.up()

    def drag(self, *points: tuple[float, float]) -> None:
        """Drag the handle along points of the plane, in m."""
        with self.grabbed() as move:
            for x, y in points:
                move(x, y)
                self.page.wait_for_timeout(30)

    def has_sheet(self) -> bool:
        """Whether the browser has the sheet on which paths are drawn."""
        sheet = 'mesh => mesh.material?.opacity > 0.0 && mesh.material.opacity < 0.31'
        return bool(self.page.evaluate(f'window.meshes({sheet}).length > 0'))

    def draw(self, *points: tuple[float, float]) -> None:
        """Drag a line through points of the plane, in m, or click at one."""
        self.page.mouse.move(*self.on_screen(*points[0]))
        self.page.wait_for_timeout(HOVER)
        self.page.mouse.down()
        for (ax, ay), (bx, by) in pairwise(points):
            for part in (0.25, 0.5, 0.75, 1.0):
                self.page.mouse.move(*self.on_screen(ax + part * (bx - ax), ay + part * (by - ay)))
                self.page.wait_for_timeout(60)  # viser sends 20 places of the mouse a second
        self.page.mouse.up()

    @property
    def dots(self) -> int:
        """How many points of a path the browser has."""
        count = 'let n = 0; window.drawn().traverse(o => n += o.isPoints ? o.geometry'
        return int(
            self.page.evaluate(f'(() => {{{count}.attributes.position.count : 0); return n}})()')
        )

    def touch(self, kind: str, *fingers: tuple[float, float]) -> None:
        """Put fingers at points of the screen, in pixels, move or lift them."""
        points = [{'x': x, 'y': y, 'id': i} for i, (x, y) in enumerate(fingers)]
        self._tools.send('Input.dispatchTouchEvent', {'type': kind, 'touchPoints': points})
        self.page.wait_for_timeout(60.0)

    def drag_until(self, x: float, y: float, holds: Callable[[], Any], what: str) -> None:
        """Drag the handle to (x, y) in m, now and then again, until something holds."""
        again = 0.0

        def is_so() -> bool:
            nonlocal again
            if not holds() and time.monotonic() > again:
                self.drag((x, y))
                again = time.monotonic() + RESENT_AFTER
            return bool(holds())

        self.wait(is_so, what)


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
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
