"""What is heard of those who have the page open: nothing but what it sends, and no flood of it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wire import CAMERA, packed

from ik2d_ros.viewer.incoming import MESSAGES, is_allowed

NODE = {'name': '/target', 'owner': ''}
UNTURNED = {'wxyz': [1.0, 0.0, 0.0, 0.0]}


def place(x):
    return {'type': 'TransformControlsUpdateMessage', **NODE, **UNTURNED, 'position': [x, 0.0, 0.0]}


def end(number):
    return {'type': 'TransformControlsDragEndMessage', 'name': f'/{number}'}


def change(value):
    return {'type': 'GuiUpdateMessage', 'uuid': 'a', 'updates': {'value': value}}


@pytest.mark.parametrize(
    'message',
    [
        place(1),
        end(1),
        {'type': 'TransformControlsDragStartMessage', **NODE},
        {
            'type': 'ViewerCameraMessage',
            **{k: v if type(v) is not tuple else [*v] for k, v in CAMERA.items()},
        },
        *map(change, (True, 0.5, 3, 'ccd', '')),
    ],
)
def test_what_the_page_sends_is_allowed(message):
    assert is_allowed(message)


plain = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary())
anything = st.one_of(
    plain, st.lists(plain, max_size=4), st.dictionaries(st.text(), plain, max_size=2)
)
fields = {name for checks in MESSAGES.values() for name in checks}


@given(
    st.sampled_from([*MESSAGES, 'GuiRemoveMessage', '', 7, None]) | anything,
    st.dictionaries(st.sampled_from(sorted(fields)) | st.text(), anything, max_size=9),
)
def test_whatever_is_made_up_is_judged(kind, given_fields):
    if is_allowed({**given_fields, 'type': kind}):
        assert given_fields.keys() <= MESSAGES[kind].keys()
    assert not is_allowed(given_fields)
    assert not is_allowed(kind)


@given(messages=st.lists(st.sampled_from(['place', 'end', 'junk']), max_size=40), data=st.data())
def test_of_places_in_a_row_the_last_is_heard_and_all_else_in_order(viser, messages, data):
    from websockets.exceptions import ConnectionClosedOK

    from ik2d_ros.viewer.incoming import listening

    makers = {'place': place, 'end': end, 'junk': lambda x: {'type': 'Junk', 'x': x}}
    given_messages = [makers[kind](float(number)) for number, kind in enumerate(messages)]
    to_come = [
        packed(message['type'], **{k: v for k, v in message.items() if k != 'type'})
        for message in given_messages
    ]
    sent = list(to_come)

    class Source:
        async def recv(self):
            if data.draw(st.booleans()):
                await asyncio.sleep(0)
            if not to_come:
                raise ConnectionClosedOK(None, None)
            return to_come.pop(0)

    async def hear():
        connection, heard = listening(Source)(), []
        with contextlib.suppress(ConnectionClosedOK):
            while True:
                heard.append(await connection.recv())
        return heard

    heard = asyncio.run(hear())
    allowed = [raw for raw, kind in zip(sent, messages, strict=True) if kind != 'junk']
    kinds = dict(zip(sent, messages, strict=True))
    # In order, nothing twice, and nothing left out but places that another one follows.
    assert heard == [raw for raw in allowed if raw in heard]
    for raw, following in itertools.pairwise([*allowed, None]):
        if raw not in heard:
            assert kinds[raw] == 'place'
            assert kinds.get(following) == 'place'
