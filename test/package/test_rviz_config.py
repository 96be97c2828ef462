"""The configuration of RViz: that it loads, and that it looks at what the package publishes."""

from __future__ import annotations

import ast
import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ik2d_ros.arm.description import ArmDescription, load_arm
from ik2d_ros.arm.plane import PlanePoint, plane_from_pose
from ik2d_ros.node.answer import Code

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


def test_the_arm_is_drawn_once() -> None:
    """The robot model is the arm, and the markers are what the model cannot show."""
    arm = load_arm(ROOT / 'config/two_bone.yaml')
    markers = pytest.importorskip('ik2d_ros.node.markers', reason='rclpy is not installed')
    plane = plane_from_pose(arm.base_xyz, arm.base_rpy)
    target = markers.AnsweredTarget(Code.REACHED, PlanePoint(0.1, 0.1, 0.0), plane)
    picture = markers.markers(markers.Snapshot(arm, plane, arm.home, target), ())
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
