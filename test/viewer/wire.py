"""The page without ROS or a browser: the server alone, and viser's protocol over a websocket.

It keeps the server's messages as nodes of the scene and as controls, and sends a person's input
as the page would.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from harness import DEFAULT_TIMEOUT, wait_until

from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.parameters.shipped import single_arms
from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.robot.from_urdf import load_completed
from ik2d_ros.viewer.drawing import fan
from ik2d_ros.viewer.handles import MIDDLE
from ik2d_ros.viewer.page import Page
from ik2d_ros.viewer.parameters import ViewerSettings
from ik2d_ros.viewer.view import View, Words

ANY_MOUSE = {'owner': '', 'instance_index': None, 'modifier': None}
HANDLE, NEEDLE, GRASP = '/target', '/target/plane/needle', '/target/plane/grasp'


def subprotocol() -> str:
    import viser

    return f'viser-v{viser.__version__}'


def websocket_headers() -> list[str]:
    """The headers that ask for a websocket."""
    lines = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13']
    lines += ['Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==']
    return [*lines, f'Sec-WebSocket-Protocol: {subprotocol()}']


def packed(kind: str, **fields: Any) -> bytes:
    """A message of the page."""
    import msgspec

    return msgspec.msgpack.encode({'type': kind, **fields})


CAMERA = {
    'wxyz': (1.0, 0.0, 0.0, 0.0),
    'position': (0.5, -2.0, 3.0),
    'fov': 0.35,
    'near': 0.01,
    'far': 100.0,
    'image_height': 560,
    'image_width': 900,
    'look_at': (0.0, 0.0, 0.0),
    'up_direction': (0.0, 1.0, 0.0),
}


class Wire:
    """One page that is open, seen from the wire."""

    def __init__(self, address: str) -> None:
        from websockets.sync.client import connect

        parts = urlsplit(address)
        self.socket = connect(
            f'ws://{parts.netloc}/?{parts.query}',
            origin=f'http://{parts.netloc}',
            subprotocols=[subprotocol()],
            max_size=None,
            compression=None,
            ping_interval=None,  # a machine may be busy for longer than its pings have time
            open_timeout=DEFAULT_TIMEOUT,
        )
        self.nodes: dict[str, dict[str, Any]] = {}
        self.controls: dict[str, dict[str, Any]] = {}
        self.added: list[str] = []  # every node that ever came, some of them again
        self.camera: dict[str, Any] = {}  # its position and look-at point
        self.send('ViewerCameraMessage', **CAMERA)  # before it a page does not count as one

    def close(self) -> None:
        self.socket.close()

    def send(self, kind: str, **fields: Any) -> None:
        self.socket.send(packed(kind, **fields))

    def listen(self, seconds: float = 0.02) -> None:
        """Take in what has come, waiting so long for something."""
        try:
            while True:
                for message in unpacked(self.socket.recv(seconds)):
                    self._take(message)
                seconds = 0.0
        except TimeoutError:
            pass

    def wait(self, condition: Callable[[], Any], what: str) -> Any:
        """Listen until something holds; gives what the condition gave."""
        missing = lambda: f'{what} did not come; the page says: {self.text}'  # noqa: E731
        return wait_until(condition, missing, self.listen)

    def wait_for_text(self, text: str) -> None:
        self.wait(lambda: text in self.text, repr(text))

    def wait_for_arm(self) -> None:
        self.wait(lambda: HANDLE in self.nodes and '/arm/0' in self.nodes, 'an arm')

    # --- content ---------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The words that the panel shows."""
        shown = [each for each in self.controls.values() if each.get('visible', True)]
        return ' '.join(
            re.sub('<style.*?</style>|<[^>]*>', ' ', each.get('content', ''), flags=re.DOTALL)
            for each in shown
        )

    @property
    def handle(self) -> tuple[float, float]:
        """Where the handle of an arm on a table is, in m."""
        x, y, _ = self.nodes[HANDLE]['position']
        return x, y

    @property
    def drawing(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What is drawn where, and where it is seen from."""
        looks = 'position', 'wxyz', 'visible', 'color', 'scale', 'text'
        nodes = {
            name: [node.get(each) for each in looks]
            for name, node in self.nodes.items()
            if not name[1:].isdigit()  # the root, which is another one for each arm
        }
        return nodes, {'position': self.camera.get('position'), 'at': self.camera.get('look_at')}

    def control(self, label: str) -> dict[str, Any]:
        """The control of this label."""
        return next(each for each in self.controls.values() if each.get('label') == label)

    def labels(self, label: str) -> bool:
        """Whether a control that is shown has this label."""
        return any(
            each.get('label') == label and each.get('visible') for each in self.controls.values()
        )

    def chosen(self, label: str) -> Any:
        """Where a control stands; None while it is disabled."""
        control = self.control(label)
        return None if control['disabled'] else control['value']

    # --- input -----------------------------------------------------------------------------------

    def drag(self, *places: Vector) -> None:
        """Drag the handle along places, in m."""
        for place in places:
            if GRASP in self.nodes:
                self.socket.send(self.dragged(GRASP, 'update', place))
            else:
                self.socket.send(_gizmo(self.nodes[HANDLE]['name'], position=tuple(place)))

    def turn(self, angle: float) -> None:
        """Turn the needle to an angle in the plane, in rad."""
        half = 0.5 * (angle - MIDDLE)
        self.socket.send(
            _gizmo(self.nodes[NEEDLE]['name'], wxyz=(math.cos(half), 0.0, 0.0, math.sin(half)))
        )

    @property
    def needle(self) -> float:
        """The angle of the needle, in rad."""
        w, _, _, z = self.nodes[NEEDLE]['wxyz']
        return 2.0 * math.atan2(z, w) + MIDDLE

    def click_along(self, origin: Any, direction: Any) -> None:
        """Click the scene along a ray, in m."""
        ray = {'ray_origin': origin, 'ray_direction': direction, 'screen_pos': ((0.5, 0.5),)}
        self.send('ScenePointerMessage', event_type='click', modifier=None, **ray)

    def choose(self, label: str, value: object) -> None:
        """Give a control a value."""
        control = self.control(label)
        control['value'] = value  # nobody tells who chose it
        self.send('GuiUpdateMessage', uuid=control['uuid'], updates={'value': value})

    def submit(self, label: str, value: str) -> None:
        """Type into a field of a form, and press Enter."""
        self.choose(label, value)
        self.send('GuiFormSubmitMessage', uuid=self.control(label)['container_uuid'])

    def press(self, label: str, value: object = True) -> None:
        """Press a button, or one of a group by its value."""
        self.send('GuiUpdateMessage', uuid=self.control(label)['uuid'], updates={'value': value})

    # --- the protocol ----------------------------------------------------------------------------

    def dragged(self, name: str, phase: str, place: Any) -> bytes:
        """The message of a node that is dragged to a point, in m."""
        ends = {f'{end}_position': place for end in ('start', 'end')}
        ends |= {f'{end}_screen_pos': (0.5, 0.5) for end in ('start', 'end')}
        how = {'name': self.nodes[name]['name'], 'phase': phase, 'button': 'left', **ANY_MOUSE}
        return packed('SceneNodeDragMessage', **how, **ends)

    def _take(self, message: dict[str, Any]) -> None:
        kind, uuid = message['type'], message.get('uuid')
        *_, name = message.get('name', '').split('/', 2)  # without that of its scene
        name = f'/{name}' if name else ''
        if kind == 'RemoveSceneNodeMessage':
            if self.nodes.get(name, message)['name'] == message['name']:
                self.nodes.pop(name, None)
        elif kind == 'GuiRemoveMessage':
            self.controls.pop(uuid, None)
        elif kind in ('SceneNodeUpdateMessage', 'GuiUpdateMessage'):
            known = self.nodes.get(name) or self.controls.get(uuid)
            if known is not None:
                known.update(message['updates'])
        elif kind in ('SetCameraPositionMessage', 'SetCameraLookAtMessage'):
            self.camera |= message
        elif kind.startswith('Set') and name in self.nodes:
            self.nodes[name] |= message
        elif 'props' in message and uuid is not None:
            self.controls[uuid] = {**message, **message['props']}
        elif 'props' in message:
            known = {'position': (0.0, 0.0, 0.0), 'wxyz': (1.0, 0.0, 0.0, 0.0), 'visible': True}
            self.nodes[name] = {**known, **message, **message['props']}
            self.added.append(name)


def _gizmo(name: str, **pose: Any) -> bytes:
    """The message of a gizmo that is dragged."""
    fields = {'owner': '', 'wxyz': (1.0, 0.0, 0.0, 0.0), 'position': (0.0, 0.0, 0.0), **pose}
    return packed('TransformControlsUpdateMessage', name=name, **fields)


def unpacked(data: bytes) -> list[dict[str, Any]]:
    """The messages in what the server sent at once, without the arrays in them."""
    import msgspec
    import zstandard

    size, compressed = (int.from_bytes(data[i : i + 8], 'little') for i in (0, 8))
    plain = zstandard.ZstdDecompressor().decompress(data[16 : 16 + compressed], size)
    return list(msgspec.msgpack.decode(plain)['messages'])


class Served:
    """A page without ROS: what it shows, and what a user requests on it."""

    def __init__(self, name='two_bone', host='127.0.0.1'):
        self.requests, self.errors, self._arms = [], [], 0
        settings = ViewerSettings(host, 0)
        self.page = Page(settings, '/ik2d', self.requests.append, self.errors.append, True)
        self.port, self.address = self.page.port, self.page.address
        self.show_arm(name)

    def show_arm(self, name, **more):
        """Show an arm at home, its name in the status box, and nothing else of before."""
        self._arms += 1
        self.view = replace(shown_arm(name), version=self._arms)
        self.show(**more)

    def show(self, **changes):
        self.view = replace(self.view, **changes)
        self.page.show(self.view)

    def requested(self, act):
        """The values of the requests of a kind."""
        return [request.value for request in self.requests if request.act is act]


def shown_arm(name):
    """What is shown of a shipped arm at home."""
    configuration = configuration_from_parameters(load_completed(single_arms()[name]))
    arm, limits = configuration.arm, configuration.control.hold_limits
    reach = arm.chain.reach.outer
    return View(
        Words(name, '', (0, 0, 0)),
        settings={'solver': 'auto', 'bend': 'nearest', 'path_speed': 0.05},
        arm=arm,
        poses=tuple(configuration.poses),
        held={each: limits[each] for each in configuration.control.holds if each in limits},
        positions=arm.home,
        area=fan(reach * np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 0.1]])),
        target=tuple(arm.kinematics.forward(arm.home).tolist()),
    )
