"""What is heard of those who have the page open: what the page has reason to send, no more.

viser would let any client set whatever attribute of a control, for everybody, have it open a tunnel
to the world, or hand broken places on to all the other clients.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import time
from collections.abc import Callable, Mapping
from math import inf, isfinite
from types import MappingProxyType
from typing import Any

Check = Callable[[object], bool]

LARGEST_MESSAGE = 65_536  # bytes; what the page sends is some hundred
LONGEST_TEXT = 200
DRAG_PERIOD = 0.01  # s at least between two places of the handle; the page takes more


def listening(base: type) -> type:
    """A kind of ``websockets`` connection on which only that is heard.

    Of places of the handle that come too fast for viser, only the last one is heard.
    """
    import msgspec  # noqa: PLC0415
    from websockets.exceptions import ConnectionClosed  # noqa: PLC0415

    class Connection(base):  # type: ignore[misc]
        _waiting: tuple[Any, bool] | None = None
        _dragged_at = -inf

        async def recv(self, *_: Any, **__: Any) -> Any:
            raw, is_drag = self._waiting or await self._next()
            self._waiting = None
            while is_drag and (wait := self._dragged_at + DRAG_PERIOD - time.monotonic()) > 0.0:
                try:
                    following = await asyncio.wait_for(self._next(), wait)
                except (asyncio.TimeoutError, ConnectionClosed):
                    break
                if not following[1]:
                    self._waiting = following
                    break
                raw = following[0]
            if is_drag:
                self._dragged_at = time.monotonic()
            return raw

        async def _next(self) -> tuple[Any, bool]:
            """The next message that is allowed, and whether it is a place of the handle."""
            while True:
                raw = await super().recv()
                try:
                    message = msgspec.msgpack.decode(raw)
                except Exception:  # noqa: S112  # whatever somebody has made up
                    continue
                if is_allowed(message):
                    return raw, message['type'] == 'TransformControlsUpdateMessage'

    return Connection


def speaks_as_expected() -> bool:
    """Whether this version of viser has the messages in the table, with just their fields."""
    with contextlib.suppress(ImportError, AttributeError, TypeError):
        from viser import _messages  # noqa: PLC0415

        return all(
            {field.name for field in dataclasses.fields(getattr(_messages, kind))} == checks.keys()
            for kind, checks in MESSAGES.items()
        )
    return False


def is_allowed(message: object) -> bool:
    """Whether a message, decoded, is one that the page has reason to send."""
    if not isinstance(message, dict) or not isinstance(message.get('type'), str):
        return False
    fields = {name: value for name, value in message.items() if name != 'type'}
    checks = MESSAGES.get(message['type'], {})
    return (
        bool(checks)
        and checks.keys() - {'owner'} <= fields.keys() <= checks.keys()
        and all(checks[name](value) for name, value in fields.items())
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_TEXT


def _are_numbers(count: int) -> Check:
    return lambda value: (
        isinstance(value, list) and len(value) == count and all(map(_is_number, value))
    )


def _is_value(updates: object) -> bool:
    """Whether it changes the value of a control, and nothing else of it."""
    if not isinstance(updates, dict) or updates.keys() != {'value'}:
        return False
    value = updates['value']
    return isinstance(value, bool) or _is_number(value) or _is_text(value)


def _is_unturned(value: object) -> bool:
    """Whether it is the quaternion of no turn: the handle has nothing to turn it by."""
    if not isinstance(value, list) or not _are_numbers(4)(value):
        return False
    return all(abs(part) < 1e-6 for part in value[1:]) and value[0] != 0.0


_NODE = {'name': _is_text, 'owner': _is_text}
_PLACE, _TURN = _are_numbers(3), _are_numbers(4)

MESSAGES: Mapping[str, Mapping[str, Check]] = MappingProxyType(
    {
        'ViewerCameraMessage': {
            **dict.fromkeys(('position', 'look_at', 'up_direction'), _PLACE),
            **dict.fromkeys(('fov', 'near', 'far', 'image_height', 'image_width'), _is_number),
            'wxyz': _TURN,
        },
        'TransformControlsDragStartMessage': _NODE,
        'TransformControlsUpdateMessage': {**_NODE, 'wxyz': _is_unturned, 'position': _PLACE},
        'TransformControlsDragEndMessage': _NODE,
        'GuiUpdateMessage': {'uuid': _is_text, 'updates': _is_value},
    }
)
"""The messages that our page has reason to send, with what their fields have to be."""
