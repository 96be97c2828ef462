"""The page in a real browser, without ROS: what a person sees and does.

Positions are read from the scene that the browser draws. What needs no browser, and what the page
does with nodes, is in ``test_page.py``.
"""

from __future__ import annotations

import importlib.util
import math
import random
import re

import page as pages
import pytest
from harness import resent
from wire import Served, shown_arm

from ik2d_ros.arm.coordinates import read_rows
from ik2d_ros.kinematics.options import angle_refusal
from ik2d_ros.parameters.shipped import single_arms
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.viewer.view import Act, Request, Words

pytestmark = [
    pytest.mark.skipif(
        pages.CHROMIUM is None, reason='Chromium is missing: apt-get install chromium'
    ),
    pytest.mark.skipif(
        importlib.util.find_spec('playwright') is None, reason='playwright is not installed'
    ),
]

MILLIMETRE = 1e-3
TWO_BONE = load_arm(single_arms()['two_bone'])


# Without a graphics card pixels take most of the time, and nothing here looks at them.
NO_PIXELS = """for (const shape of ['Arrays', 'Elements']) for (const many of ['', 'Instanced'])
  WebGL2RenderingContext.prototype['draw' + shape + many] = () => {};"""


@pytest.fixture(scope='module')
def open_page(viser):
    """``open_page(address, **options)``: they last, as one takes longer to open than most tests."""
    opened = []

    def open_one(address, **options):
        opened.append(pages.open_page(running, address, script=NO_PIXELS, **options))
        return opened[-1]

    with pages.browser('--disable-gpu-compositing') as running:
        yield open_one
        for page in opened:
            page.close()


@pytest.fixture
def alone(open_page, start_process):
    """The page of `ik2d view two_bone`; closed, it draws nothing beside later tests."""
    process = start_process('-m', 'ik2d_ros.cli', 'view', 'two_bone', '--port', '0')
    process.wait_for_output(' target ')
    page = open_page(pages.find_url(process.output))
    page.wait_for_fit(TWO_BONE)
    yield page
    page.close()


@pytest.fixture(scope='module')
def lasting(open_page):
    """A page for all tests, and what it shows."""
    served = Served()
    yield served, open_page(served.address, has_touch=True)
    served.page.close()


@pytest.fixture
def show(lasting):
    """``show(name, size=(900, 560), **more) -> served, page``: a page with an arm at home."""
    served, page = lasting

    def show_arm(name, size=(900, 560), **more):
        width, height = size
        page.page.set_viewport_size({'width': width, 'height': height})
        page.page.get_by_role('tab', name='Joints').click()
        area = 'window.coloured(window.area_colour)'
        parts = f'[...window.unseen(), ...{area}, {pages.TIP}]'  # which are touched, and seen
        page.page.evaluate(f'{parts}.forEach(part => {{ part.is_old = true; }})')
        served.show_arm(name, **more)
        is_new = f'{parts}.length > 1 && {parts}.every(part => part?.is_old === undefined)'
        page.wait(lambda: page.page.evaluate(f'!!{pages.TIP} && {is_new}'), f'a new {name}')
        page.wait_for_text(served.view.words.title)
        page.wait_for_fit(served.view.arm)
        reach = served.view.arm.chain.reach.outer

        def has_hand():  # once it can be touched; people move a mouse more than once
            x, y = (reach * random.uniform(-0.5, 0.5) for _ in range(2))
            page.page.mouse.move(*page.on_screen(x, y))
            cursor = "document.querySelector('canvas[data-engine]').style.cursor"
            return page.page.evaluate(cursor) == 'pointer'

        page.wait(has_hand, 'a hand for the mouse')
        served.requests.clear()
        return served, page

    return show_arm


def close(place, other, tolerance=MILLIMETRE):
    return math.dist(place, other) <= tolerance


def test_an_arm_is_dragged_and_a_path_is_drawn_followed_and_saved(alone, tmp_path):
    page, there = alone, (0.1, 0.3)

    def is_there():
        tip, handle = page.tip, page.handle
        return close(tip, there, 0.003) and close(handle, there, 0.003) and 'REACHED' in page.status

    drag = resent(lambda: page.drag(there))
    page.wait(lambda: is_there() or drag() or is_there(), 'tip and handle at the mouse')
    page.page.get_by_role('tab', name='Path').click()
    buttons = page.page.get_by_role('button').locator('visible=true')

    def button(name):
        return buttons.filter(has_text=re.compile(f'^{name}$'))

    page.wait(page.has_sheet, 'a sheet')
    page.draw((0.4, -0.1))
    page.wait(lambda: len(page.dots) == 1, 'a dot')
    assert button('Follow').is_disabled()
    page.draw((0.3, -0.1))
    page.wait_for_text('can be followed.')
    button('Undo').click()
    page.wait(button('Follow').is_disabled, 'one point')
    before = page.on_screen(0.4, 0.2)
    page.draw((0.4, 0.0), (0.4, 0.2), (0.3, 0.2), follows=lambda: page.dots[-1])
    whole = re.compile(r'All (39[5-9]|40[0-5])(\.\d)? mm of the path can be followed\.')
    page.wait(lambda: whole.search(page.text), 'no chord to the dot')  # pixels are millimetres
    button('Follow').click()
    page.wait(lambda: close(page.tip, (0.3, 0.2), 0.003), 'the tip at the end')
    assert close(page.on_screen(0.4, 0.2), before, 1.0)  # the view has not been dragged

    with page.page.expect_download() as download:
        button('Save').click()
    download.value.save_as(tmp_path / 'path.csv')
    points = [*read_rows(str(tmp_path / 'path.csv'), {2: 'X Y', 3: 'X Y Z'}, 1000)[1].values()]
    assert close(points[0][:2], (0.4, -0.1), 0.003)
    assert close(points[-1][:2], (0.3, 0.2), 0.003)
    button('Clear').click()
    page.wait(lambda: not page.dots, 'no path')
    page.page.get_by_role('tab', name='Joints').click()
    page.wait(lambda: not page.has_sheet(), 'the end of drawing')


def test_at_150_percent_no_control_of_an_arm_is_below_the_fold(show):
    """But for one of ten joints, whose tip angle is below its sliders."""

    def controls(name):
        view = shown_arm(name)
        return 1 + bool(view.poses) + len(view.arm.names) + len(view.held) + 2

    name = max({*single_arms()} - {'snake'}, key=controls)
    words = Words(
        'MOVING', '0.343 mm to go. The target can be reached, to less than 1 um.', (0, 0, 0)
    )
    served, page = show(name, size=(853, 480), is_paused=True, angle=0.0, words=words)
    page.wait(lambda: len(page.bottoms) == controls(name), 'its controls')
    assert max(before := page.bottoms) < 480
    page.page.evaluate("document.querySelector('[role=status]').is_old = true")
    served.show(words=words._replace(text=f'{words.text} ' * 5))
    is_new = "document.querySelector('[role=status]').is_old !== true"
    page.wait(lambda: page.page.evaluate(is_new), 'a longer message')
    assert page.bottoms == before  # nothing jumps


def test_a_phone_shows_the_arm_over_its_panel_and_fingers_move_the_target_or_the_view(show):
    words = Words('TOO_FAR', 'So far away, and more than that. ' * 8, (0, 0, 0))
    held = {f'finger_{i}': (0.0, 1.0) for i in range(9)}
    served, page = show('two_bone', size=(390, 844), words=words, held=held)
    served.show(target=(0.3, 0.0, 0.0))
    top = lambda: page.page.get_by_text('/ik2d').bounding_box()['y']  # noqa: E731
    reach = TWO_BONE.chain.reach.outer
    page.wait(lambda: page.on_screen(0.0, -reach)[1] < top(), 'the arm above the panel')
    stop = page.page.get_by_role('button', name='Stop')
    place, last = stop.bounding_box(), page.page.get_by_text('finger_8')
    page.wait(lambda: last.bounding_box()['y'] > 844, 'more than the screen holds')
    page.page.mouse.move(250.0, 800.0)

    def is_scrolled():
        page.page.mouse.wheel(0.0, 500.0)
        return last.bounding_box()['y'] < 844

    page.wait(is_scrolled, 'the end of the panel')
    assert stop.bounding_box() == place  # wherever the panel is scrolled to
    x, y = place['x'] + 5.0, place['y'] + 5.0
    on_top = f'document.elementFromPoint({x}, {y}).closest("button").textContent'
    assert page.page.evaluate(on_top) == 'Stop'

    page.wait(lambda: close(page.handle, (0.3, 0.0)), 'the handle')
    spot = page.on_screen(-0.2, 0.2)
    page.swipe((spot, spot))
    page.wait(lambda: served.requests, 'the target')
    assert served.requests == [Request(Act.TARGET, pytest.approx((-0.2, 0.2, 0.0), abs=0.01))]
    for there in ((0.2, -0.2), (-0.2, -0.2)):  # by its ring, and from anywhere
        page.swipe((page.on_screen(there[0] + 0.1, 0.0), page.on_screen(*there)))
        is_there = lambda there=there: close(served.requests[-1].value[:2], there, 0.01)  # noqa: E731
        page.wait(is_there, 'the target at the finger')
    page.wait(lambda: close(page.on_screen(-0.2, 0.2), spot, 1.0), 'the sheet, after the drag')
    before = math.dist(page.on_screen(0.0, 0.0), spot)
    x, y = page.on_screen(-0.35, 0.0)
    page.swipe(((x, y), (x - 30, y)), ((x + 60, y), (x + 180, y)))
    page.wait(
        lambda: math.dist(page.on_screen(0.0, 0.0), page.on_screen(-0.2, 0.2)) > 1.05 * before,
        'a larger arm',
    )
    assert is_there()


HANDLES = """() => {
  const found = [];
  const add = (kind, axis, place) => {
    const {canvas} = window.seen(0, 0), camera = window.drawn().__r3f.root.getState().camera;
    place.project(camera);
    found.push([kind, axis, canvas.left + (place.x + 1) / 2 * canvas.width,
      canvas.top + (1 - place.y) / 2 * canvas.height]);
  };
  for (const [axis, colour] of ['ff2060', '20df80', '2080ff'].entries()) {
    window.drawn().traverse(mesh => {
      if (!mesh.isMesh || mesh.material.color?.getHexString?.() !== colour) return;
      const [{type, attributes}, place] = [mesh.geometry, mesh.position.clone()];
      if (type === 'ConeGeometry') add('arrow', axis, mesh.getWorldPosition(place));
      if (type === 'PlaneGeometry') add('square', axis, mesh.getWorldPosition(place));
      if (!mesh.isLineSegments2 || attributes.instanceStart.count < 9) return;
      place.fromBufferAttribute(attributes.instanceStart, attributes.instanceStart.count >> 1);
      add('arc', axis, mesh.localToWorld(place));
    });
  }
  return found;
}"""


@pytest.mark.parametrize(
    ('name', 'has_touch'),
    [*((name, False) for name in ('so101', 'so100', 'zx200', 'scara_icube')), ('so101', True)],
)
def test_every_handle_of_an_arm_in_space_moves_it_from_any_view(show, name, has_touch):
    turns = not angle_refusal(shown_arm(name).arm.chain)
    served, page = show(name, angle=0.5 if turns else None)
    mouse, rng = page.page.mouse, random.Random(name)
    count, before = 6 + turns, served.view.target

    def handles():
        mouse.move(rng.uniform(0.0, 9.0), 400.0)  # one under the mouse has another colour
        found = page.page.evaluate(HANDLES)
        return {(kind, axis): (x, y) for kind, axis, x, y in found} if len(found) == count else {}

    def drag(x, y, dx, dy):
        if has_touch:
            page.swipe(((x, y), (x + dx, y + dy)))
            return
        mouse.move(x, y)
        page.wait_for_frames()
        mouse.down()
        for part in (0.3, 0.6, 1.0):
            mouse.move(x + part * dx, y + part * dy)
            page.wait_for_frames()
        mouse.up()

    for turn in range(2):
        if turn:  # the view; nothing else is dragged
            known = len(served.requests)
            drag(30.0, 300.0, rng.uniform(60.0, 150.0), rng.uniform(-60.0, 20.0))
            assert len(served.requests) == known
        for index, (kind, axis) in enumerate(page.wait(handles, 'handles')):
            x, y = page.wait(handles, 'handles')[kind, axis]
            known, way = len(served.requests), (-1.0) ** index
            drag(x, y, 20.0 * way, 16.0 * way)
            page.wait(lambda known=known: served.requests[known:], f'what {kind} {axis} asks for')
            act, value = served.requests[-1]
            assert act is (Act.TURN if kind == 'arc' else Act.DRAG)
            if act is Act.DRAG:
                ways = [abs(a - b) > MILLIMETRE for a, b in zip(value, before, strict=True)]
                assert any(ways)
                # Seen from elsewhere it may be behind another one.
                assert turn or ways[axis] == (kind == 'arrow'), (kind, axis, ways)
                before = value
