"""What pages send, before viser has it, which sets any attribute and keeps all that is uploaded."""

from __future__ import annotations

from typing import Any

MOST_BYTES = 4_000_000  # of a file
MOST_PARTS = 1000  # of one; those of viser's page have half a megabyte


class Incoming:
    """The messages of one page: values of controls, and one upload at a time."""

    def __init__(self) -> None:
        """Start without an upload."""
        self._upload = ''  # its identifier
        self._missing: set[int] = set()  # parts of it
        self._left = 0  # bytes of it

    def admitted(self, data: Any) -> Any:
        """Return a message as viser shall have it; None for one that it shall not have.

        A file that is too large becomes an empty one without a name: its page waits for an answer.
        """
        import msgspec  # noqa: PLC0415  # comes with viser

        try:
            message = msgspec.msgpack.decode(data)
        except msgspec.MsgspecError:
            return data  # viser ends the connection
        match message:
            case {'type': 'GuiUpdateMessage', 'updates': {'value': _, **others}} if not others:
                return data
            case {
                'type': 'FileTransferStartUpload',
                'transfer_uuid': str(upload),
                'part_count': int(parts),
                'size_bytes': int(size),
            }:
                if self._missing or not (0 <= parts <= MOST_PARTS and 0 <= size <= MOST_BYTES):
                    empty = {'filename': '', 'part_count': 0, 'size_bytes': 0}
                    return msgspec.msgpack.encode(message | empty)
                self._upload, self._missing, self._left = upload, set(range(parts)), size
                return data
            case {
                'type': 'FileTransferPart',
                'transfer_uuid': str(upload),
                'part_index': int(part),
                'content': bytes(content),
            } if upload == self._upload and part in self._missing and len(content) <= self._left:
                self._missing.remove(part)
                self._left -= len(content)
                return data
            case {'type': 'GuiUpdateMessage' | 'FileTransferStartUpload' | 'FileTransferPart'}:
                return None
        return data
