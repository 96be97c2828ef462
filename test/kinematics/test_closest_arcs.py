"""The closest points in space of the edge of what a chain reaches, against points all along it."""

import math

import numpy as np
import pytest
from space import some_arms, with_slides

from ik2d_ros.kinematics import Chain, Joint
from ik2d_ros.kinematics.space.closest_arcs import closest_tips
from ik2d_ros.kinematics.space.closest_arcs_many import closest_tips_many
from ik2d_ros.kinematics.space.distances import distances_of
from ik2d_ros.kinematics.space.edge_in_space import edge_of
from ik2d_ros.kinematics.sweep import Goal, Sweep

POINTS = 500  # Of each arc.


def arms(count, rng, joints=(2, 5), lean=4.9e-3, beside=0.3):
    """Arms of all kinds, every third with joints that slide."""
    for number, arm in enumerate(some_arms(count, rng, joints=joints, lean=lean, beside=beside)):
        yield arm if number % 3 else with_slides(arm, rng)


def random_goals(count, rng):
    """Targets near the axis, in the arm's midst and far away: radius, angle and height."""
    radius = np.abs(rng.normal(size=count)) * rng.choice([0.01, 0.5, 2.0], count)
    return np.column_stack([radius, rng.uniform(-4.0, 4.0, count), rng.normal(size=count)])


def points_of(arcs, shares):
    lengths = np.minimum(arcs.length, 2.0 * math.pi)
    return np.concatenate([arcs.points(arcs.begin + share * lengths) for share in shares])


def distances(sweep, goal, points, turns):
    """How far points of the turned plane are from a target."""
    out, across, height = sweep.raised(points.real, points.imag)
    radius, angle, up = goal
    x = radius * np.cos(angle - turns) - out
    y = radius * np.sin(angle - turns) - across
    return np.sqrt(x * x + y * y + (up - height) ** 2)


def best_turns(sweep, limits, goal, points):
    """The turn for each point that brings it closest to a target, of many tried within limits."""
    out, across, _ = sweep.raised(points.real, points.imag)
    wanted = goal[1] - np.arctan2(across, out)
    if not math.isfinite(limits[0]):
        return wanted
    middle, half = 0.5 * (limits[0] + limits[1]), 0.5 * (limits[1] - limits[0])
    apart = (wanted - middle + math.pi) % (2.0 * math.pi) - math.pi
    return middle + np.clip(apart, -half, half)


def test_no_point_of_the_edge_is_closer():
    rng = np.random.default_rng(20)
    for arm in arms(28, rng):
        edge, limits = edge_of(arm.chain, arm.sweep), arm.limits[0]
        points = points_of(edge.arcs, np.linspace(0.0, 1.0, POINTS))
        for row in random_goals(6, rng):
            goal = Goal(*row.tolist())
            turns = best_turns(edge.sweep, limits, goal, points)
            least = distances(edge.sweep, goal, points, turns).min()
            for tip in closest_tips(edge, limits, goal):
                assert tip.away <= least + 1e-9
                arc = edge.arcs.at(np.array([tip.arc]))
                assert -1e-9 <= tip.angle - arc.begin[0] <= arc.length[0] + 1e-9
                away = distances(edge.sweep, goal, arc.points(np.array([tip.angle])), tip.turn)[0]
                assert away == pytest.approx(tip.away, abs=1e-7)
                apart = math.remainder(tip.turn - 0.5 * (limits[0] + limits[1]), 2.0 * math.pi)
                assert abs(apart) <= 0.5 * (limits[1] - limits[0]) or math.isinf(limits[0])


def test_many_at_once_are_found_as_one_by_one():
    rng = np.random.default_rng(21)
    for arm in arms(14, rng):
        edge, limits = edge_of(arm.chain, arm.sweep), arm.limits[0]
        goals = random_goals(40, rng)
        many = closest_tips_many(edge, limits, goals)
        for k, row in enumerate(goals):
            some = many.which == k
            tips = closest_tips(edge, limits, Goal(*row.tolist()))
            assert many.arc[some].tolist() == [tip.arc for tip in tips]
            assert many.away[some] == pytest.approx([tip.away for tip in tips], abs=1e-12)
            assert many.turn[some] == pytest.approx([tip.turn for tip in tips], abs=1e-7)
            assert many.angle[some] == pytest.approx([tip.angle for tip in tips], abs=1e-7)


def test_no_point_of_a_piece_is_far_from_its_marks():
    rng = np.random.default_rng(22)
    for arm in arms(14, rng):
        edge = edge_of(arm.chain, arm.sweep)
        for number, (begin, end, *_, arc) in enumerate(edge.pieces):
            away, height = edge.marks.table[5:7, edge.marks.of == number]
            u = np.linspace(begin, end, 50)
            points = edge.arcs.at(np.full(len(u), arc)).points(u)
            out, across, up = edge.sweep.raised(points.real, points.imag)
            apart = np.hypot(np.hypot(out, across)[:, None] - away, up[:, None] - height)
            assert apart.min(axis=1).max() <= edge.marks.within + 1e-9


def test_no_two_marks_of_a_piece_are_at_the_same_place():
    rng = np.random.default_rng(30)
    for beside in (0.3, 1e-3, 1e-6, 1e-9):
        for arm in arms(16, rng, (1, 4), 0.0, beside):
            edge = edge_of(arm.chain, arm.sweep)
            for of in range(len(edge.pieces)):
                apart = np.diff([mark.at for mark in edge.marks.every if mark.piece == of])
                assert (apart > 0.0).all()


def between_marks(edge, shares):
    """For each two marks that follow each other: how far out and up points between them are."""
    at, of, ahead = edge.marks.table[:3]
    for number, to in enumerate(ahead.astype(int)):
        if to != number:
            arc = edge.arcs.at(np.full(len(shares), edge.pieces[int(of[number])].arc))
            points = arc.points(at[number] + (at[to] - at[number]) * shares)
            out, across, up = edge.sweep.raised(points.real, points.imag)
            yield np.hypot(out, across), up


def centre_of(away, up):
    """The centre of the circle through three points: r + 1j h."""
    a, middle, c = away + 1j * up
    a, c = a - middle, c - middle
    across = (a.conjugate() * c - a * c.conjugate()) or 1e-12j
    return middle + (abs(a) ** 2 * c - abs(c) ** 2 * a) / across


def random_bends(edge, count, rng):
    """Targets at and about centres of curvature of the edge: radius, angle and height."""
    cells = list(between_marks(edge, rng.uniform(0.05, 0.95) + np.array([-1e-3, 0.0, 1e-3])))
    centres = [centre_of(*cells[k]) for k in rng.integers(len(cells), size=count)]
    aside = rng.choice([1e-4, 1e-2, 0.1], (2, count)) * rng.normal(size=(2, count))
    seen = np.abs(np.real(centres)) < 3.0
    radius = np.where(seen, np.abs(np.real(centres) + aside[0]), rng.uniform(0.0, 2.0, count))
    height = np.where(np.abs(np.imag(centres)) < 3.0, np.imag(centres) + aside[1], 0.3)
    return np.column_stack([radius, rng.uniform(-3.0, 3.0, count), height])


def test_between_two_marks_the_distance_has_a_top_and_a_bottom_at_the_most():
    rng = np.random.default_rng(24)
    for arm in arms(14, rng):
        edge = edge_of(arm.chain, arm.sweep)
        goals = random_bends(edge, 40, rng)
        for away, up in between_marks(edge, np.linspace(0.0, 1.0, 60)):
            square = (away - goals[:, :1]) ** 2 + (up - goals[:, 2:]) ** 2
            steps = np.diff(square)
            rises = np.where(np.abs(steps) < 1e-12, 0.0, np.sign(steps))
            for row in rises:
                assert (np.diff(row[row != 0.0]) != 0.0).sum() <= 2


def test_no_point_is_closer_to_where_the_edge_bends_about():
    rng = np.random.default_rng(25)
    for arm in arms(28, rng):
        edge = edge_of(arm.chain, arm.sweep)
        points = points_of(edge.arcs, np.linspace(0.0, 1.0, POINTS))
        goals = random_bends(edge, 30, rng)
        turn = rng.uniform(-3.0, 3.0)
        for limits in ((-math.inf, math.inf), arm.limits[0], (turn, turn + rng.uniform(0.01, 4.0))):
            many = closest_tips_many(edge, limits, goals)
            for k, row in enumerate(goals):
                goal = Goal(*row.tolist())
                turns = best_turns(edge.sweep, limits, goal, points)
                least = distances(edge.sweep, goal, points, turns).min()
                assert many.away[many.which == k].min() <= least + 1e-9
                assert closest_tips(edge, limits, goal)[0].away <= least + 1e-9


def test_all_distances_of_the_tip_are_between_those_of_the_edge():
    rng = np.random.default_rng(23)
    for arm in arms(28, rng):
        chain = arm.chain
        low, high = np.maximum(chain.lower, -3.2), np.minimum(chain.upper, 3.2)
        tips = chain.tips(rng.uniform(low, high, (2000, len(chain))))
        away, size = np.hypot(*tips), chain.reach.outer
        nearest, farthest = distances_of(chain)
        assert nearest - 1e-9 * size <= away.min()
        assert away.max() <= farthest + 1e-9 * size
        assert chain.reach.inner - 1e-9 * size <= nearest
        assert farthest <= chain.reach.outer * (1.0 + 1e-9)


def swept(turn, **other):
    """A plane that turns about an axis; ``turn`` is the angle of the chain's x-axis in it."""
    x, y = math.cos(turn), math.sin(turn)
    frame = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    return Sweep(origin=(0.0, 0.0, 0.0), frame=frame, s_of=(x, y), k_of=(y, -x), scale=1.0, **other)


# What hides a nearer bottom of the distance along an arc: limits that forbid what is nearest, once
# beyond a bottom and a top between two marks, once beyond a top alone; a mark that is nearer than
# those of the bottom, beyond a top; and limits that are met but for rounding.
HIDING = {
    'between two marks': (
        Chain(
            (
                Joint('j0', (0.857439834, 0.0), -3.0, 3.0, -2.934230477),
                Joint('j1', (0.561625093, 0.105217483), 0.097021094, 0.51246753, type='prismatic'),
                Joint('j2', (-0.157660887, -0.324653325), 0.0, 2.6),
            )
        ),
        swept(
            -1.951503787,
            c=math.cos(0.002670359),
            e=math.sin(0.002670359),
            d=-0.414928704,
            base=(0.435881639, -0.037382133),
        ),
        (-0.707051873, 0.159863965),
        (0.262307289, -0.760630335, 0.360812354),
    ),
    'beyond a mark': (
        Chain(
            (
                Joint('j0', (0.211985777, 0.0), -1.226404526, -0.35384011, 0.0, -1),
                Joint('j1', (0.621240105, 0.0), -1.840417543, -1.267847555, -3.103284015, -1),
                Joint('j2', (0.997283065, 0.0), -1.705544615, 1.104819428, 1.472000026, -1),
                Joint('j3', (0.979587484, 0.0), -1.449918654, 1.378047195, 3.023979575),
                Joint('j4', (0.230828946, 0.0), 0.280739767, 2.091354014, 0.0, -1),
            )
        ),
        swept(0.415114, c=1.0, e=0.0, d=0.295693059, base=(-0.099019698, 0.491887885)),
        (-0.225557992, 0.223050502),
        (0.631211613, 2.392914661, 2.392626992),
    ),
    'a top, without limits': (
        Chain((Joint('j0', (0.7180534261935189, 0.0)), Joint('j1', (0.8355107906589576, 0.0)))),
        swept(
            -2.060894740650869,
            c=math.cos(1e-4),
            e=-1e-4,
            d=-0.21195485378526982,
            base=(-0.1420024226429889, -0.18229167339784547),
        ),
        (-math.inf, math.inf),
        (0.16401520824608506, 0.17492989791282243, -0.062317829482879374),
    ),
    'a top, within limits': (
        Chain(
            (
                Joint('j0', (0.20428232795910198, 0.0), -1.863406026187583, -0.4945388212095506),
                Joint('j1', (0.025347381354815957, 0.0), -3.1, -0.013992613532614051),
            )
        ),
        swept(
            -2.1708192952124215,
            c=1.0,
            e=0.0,
            d=-0.018117593025921225,
            base=(0.00803182719575568, 0.3616612677976494),
        ),
        (2.6632009665305407, 3.8845979150370002),
        (0.0934489332321053, 0.7035327755365386, 0.7853005770020767),
    ),
    'a top where the edge turns back': (
        Chain.from_lengths(
            [
                0.12913834201812813,
                0.02285868239670426,
                0.7068398944095311,
                0.17650617961379203,
                0.3807920243291475,
            ]
        ),
        swept(
            -0.045216460063740804,
            c=math.sqrt(1.0 - 1e-8),
            e=-1e-4,
            d=-0.46967908958909277,
            base=(-0.0, -0.7543690380326828),
        ),
        (-1.393861198633065, -0.9185050609898487),
        (0.3331639032616094, -2.5150249937862923, 0.4548379057210647),
    ),
    'only rounding': (
        Chain((Joint('j0', (0.11756200326525858, 0.0)), Joint('j1', (0.14765812737284578, 0.0)))),
        swept(
            -2.951767888,
            c=1.0,
            e=1e-9,
            d=0.12631474223847564,
            base=(0.0, 0.257342218261571),
        ),
        (-7.650570572344199, -2.0431084225331526),
        (0.47626378111814943, -0.4723120957382565, -0.02970329677186991),
    ),
}


@pytest.mark.parametrize(('chain', 'sweep', 'limits', 'goal'), HIDING.values(), ids=HIDING)
def test_nothing_hides_a_bottom(chain, sweep, limits, goal):
    edge = edge_of(chain, sweep)
    points = points_of(edge.arcs, np.linspace(0.0, 1.0, 5001))
    turns = best_turns(edge.sweep, limits, goal, points)
    least = distances(edge.sweep, goal, points, turns).min()
    assert closest_tips(edge, limits, Goal(*goal))[0].away <= least + 1e-9
    assert closest_tips_many(edge, limits, np.array([goal])).away[0] <= least + 1e-9
