"""Random robots with an arm in them, described joint by joint."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field

import numpy as np
from descriptions import attribute, joint, robot
from hypothesis import strategies as st
from numpy.typing import NDArray

from ik2d_ros.kinematics import Plane

NAMES = st.one_of(
    st.sampled_from(
        ['y', 'no', 'null', '1', '1e3', '0x10', '~', '.inf', '- a', '# b', 'a: b', '{', '*x']
    ),
    st.sampled_from(['f_0.0', 'f_1.0', 'f_1.0.link', 'a b', ' a .b', '.', 'a..b', "it's", '"']),
    st.text(
        st.characters(blacklist_categories=('C', 'Zl', 'Zp'), max_codepoint=0x2FFF),
        min_size=1,
        max_size=12,
    ).filter(str.strip),
)
"""Names of links and joints that YAML, XML or ROS may take for something else."""

ANGLES = st.floats(-3.0, 3.0)
LENGTHS = st.floats(0.05, 0.5)
RPY = st.tuples(ANGLES, st.floats(-1.4, 1.4), ANGLES)
PLACES = st.tuples(LENGTHS, LENGTHS, st.floats(-0.2, 0.2), ANGLES)
HELD = st.floats(-2.0, 2.0, allow_subnormal=False)  # ROS reads subnormal numbers as strings.
FLIPS = st.booleans()

Matrix = NDArray[np.float64]


def pose(xyz: Sequence[float] = (0.0, 0.0, 0.0), rpy: Sequence[float] = (0.0, 0.0, 0.0)) -> Matrix:
    """A pose as a (4, 4) matrix."""
    plane = Plane.from_pose(xyz, rpy)
    return np.column_stack([np.vstack([plane.axes, plane.origin]), [0.0, 0.0, 0.0, 1.0]]).T


@dataclass
class Machine:
    """A robot while it is built, and what its arm is.

    The plane is the x-y plane of a frame that turns with the links; the link itself is turned in
    that frame (``hidden``), as links of real robots are.
    """

    draw: st.DrawFn
    links: list[str]
    joints: dict[str, str] = field(default_factory=dict)
    senses: dict[str, float] = field(default_factory=dict)
    hidden: Matrix = field(default_factory=lambda: np.eye(4))
    planar: list[str] = field(default_factory=list)
    turntable: str = ''
    lift: str = ''
    hold: dict[str, float] = field(default_factory=dict)
    tip: str = ''
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def text(self) -> str:
        """The URDF."""
        return robot(*self.joints.values())

    def is_so(self) -> bool:
        return self.draw(FLIPS)

    def place(self) -> Matrix:
        *xyz, angle = self.draw(PLACES)
        return pose(xyz, (0.0, 0.0, angle))

    def name(self, taken: Container[str]) -> str:
        name = self.draw(NAMES)
        while name in taken:
            name += '.'
        return name

    def add(self, kind: str, where: Matrix, *axes: str, follows: str = '', parent: str = '') -> str:
        """Add a joint at a pose in the frame before, its axis x, y, z or against one."""
        before, self.hidden = self.hidden, pose(rpy=self.draw(RPY))
        (a, b, c, (x, y, z, _)) = (np.linalg.inv(before) @ where @ self.hidden).T
        rpy = Plane((x, y, z), (tuple(a[:3]), tuple(b[:3]), tuple(c[:3]))).rpy()
        axis = self.draw(st.sampled_from(axes))
        name = self.name(self.joints)
        self.senses[name] = -1.0 if axis.startswith('-') else 1.0
        direction = 7.0 * self.senses[name] * self.hidden['xyz'.index(axis[-1]), :3]
        mimic = ''
        if follows:
            times = -self.senses[follows] * self.senses[name]
            mimic = f'<mimic joint="{attribute(follows)}" multiplier="{times}"/>'
        parent = parent or self.links[-1]
        self.links.append(self.name(self.links))
        words = ' '.join(map(repr, direction.tolist()))
        self.joints[name] = joint(
            name, parent, self.links[-1], kind, (x, y, z), rpy, words, more=mimic
        )
        return name

    def add_held(self, axis: int) -> None:
        """Add a joint that is held: the links behind it are in the plane while it is there."""
        position = self.draw(HELD)
        self.hold[self.add('revolute', self.place(), 'xyz'[axis])] = position
        self.hidden = pose(rpy=position * np.eye(3)[axis]) @ self.hidden

    def add_turntable(self) -> None:
        """Add a turntable, and perhaps a joint before it that slides along its axis."""
        axis = self.draw(st.sampled_from(['x', '-x', 'y']))
        where = self.place()
        if self.is_so():
            self.planar.append(self.add('prismatic', where, axis[-1], f'-{axis[-1]}'))
            where = pose((0.1, 0.2, 0.3))
        self.turntable = self.add('revolute', where, axis)

    def add_chain(self, turns: int, lift_at: int, slides: bool) -> None:
        """Add joints that turn; others slide, or are held, before, between and behind them."""
        for index in range(turns + 1):
            if slides and self.is_so() and self.is_so():
                where = self.draw(st.sampled_from([np.eye(4), self.place()]))
                self.planar.append(self.add('prismatic', where, 'x', '-x', 'y', '-y'))
            if index == lift_at:
                self.lift = self.add('prismatic', self.place(), 'z', '-z')
            if self.is_so() and self.is_so():
                self.add_held(self.draw(st.integers(0, 2)))
            if index < turns:
                self.planar.append(self.add('revolute', self.place(), 'z', '-z'))
            if self.is_so():
                self.add('fixed', self.place(), 'z')

    def add_end(self) -> None:
        """Add a roll, which may move the tip, the tip's link, and perhaps jaws on it."""
        if self.is_so():
            self.add_held(0)
            self.add('fixed', pose((0.1, self.draw(st.sampled_from([0.0, 0.1])), 0.0)), 'z')
        self.tip = self.links[-1]
        self.offset = self.draw(st.sampled_from([(0.0, 0.0, 0.0), (0.1, -0.2, 0.3)]))
        if self.is_so():
            jaw = self.add('prismatic', self.place(), 'y', parent=self.tip)
            self.add('prismatic', self.place(), 'y', follows=jaw, parent=self.tip)


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    """A robot with names of any kind, and with any joints that an arm is found between."""
    machine = Machine(draw, [draw(NAMES)])
    # The base stands anywhere.
    machine.add('fixed', pose((0.1, -0.2, 0.3), draw(RPY)), 'z')
    carrier = draw(st.sampled_from(['none', 'turntable', 'lift']))
    if carrier == 'turntable':
        machine.add_turntable()
    turns, slides = draw(st.integers(2, 4)), draw(st.booleans())
    machine.add_chain(turns, draw(st.integers(0, turns)) if carrier == 'lift' else -1, slides)
    if not slides and draw(st.booleans()):  # a tool that keeps its direction
        for leader in reversed(machine.planar[-turns:]):
            machine.add('revolute', machine.place(), 'z', '-z', follows=leader)
    machine.add_end()
    return machine
