"""What viser gets of what pages send: uploads within bounds, and values of controls."""

from __future__ import annotations

from unittest import mock

from hypothesis import given
from hypothesis import strategies as st
from wire import packed

from ik2d_ros.viewer import incoming
from ik2d_ros.viewer.incoming import Incoming
from ik2d_ros.viewer.requests import Act

START, PART = 'FileTransferStartUpload', 'FileTransferPart'
MOST = 100  # bytes
small = st.integers(-1, 12) | st.just(10**12)
uploads = st.sampled_from('ab')
messages = st.lists(
    st.fixed_dictionaries(
        {
            'type': st.just(START),
            'transfer_uuid': uploads,
            'part_count': small | st.none() | st.just('x'),
            'size_bytes': small | st.integers(0, 2 * MOST) | st.none(),
        }
    )
    | st.fixed_dictionaries(
        {
            'type': st.just(PART),
            'transfer_uuid': uploads,
            'part_index': small,
            'content': st.binary(max_size=MOST) | st.just(MOST * 'x'),
        }
    ),
    max_size=40,
)


@given(messages)
def test_whatever_a_page_uploads_no_more_than_one_file_is_kept(viser, given_):
    """viser keeps the parts of each upload that was begun until it has all of them."""
    import msgspec

    page, kept = Incoming(), {}
    with mock.patch.object(incoming, 'MOST_BYTES', MOST):
        for message in given_:
            fields = {name: value for name, value in message.items() if name != 'type'}
            data = page.admitted(packed(message['type'], **fields))
            if data is None:
                continue
            taken = msgspec.msgpack.decode(data)
            upload = taken['transfer_uuid']
            if taken['type'] == START:
                kept[upload] = taken['part_count'], {}
            elif upload in kept:
                kept[upload][1][taken['part_index']] = taken['content']
            if upload in kept and len(kept[upload][1]) >= kept[upload][0]:
                del kept[upload]
            held = [content for _, parts in kept.values() for content in parts.values()]
            assert sum(map(len, held)) <= MOST
            assert len(kept) <= 1


def load(page, content, size=None, part=10):
    """Choose a file for the button Load."""
    parts = [content[i : i + part] for i in range(0, len(content), part)]
    size = len(content) if size is None else size
    ids = {'source_component_uuid': page.control('Load')['uuid'], 'transfer_uuid': str(size)}
    file = {'filename': 'a.csv', 'mime_type': '', 'part_count': len(parts), 'size_bytes': size}
    page.send(START, **ids, **file)
    for index, each in enumerate(parts):
        page.send(PART, **ids, part_index=index, content=each)


def test_a_file_arrives_whole_and_one_that_is_too_large_is_refused(serve, visit):
    served = serve()
    page, content = visit(served), b'0.3, 0.2\n0.4, 0.1\n'
    for count in (1, 2):
        load(page, content)
        page.wait(lambda count=count: len(served.requested(Act.LOAD)) == count, 'the file')
    load(page, content, 10**12)
    [words] = page.wait(lambda: served.requested(Act.REFUSE), 'a refusal')
    assert 'too large' in words
    assert served.requested(Act.LOAD) == 2 * [content.decode()]


def test_a_page_sets_values_of_controls_and_nothing_else(serve, visit):
    served = serve()
    page = visit(served)
    uuid = page.control('Home')['uuid']
    for updates in ({'removed': True}, {'value': True, 'update_cb': []}, {}, {'props': None}, 7):
        page.send('GuiUpdateMessage', uuid=uuid, updates=updates)
    page.press('Home')
    page.wait(lambda: served.requested(Act.HOME) == [None], 'what was asked')
