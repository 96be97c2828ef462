"""The solver: plain Python with types for C beside it, compiled where that can be done.

Points are complex numbers, lengths in reaches, angles in rad; NO_ANGLE in place of an angle allows
any. Only a ``TargetSolver`` and what uses it take metres and positions. Its words, with the
standard term where there is one:

=============== ====================================================================================
joint, link     a joint and the rigid body after it; joints are counted from the base
reach           the outer radius of a chain's annulus: the unit of length
annulus         the ring that the tip reaches where limits of revolute joints are ignored
                (bound of the workspace)
value           what a joint varies: a bend, a heading or a length (joint variable); a *position* is
                the same in the user's zero, sense and unit
bend            angle from one link to the next (relative joint angle)
heading         direction of a link in the plane (absolute angle, orientation)
slide           a prismatic joint; all others are *revolute*
absolute        of a joint: varies its link's heading, whatever the joints before do
linked          of a chain: has absolute joints (linkage with parallelograms)
pivot           point about which a joint turns (joint centre)
pose            a value for each joint (configuration)
start, trial    the pose that a solve starts from, and the one that a search tries
move            difference of a joint's value to the start; a pose costs the largest of its moves
target, tip     where the end of the chain is to be, and where it is
error, miss     the distance between them, and the vector from tip to target
aimed, wanted   of a solve: at a tip angle, which is the *wanted* one
whole turn      2 pi; *whole turns aside*: modulo 2 pi
step            one iteration of the descent (damped least squares)
sweep           one visit to each joint (cyclic coordinate descent)
pass            a step, a sweep or a decision
decision        the exact search that finds a pose for a target, or proves that there is none
held            of a joint: at a limit (active constraint); all others are *free*
stop            a bend or heading at which a limit holds a link
chord           vector from the first pivot of links to their end
part            links that are rigid while the joints between them are held, up to a free joint
line            parts in a row on one straight line, from a free joint to the end (support line)
span            the length of a line
rail            the straight line on which a free slide moves the end
foot            of a slide: where the chord is shortest (foot of the perpendicular)
end             the point that has to come to a target: the tip, or a pivot at a tip angle; its
                number is that of the joint there, of the tip the number of joints
mover           the joint that swings the end to the target; those before it stay at the start
track           the straight line on which the last slide lets the end be, at a tip angle
walk            the depth-first search over all ways to hold joints
ring, disc      where the end can be about a pivot, and in all (bounds of branch and bound)
run             links of a linked chain that are rigid among themselves at the limits that are met
face            a choice of such limits (face of the polytope of headings)
kind            how the heading of a run is known
tied            of an absolute joint: held by its bend, so that it moves with the link before
enumerated      of joints: all ways to hold them are tried; if all joints are, a verdict is a proof
turn            position of a turntable (azimuth of the plane)
bearing         direction of a target about the turntable's axis, or about a mover (azimuth)
out, across     where a point is from a turntable's axis: in the plane, and at a right angle to it;
                *down*: against the axis as seen in the plane
lean            sine of the angle between a turntable's axis and the plane
place           the parameter along a path
strain          square of a move's share of the largest that keeps the tip on its line
=============== ====================================================================================
"""

import sys
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path

_FOLDER = Path(__path__[0])


def _is_compiled(header: Path) -> bool:
    return any(header.with_suffix(suffix).exists() for suffix in EXTENSION_SUFFIXES)


# Compiled modules work with none that is not: where one is missing, all are read as plain Python.
if not all(map(_is_compiled, _FOLDER.glob('*.pxd'))):
    sys.path_importer_cache[__path__[0]] = FileFinder(
        __path__[0], (SourceFileLoader, SOURCE_SUFFIXES)
    )


def kernel_name() -> str:
    """Return how the solver runs: ``compiled`` or ``plain Python``, some thirty times as slow."""
    from ik2d_ros.kinematics.kernel import joint_table  # noqa: PLC0415

    return 'plain Python' if str(joint_table.__file__).endswith('.py') else 'compiled'
