"""The configuration of RViz: that it loads, and that it looks at what the package publishes."""

from __future__ import annotations

import ast
import copy
import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from space import random_pose

from ik2d_ros.arm.area import reach_area
from ik2d_ros.arm.description import ArmDescription, load_arm
from ik2d_ros.arm.skeleton import skeleton
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.node.answer import Code
from ik2d_ros.parameters.shipped import find_config
from ik2d_ros.ros.rviz_config import fitted

ROOT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((ROOT / 'config/ik2d.rviz').read_text())
MANAGER = CONFIG['Visualization Manager']

# The words of RViz's own menus; it takes any other for the default without a word.
POLICIES = {
    'Durability Policy': {'System Default', 'Transient Local', 'Volatile'},
    'History Policy': {'System Default', 'Keep Last', 'Keep All'},
    'Reliability Policy': {'System Default', 'Reliable', 'Best Effort'},
}


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Every mapping in a document."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from nodes(item)


def named(kind: str, things: list[dict[str, Any]]) -> dict[str, Any]:
    (thing,) = (thing for thing in things if thing['Class'] == kind)
    return thing


def display(kind: str) -> dict[str, Any]:
    found = named(f'rviz_default_plugins/{kind}', MANAGER['Displays'])
    assert found['Enabled'] is True
    return found


def test_every_plugin_comes_from_a_package_that_is_depended_on() -> None:
    classes = {node['Class'] for node in nodes(CONFIG) if node.get('Class')}
    depended_on = {element.text for element in ET.parse(ROOT / 'package.xml').iter('exec_depend')}
    packages = {name.split('/')[0] for name in classes}
    assert all(name.count('/') == 1 for name in classes)
    assert packages <= depended_on
    assert {f'rviz_default_plugins/{kind}' for kind in ('RobotModel', 'TF', 'MarkerArray')} <= (
        classes
    )


def test_every_quality_of_service_is_spelled_as_rviz_does() -> None:
    topics = [node for node in nodes(CONFIG) if 'Durability Policy' in node]
    assert topics
    for topic in topics:
        assert topic.keys() == {'Depth', 'Value', *POLICIES}
        assert topic['Depth'] >= 1
        for policy, words in POLICIES.items():
            assert topic[policy] in words


@pytest.mark.parametrize(
    ('kind', 'field', 'topic'),
    [
        ('MarkerArray', 'Topic', '/ik2d/markers'),
        ('RobotModel', 'Description Topic', '/robot_description'),
    ],
)
def test_what_is_published_once_is_asked_for_as_such(kind: str, field: str, topic: str) -> None:
    subscription = display(kind)[field]
    assert subscription['Value'] == topic
    # A volatile subscription hears nothing of what was published before RViz came.
    assert subscription['Durability Policy'] == 'Transient Local'
    assert subscription['Reliability Policy'] == 'Reliable'


def test_the_model_comes_from_the_topic() -> None:
    assert display('RobotModel')['Description Source'] == 'Topic'


def test_the_fixed_frame_is_that_of_an_arm_that_names_none() -> None:
    assert MANAGER['Global Options']['Fixed Frame'] == ArmDescription.base_frame
    assert named('rviz_default_plugins/TF', [MANAGER['Transformation']['Current']])
    assert display('TF')


def test_clicks_go_where_the_demo_listens() -> None:
    tool = named('rviz_default_plugins/PublishPoint', MANAGER['Tools'])
    defaults = {
        call.args[0].value: keyword.value.value
        for call in ast.walk(ast.parse((ROOT / 'launch/demo.launch.py').read_text()))
        if isinstance(call, ast.Call) and getattr(call.func, 'id', '') == 'DeclareLaunchArgument'
        for keyword in call.keywords
        if keyword.arg == 'default_value' and isinstance(keyword.value, ast.Constant)
    }
    # Relative there, to follow the namespace; the file of RViz is for use by hand.
    assert tool['Topic']['Value'] == '/' + defaults['target_topic'] == '/clicked_point'


@pytest.mark.usefixtures('ros_packages')
def test_the_arm_is_drawn_once() -> None:
    """The robot model is the arm, and the markers are what the model cannot show."""
    arm = load_arm(ROOT / 'config/two_bone.yaml')
    from ik2d_ros.node import markers

    plane = Plane.from_pose(arm.base_xyz, arm.base_rpy)
    target = markers.AnsweredTarget(Code.REACHED, plane.point(0.1, 0.1))
    picture = markers.markers(markers.Snapshot(arm, arm.home, target), ())
    shown = display('MarkerArray')['Namespaces']
    assert shown.keys() == {marker.ns for marker in picture.markers}
    assert {name for name, is_shown in shown.items() if not is_shown} == {'arm', 'joints'}


def test_the_window_opens_as_it_is_meant_to() -> None:
    window = CONFIG['Window Geometry']
    # RViz reads these from memory that it never set where they are missing.
    assert window['Hide Left Dock'] is window['Hide Right Dock'] is False
    assert window['Width'] <= 1280  # fits onto any screen
    assert window['Height'] <= 720
    # Without a 'QMainWindow State' no panel opens collapsed, whatever is said here.
    collapsed = [name for name, panel in window.items() if panel == {'collapsed': True}]
    assert not collapsed
    assert [panel['Class'] for panel in CONFIG['Panels']] == ['rviz_common/Displays']


@pytest.mark.parametrize('name', ['two_bone', 'three_link', 'snake'])
def test_the_arm_is_in_view(name: str) -> None:
    arm = load_arm(ROOT / 'config' / f'{name}.yaml')
    view = MANAGER['Views']['Current']
    eye, focus = view['Distance'], [view['Focal Point'][axis] for axis in 'XYZ']
    off = math.dist(focus, arm.base_xyz)
    assert eye > arm.chain.reach.outer + off  # outside of all that moves
    # The lens of RViz sees 45 degrees from top to bottom; nearly all that is reached has to fit.
    assert math.tan(math.radians(22.5)) * eye > 0.9 * arm.chain.reach.outer + off
    assert view['Near Clip Distance'] < eye - arm.chain.reach.outer - off


ARMS = ['two_bone', 'three_link', 'snake']
WIDTH, HEIGHT = 880, 600  # px of the window are left for the picture itself


def on_screen(
    point: tuple[float, float, float], view: Any = MANAGER['Views']['Current']
) -> tuple[np.ndarray, float]:
    """Where the opening view shows a place of the fixed frame, and how large.

    Returns:
        (2,) right and up from the middle of the picture, in px; px per m.
    """
    (cos_p, sin_p), (cos_y, sin_y) = (
        (math.cos(a), math.sin(a)) for a in (view['Pitch'], view['Yaw'])
    )
    back = np.array([cos_p * cos_y, cos_p * sin_y, sin_p])
    right, up = np.array([-sin_y, cos_y, 0.0]), np.array([-sin_p * cos_y, -sin_p * sin_y, cos_p])
    focus = np.array([view['Focal Point'][axis] for axis in 'XYZ'])
    seen = np.array(point) - focus - view['Distance'] * back
    scale = 0.5 * HEIGHT / math.tan(math.radians(22.5)) / -(seen @ back)
    return np.array([seen @ right, seen @ up]) * scale, scale


@pytest.mark.parametrize('name', ARMS)
def test_the_whole_area_of_reach_is_in_view(name: str) -> None:
    arm = load_arm(ROOT / 'config' / f'{name}.yaml')
    plane = Plane.from_pose(arm.base_xyz, arm.base_rpy)
    corners, _ = reach_area(arm.chain)
    places = np.array([on_screen(plane.point(x, y))[0] for x, y in corners.tolist()])
    across, upright = np.abs(places).max(axis=0)
    assert across < 0.5 * WIDTH
    assert upright < 0.5 * HEIGHT
    assert np.ptp(places[:, 0]) > 0.3 * WIDTH  # not too small to be aimed at, either


def arm_of(name: str) -> ArmDescription:
    file, _, limb = name.partition('/')
    return load_arm(find_config(file), f'/{limb}/ik2d' if limb else 'ik2d')


def fitted_to(arm: ArmDescription) -> Any:
    """What the demo makes of the configuration for an arm."""
    return yaml.safe_load(fitted((ROOT / 'config/ik2d.rviz').read_text(), arm))


SIZES = [*ARMS, 'rail', 'telescope', 'excavator', 'so101', 'scara_icube', 'mini_pupper_2/lf']


@pytest.mark.parametrize('name', SIZES)
def test_the_demo_shows_what_an_arm_of_any_size_reaches(name: str) -> None:
    arm = arm_of(name)
    manager = fitted_to(arm)['Visualization Manager']
    view = manager['Views']['Current']
    rng = np.random.default_rng(1)
    places = np.array([
        on_screen(point, view)[0]
        for _ in range(300)
        for point in skeleton(arm, random_pose(arm.kinematics, rng).tolist())
    ])  # fmt: skip
    across, upright = np.abs(places).max(axis=0)
    assert across < 0.5 * WIDTH
    assert upright < 0.5 * HEIGHT
    assert np.ptp(places, axis=0).max() > 0.4 * HEIGHT
    # The grid is as fine for the arm as it is for the one of the file.
    (cell,) = [shown['Cell Size'] for shown in manager['Displays'] if 'Cell Size' in shown]
    usual = 0.1 / MANAGER['Views']['Current']['Distance']
    assert 0.6 < cell / view['Distance'] / usual < 1.6
    assert f'{cell:.0e}'[0] in '125'
    assert view['Near Clip Distance'] < 0.01 * view['Distance']


def test_the_demo_changes_nothing_but_sizes_and_places() -> None:
    shown = fitted_to(arm_of('two_bone'))
    for config in (shown, changed := copy.deepcopy(CONFIG)):
        manager = config['Visualization Manager']
        for display in manager['Displays']:
            display.pop('Cell Size', None)
            display.pop('Marker Scale', None)
        for view in (manager['Views']['Current'], *manager['Views']['Saved']):
            for field in ('Distance', 'Focal Point', 'Near Clip Distance', 'Scale', 'X', 'Y'):
                view.pop(field, None)
    assert shown == changed


@pytest.mark.parametrize('yaw', [0.0, 1.0, 0.5 * math.pi, -0.5 * math.pi, math.pi])
@pytest.mark.parametrize('roll', [0.0, 0.75, 0.5 * math.pi, -0.5 * math.pi, math.pi])
def test_no_plane_is_seen_edge_on(roll: float, yaw: float) -> None:
    arm = replace(arm_of('two_bone'), base_rpy=(roll, 0.0, yaw))
    view = fitted_to(arm)['Visualization Manager']['Views']['Current']
    plane = Plane.from_pose(arm.base_xyz, arm.base_rpy)
    near = 0.001  # m, so that perspective does not count
    corners = ((0.0, 0.0), (near, 0.0), (0.0, near))
    flat = np.array([on_screen(plane.point(x, y), view)[0] for x, y in corners])
    (a, b), (c, d) = (flat[1:] - flat[0]) / near / on_screen(plane.origin, view)[1]
    assert abs(a * d - b * c) > 0.2


def target_and_words(arm: ArmDescription, code: Code, x: float, y: float) -> list[Any]:
    """The two markers of a target at (x, y), in m in the arm's plane."""
    from ik2d_ros.node import markers

    plane = Plane.from_pose(arm.base_xyz, arm.base_rpy)
    target = markers.AnsweredTarget(code, plane.point(x, y))
    picture = markers.markers(markers.Snapshot(arm, arm.home, target), ()).markers
    return [marker for name in ('target', 'status') for marker in picture if marker.ns == name]


@pytest.mark.usefixtures('ros_packages')
@pytest.mark.parametrize('name', ARMS)
def test_the_status_text_is_above_the_target(name: str) -> None:
    arm = load_arm(ROOT / 'config' / f'{name}.yaml')
    far = 0.7 * arm.chain.reach.outer
    for x, y in ((far, 0.0), (-far, 0.0), (0.0, far), (0.0, -far), (0.1, 0.1)):
        target, words = target_and_words(arm, Code.REACHED, x, y)
        (place, scale), (above, words_scale) = (
            on_screen((marker.pose.position.x, marker.pose.position.y, marker.pose.position.z))
            for marker in (target, words)
        )
        letters = words.scale.z * words_scale
        assert letters > 15.0  # px
        gap = above[1] - 0.5 * letters - place[1] - 0.5 * target.scale.z * scale
        assert 0.0 < gap < 3.0 * letters
        assert abs(above[0] - place[0]) < letters


def luminance(colour: Any) -> float:
    """Relative luminance of (3,) red, green, blue from 0 to 1, as WCAG defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


@pytest.mark.usefixtures('ros_packages')
@pytest.mark.parametrize('code', Code)
def test_the_status_text_is_legible_on_the_area_and_beside_it(code: Code) -> None:
    from ik2d_ros.node import markers

    _, words = target_and_words(load_arm(ROOT / 'config/two_bone.yaml'), code, 0.3, 0.2)
    background = MANAGER['Global Options']['Background Color']
    beside = np.array([int(part) for part in background.split(';')]) / 255.0
    *blue, opacity = markers.AREA_COLOUR
    area = opacity * np.array(blue) + (1.0 - opacity) * beside
    written = luminance((words.color.r, words.color.g, words.color.b))
    for behind in (beside, area):
        assert (written + 0.05) / (luminance(behind) + 0.05) >= 4.5  # WCAG 2, level AA
