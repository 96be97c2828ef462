"""The page: shows a view, and forwards user input; no ROS imports."""

from __future__ import annotations

import contextlib
import io
import logging
import resource
import secrets
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from ik2d_ros.node.outcome import Level
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.ros.advice import how_to_install
from ik2d_ros.viewer.gate import guarded
from ik2d_ros.viewer.panel import Panel
from ik2d_ros.viewer.parameters import ViewerSettings, free_port, is_loopback, url
from ik2d_ros.viewer.requests import Request
from ik2d_ros.viewer.scene import Scene
from ik2d_ros.viewer.view import ANYWHERE, IN_PLANE, View, Words

FAREWELL = 0.2  # s for the last words to be sent

_ENDED = Words(
    'ENDED',
    'The viewer has ended. Start it or the demo again, and this page reconnects by itself.',
    Level.STALE.colour,
)
_NOTHING = View(Words('', '', Level.STALE.colour))


class Page:
    """A page that is served until it is closed; not thread-safe."""

    def __init__(
        self,
        settings: ViewerSettings,
        title: str,
        on_request: Callable[[Request], None],
        on_error: Callable[[str], object] = print,
    ) -> None:
        """Serve the page, empty at first.

        Args:
            settings: with the address and the port to listen on.
            title: title of the panel.
            on_request: called from another thread for user input.
            on_error: called from another thread with what went wrong in a connection.

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
        self._scene = Scene(self._server, on_request)
        self._panel = Panel(self._server, title, on_request, self._scene.camera.reset)
        self._shown = self._drawn = _NOTHING

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
        _quietly(self._server.stop)

    def show(self, view: View) -> None:
        """Update everything; this may be called from any thread."""
        self._call(self._show, view)

    def draw(self, view: View) -> None:
        """Update only what moves, which is cheaper."""
        self._call(self._draw, view)

    def _show(self, view: View) -> None:
        with self._server.atomic():
            self._draw(view)
            self._update_panel(view)

    def _update_panel(self, view: View) -> None:
        shown, self._shown = self._shown, view
        panel, arm = self._panel, view.arm
        is_new, is_settled = arm is not shown.arm, view.settled != shown.settled
        if arm is not None and is_new:
            panel.show_arm(arm)
        panel.show_refusal(view.refusal)
        if is_new or is_settled or view.settings != shown.settings:
            panel.show_settings(arm, view.settings)
        panel.show_choice(view.arms, view.name)
        panel.show_demo(view.is_paused)
        panel.show_drag(view.drag)
        panel.show_turn(view.tip, view.is_turned)
        if arm is not None and view.target is not None and view.target != shown.target:
            panel.show_target(arm, view.target)
        if arm is not None and view.positions is not None and view.positions != shown.positions:
            panel.show_pose(arm, view.positions)
        if view.measured != shown.measured:
            panel.show_measured(arm, view.measured)
        panel.show_status(view.words)  # last: what the status refers to is visible by then
        self._scene.colour_target(view.words.colour)

    def _draw(self, view: View) -> None:
        drawn, self._drawn = self._drawn, view
        is_new = view.arm is not drawn.arm
        with self._server.atomic():
            if is_new and view.arm is not None:
                self._scene.show_arm(view.arm)
            if view.area is not None and (is_new or view.area is not drawn.area):
                self._scene.show_area(view.area)
            is_moved = is_new or view.positions != drawn.positions
            if view.positions is not None and is_moved:
                self._scene.show_pose(view.positions)
            if is_new or view.measured != drawn.measured:
                self._scene.show_measured(view.measured.positions if view.measured else None)
            if view.drag is not None and (is_new or view.drag != drawn.drag):
                self._scene.show_drag(view.drag == ANYWHERE)
                is_new = True
            # A handle that is dragged in the plane stands in it wherever it is carried.
            is_carried = view.drag == IN_PLANE and is_moved
            is_placed = is_new or is_carried or drawn.is_held or view.target != drawn.target
            if view.target is not None and not view.is_held and is_placed:
                self._scene.show_target(view.target)
            is_turned = is_new or drawn.is_turned or view.tip != drawn.tip
            if view.tip is not None and not view.is_turned and is_turned:
                self._scene.show_angle(view.tip)
        self._server.flush()


def _serve(host: str, port: int, token: str, on_error: Callable[[str], object]) -> Any:
    """Start the server of the page."""
    try:
        import viser  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(
            f'the page needs the Python package viser ({error}): '
            f'{how_to_install("viser", "ik2d_ros.viewer")}'
        ) from None
    # Who looks may leave at any time.
    warnings.filterwarnings('ignore', message='Queued a .* on a closed connection')
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each page takes a descriptor
    # Browsers open connections that they may never use; each would log a traceback.
    logging.getLogger('websockets.server').setLevel(logging.CRITICAL)
    start = partial(viser.ViserServer, host=host, port=port, verbose=False)
    server = _quietly(partial(guarded, start, port, token))
    server.request_share_url = lambda *_: None  # any page may ask for this tunnel to the internet
    server.get_event_loop().set_exception_handler(
        lambda _, what: on_error(' '.join(f'{what["message"]}: {what.get("exception")}'.split()))
    )
    return server


def _quietly(act: Callable[[], Any]) -> Any:
    """Call a function and discard its output: viser prints a banner."""
    with contextlib.redirect_stdout(io.StringIO()):
        return act()
