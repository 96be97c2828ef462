"""The page with all of it that needs no ROS: what it shows, what it asks, and the area of reach.

The page calls from its own threads and only queues requests; everything else happens in the thread
of whoever has it: a node that knows the arm from topics, or the arm itself.
"""

from __future__ import annotations

import contextlib
import io
import logging
import secrets
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.drawing.area import BackgroundArea, reach_area
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.pilot.outcome import Level
from ik2d_ros.viewer.camera import Camera
from ik2d_ros.viewer.controller import Command, Controller
from ik2d_ros.viewer.gate import guarded
from ik2d_ros.viewer.panel import Panel
from ik2d_ros.viewer.parameters import ViewerSettings, free_port, is_loopback, url
from ik2d_ros.viewer.scene import Scene
from ik2d_ros.viewer.view import Act, Mesh, Request, Requests, View, Words

SHOW_PERIOD = 0.03  # s between updates of the page
FAREWELL = 0.2  # s for the last words to be sent
NO_AREA = Mesh(np.empty((0, 3)), np.empty((0, 3), dtype=np.int64))
_ENDED = Words(
    'ENDED',
    'The viewer has ended. Start it or the demo again, and this page reconnects by itself.',
    Level.STALE.colour,
)


class Page:
    """A page that is served until it is closed; not thread-safe."""

    def __init__(
        self,
        settings: ViewerSettings,
        title: str,
        on_request: Callable[[Request], None],
        on_error: Callable[[str], object] = print,
        can_design: bool = False,
    ) -> None:
        """Serve the page, empty at first; other threads pass on user input and errors.

        Raises:
            ConfigError: the address or port is not available, or viser is not installed.
        """
        self._host = settings.host
        self.token = '' if is_loopback(settings.host) else secrets.token_urlsafe(32)
        """The token that other machines need; empty if they cannot connect."""
        self.port = free_port(settings.host, settings.port)
        """The port that the page listens on."""
        self._server = _serve(settings.host, self.port, self.token, on_error)
        self._call = self._server.get_event_loop().call_soon_threadsafe
        self._camera = Camera(self._server)
        self._panel = Panel(self._server, title, on_request, self._camera.reset, can_design)
        self._on_request = on_request
        self._scene: Scene | None = None
        self._newest: View | None = None
        self._version = 0  # of the arm in the scene
        self._shown: dict[Callable[..., object], tuple[object, ...]] = {}

    @property
    def address(self) -> str:
        """The URL of the page for a browser on this machine, with the token if there is one."""
        return url(self._host, self.port, self.token)

    def close(self) -> None:
        """Say on the page that it is over, and stop serving it."""
        self._call(self._panel.show_status, _ENDED)
        self._server.flush()
        if self._server.get_clients():
            time.sleep(FAREWELL)  # viser does not say when a message was sent
        with contextlib.redirect_stdout(io.StringIO()):
            self._server.stop()

    def show(self, view: View) -> None:
        """Show a view; this may be called from any thread."""
        self._newest = view
        self._call(self._show, view)

    def _show(self, view: View) -> None:
        if view is not self._newest:  # one that waits comes in its place
            return
        with self._server.atomic():
            self._draw(view)
            self._update_panel(view)
        self._server.flush()

    def _update_panel(self, view: View) -> None:
        panel, arm, update = self._panel, view.arm, self._update
        update(panel.show_choice, view.arms, view.name)
        update(panel.show_demo, view.is_paused)
        what = 'ring' if arm is None or arm.carrier is None else 'arrows'
        is_new = view.is_new and not (view.is_drawing or self._drags_ends(view))
        update(panel.show_hint, f'Drag the {what}: the arm follows' if is_new else '')
        update(panel.show_angle, view.angle, view.in_hand is Act.TURN)
        if arm is not None:
            if view.in_hand is not Act.EDIT:  # else the sliders change all the time
                update(panel.show_arm, arm, view.poses, view.held)
            if panel.design is not None and view.design is not None:
                update(panel.design.show, arm.chain.names, view.design)
            if view.positions is not None:
                update(panel.show_pose, arm, view.positions, view.held_at, view.in_hand)
        update(panel.path.show, view.path, view.is_drawing)
        update(panel.show_settings, arm, view.settings, also=view.settled)
        update(panel.show_status, view.words, view.refusal)  # last: it may refer to all others
        if self._scene is not None:
            update(self._scene.colour_target, view.words.colour)

    def _drags_ends(self, view: View) -> bool:
        design = self._panel.design
        return bool(design and design.drag.value) and not view.is_drawing

    def _draw(self, view: View) -> None:
        arm, update = view.arm, self._update
        if arm is None:
            return
        scene, self._camera.positions = self._scene, view.positions
        is_same = scene is not None and view.version == self._version
        if scene is not None and is_same and arm is not scene.arm and scene.reshape(arm):
            self._shown.pop(scene.show_pose, None)
        elif scene is None or not is_same or arm is not scene.arm:
            self._shown.clear()
            self._version = view.version
            self._scene = scene = Scene(self._server.scene, arm, self._on_request)
            self._camera.look_at(arm)
        drags_ends = self._drags_ends(view)
        update(scene.show_handle, not (view.is_drawing or drags_ends))
        update(scene.show_drawing, view.is_drawing)
        if view.area is not None:
            update(scene.show_area, view.area)
        if view.positions is not None:
            update(scene.show_pose, view.positions)
            update(scene.show_grips, drags_ends, also=(arm, view.positions))
        update(scene.show_gripper, view.opening)
        update(scene.show_measured, view.measured)
        # What is in someone's hand is left there. The needle is in the plane.
        target = None if view.in_hand is Act.DRAG else view.target
        update(scene.show_target, target, also=view.positions)
        angle = None if view.in_hand is Act.TURN else view.angle
        update(scene.show_angle, angle, view.is_kept)
        update(scene.show_path, view.path)

    def _update(self, show: Callable[..., object], *values: object, also: object = None) -> None:
        """Show values, unless they and ``also`` are the same as the last time."""
        if self._shown.get(show) != (*values, also):
            self._shown[show] = *values, also
            show(*values)


def _serve(host: str, port: int, token: str, on_error: Callable[[str], object]) -> Any:
    """Start the server of the page."""
    try:
        import viser  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(f'the page needs viser ({error}): pip install viser') from None
    # Browsers may leave at any time.
    warnings.filterwarnings('ignore', message='Queued a .* on a closed connection')
    # Browsers open connections that they may never use; each would log a traceback.
    logging.getLogger('websockets.server').setLevel(logging.CRITICAL)
    start = partial(viser.ViserServer, host=host, port=port, verbose=False)
    with contextlib.redirect_stdout(io.StringIO()):  # for a banner
        server = guarded(start, port, token)
    server.request_share_url = lambda *_: None  # any page may ask for this tunnel to the internet

    def report(_: object, what: dict[str, Any]) -> None:
        words = f'a connection to the page: {what["message"]}: {what.get("exception")}'
        on_error(' '.join(words.split()))

    server.get_event_loop().set_exception_handler(report)
    return server


class Front:
    """A page, and its controller, which is to be told everything."""

    def __init__(
        self,
        settings: ViewerSettings,
        name: str,
        ring: Callable[[], object],
        on_error: Callable[[str], object],
        can_design: bool = False,
    ) -> None:
        """Open the page of an arm or its node.

        Other threads ring when :meth:`answer` has something to do, and tell errors of connections.

        Raises:
            ConfigError: the address or port is not available, or viser is not installed.
        """
        self.controller = Controller(name, can_design)
        self._requests = Requests(ring)
        self._areas = BackgroundArea[ArmDescription, Mesh](_area, NO_AREA, on_error)
        self.page = Page(settings, name, self._requests.put, on_error, can_design)

    def answer(self, carry_out: Callable[[Command], object]) -> None:
        """Carry out what users ask for."""
        for request in self._requests.take():
            for command in self.controller.answer(request, time.monotonic()):
                carry_out(command)

    def show(self) -> None:
        """Bring the page up to date; call this periodically."""
        view = self.controller.view(time.monotonic())
        arm, design = view.arm, view.design
        if arm is not None and (newest := self._areas.newest(arm)) is not None:
            of, area = newest
            is_close = design and design.before and of.names == arm.names
            if of == arm or is_close:  # until there is that of a changed design
                view = replace(view, area=area)
        self.page.show(view)


def _area(arm: ArmDescription) -> Mesh:
    region = reach_area(arm.at_home_roll)
    return Mesh(np.insert(region.points, 2, 0.0, axis=1), region.triangles)
