"""Filtering of messages from browsers: only what the page legitimately sends gets through.

viser would let any client set any attribute of a control for all clients, open a tunnel to the
internet, or forward invalid positions to all other clients.
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

LARGEST_MESSAGE = 65_536  # bytes; the page sends a few hundred
LONGEST_TEXT = 200
DRAG_PERIOD = 0.01  # s, minimum between two positions of the handle; the page takes longer


def listening(base: type) -> type:
    """Return a ``websockets`` connection class that drops all other messages.

    If positions of the handle arrive too fast for viser, only the last one is kept.
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
            """Return the next allowed message, and whether it is a position of the handle."""
            while True:
                raw = await super().recv()
                try:
                    message = msgspec.msgpack.decode(raw)
                except Exception:  # noqa: S112  # arbitrary input
                    continue
                if is_allowed(message):
                    return raw, message['type'] == 'TransformControlsUpdateMessage'

    return Connection


def speaks_as_expected() -> bool:
    """Return whether this version of viser has exactly the messages and fields in the table."""
    with contextlib.suppress(ImportError, AttributeError, TypeError):
        from viser import _messages  # noqa: PLC0415

        return all(
            {field.name for field in dataclasses.fields(getattr(_messages, kind))} == checks.keys()
            for kind, checks in MESSAGES.items()
        )
    return False


def is_allowed(message: object) -> bool:
    """Return whether a decoded message is one that the page legitimately sends."""
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
    """Return whether an update changes only the value of a control."""
    if not isinstance(updates, dict) or updates.keys() != {'value'}:
        return False
    value = updates['value']
    return isinstance(value, bool) or _is_number(value) or _is_text(value)


def _is_unturned(value: object) -> bool:
    """Return whether a value is the identity quaternion: the handle cannot be rotated."""
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
"""The messages that the page legitimately sends, with checks for their fields."""
