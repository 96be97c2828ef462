"""Angles that cannot be had even without limits, many at once: :mod:`.tip_angle_edge` in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ik2d_ros.kinematics.angles import SAME_MOVE, into_range_many, wrapped
from ik2d_ros.kinematics.arrays import ComplexArray, Flags, FloatArray
from ik2d_ros.kinematics.closed_form.two_bone_many import elbow_bend_many
from ik2d_ros.kinematics.links import Links, units
from ik2d_ros.kinematics.tip_angle.tip_angle_edge import EDGE, annulus_before, shape_on_edge


class OnEdge(NamedTuple):
    """Where the last joint is on a circle about the base, for (m,) targets.

    Attributes:
        stretched: (m,) whether that is the outer edge of the annulus.
        radius: (m,) of the circle, in reaches.
        there: (m,) whether the last link reaches from there to the target.
        headings: (2, m) of the last link, on one side and on the other, in rad.
        directions: (2, m) in which the joint is, in rad.
    """

    stretched: Flags
    radius: FloatArray
    there: Flags
    headings: FloatArray
    directions: FloatArray


def on_edge_many(lengths: Sequence[float], goals: ComplexArray, distance: FloatArray) -> OnEdge:
    """Return where the last joint is on the nearer edge; it is to be so far from the base."""
    inner, outer = annulus_before(tuple(lengths))
    last, away, toward = lengths[-1], np.abs(goals), np.angle(goals)
    stretched = distance > outer
    edge = np.where(stretched, outer, inner)
    there = (np.abs(edge - last) - EDGE <= away) & (away <= edge + last + EDGE) & (last > 0.0)
    elbow = elbow_bend_many(edge, last, away)
    lead = np.arctan2(last * np.sin(elbow), edge + last * np.cos(elbow))
    directions = np.stack([toward - lead, toward + lead])
    return OnEdge(stretched, edge, there, directions + np.stack([elbow, -elbow]), directions)


def closest_on_edge_many(
    links: Links,
    lengths: Sequence[float],
    goals: ComplexArray,
    headings: FloatArray,
    starts: FloatArray,
) -> tuple[FloatArray, Flags]:
    """Do what :func:`.tip_angle_edge.closest_on_edge` does, for many targets.

    Args:
        links: links and limits.
        lengths: (n,) of the links, in reaches.
        goals: (m,) in reaches.
        headings: (m,) of the last link in rad, which cannot be had without limits.
        starts: (n, m) bends in rad, inside the limits.

    Returns:
        (n, m) bends in rad, and (m,) for which targets limits allow them.
    """
    edge = on_edge_many(lengths, goals, np.abs(goals - lengths[-1] * units(headings)))
    off = np.abs(wrapped(edge.headings - headings))
    nearer = edge.there & (off <= off.min(axis=0) + SAME_MOVE)
    shape = np.where(
        edge.stretched,
        np.array(shape_on_edge(lengths, True))[:, None],
        np.array(shape_on_edge(lengths, False))[:, None],
    )
    bends, least = starts.copy(), np.full(len(goals), np.inf)
    for ends, direction, close in zip(edge.headings, edge.directions, nearer, strict=True):
        pose = np.vstack([shape, np.zeros(len(goals))])
        pose[0] += direction
        pose[-1] = ends - pose.sum(axis=0)
        pose, inside = into_range_many(pose, links.lower, links.upper, starts)
        move = np.abs(pose - starts).max(axis=0)
        better = close & inside.all(axis=0) & (move < least - SAME_MOVE)
        bends[:, better], least[better] = pose[:, better], move[better]
    return bends, np.isfinite(least)
