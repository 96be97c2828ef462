"""The tuned numbers of the solvers: all that could be another number, and why it is this one.

What is only rounding stands where it is used; what users may rely on is in :mod:`.bounds`.
``python benchmarks/tuning.py`` checks them: it halves and doubles each by itself. Those that matter
within a factor of two say so: no other one changes what is reached, the errors of what is not, or
the jumps along paths. They trade time, or proofs for searches.

Lengths are in reaches, angles in rad. The modules import them by name, so that they cost no more
than constants of their own.
"""

from __future__ import annotations

from typing import Final

# Near targets, :mod:`.hybrid`. A tip this close is worth Gauss-Newton steps before anything else.
# Not a round number: rounding would decide about targets that people type.
NEAR: Final = 0.1503
FINE: Final = 0.01  # rad; two joints may take up what needs no larger turn.
DEVIOUS: Final = 0.9  # Share of the error that steps may leave which have a bend to make first.
LITTLE: Final = 0.1  # Share of the error; what a step leaves that is less, two joints may take up.

# Steps, :mod:`.stepping`.
LARGEST_TURN: Final = 0.7  # rad; the linear model of a rotation is of no use beyond.
# A step near the target that leaves a larger share of the error is no good. At 0, which no step
# can meet, it matters: twice the time, and more jumps.
ENOUGH: Final = 0.5
# Damping of every step, as a share of the trace: straight or folded, where no small turn moves the
# tip along the arm, rounding would otherwise say which way the arm bends. Matters only by orders of
# magnitude: 100 times as much takes steps near the edge of reach more passes, and a hundredth lets
# solve and solve_batch differ by more than 1e-7 rad.
LIGHTLY: Final = 1e-8
# Damping beyond that, where a step has not come closer: the first, and by how much it grows, or
# shrinks after a step that has, down to the least, below which there is none.
DAMPING: Final = 1e-3
MORE_DAMPING: Final = 10.0
LESS_DAMPING: Final = 0.1
LEAST_DAMPING: Final = 1e-6
# How far a step that eases may turn any joint, in largest turns of the least step. Half of it
# matters: one more jump on the paths.
EASE: Final = 1.9
OFF_LIMITS: Final = 0.3  # rad that joints would like to be off their limits,
STRAIGHTEN: Final = 0.3  # and the share of their bends that they would like to lose.
AT_LIMIT: Final = 1e-3  # A joint this near to its limit, in half ranges squared, is at it.
RETURNS: Final = 10  # Rounds back towards the start, of at most
RETURN_TURN: Final = 0.5  # rad each;
AT_REST: Final = 0.02  # rad that are not worth one.
LOOSENED: Final = 0.1  # A tip farther off while joints are eased is brought back first.

# Cyclic coordinate descent, :mod:`.ccd`. A sweep creeps if it leaves more than half of the error,
# or with more than three joints more than 1 - 1.5 / joints. After 2 * joints - 4 sweeps, but not
# fewer nor more than these, it creeps if it leaves more than a tenth.
FEWEST_SWEEPS: Final = 2
MOST_SWEEPS: Final = 12
LATE: Final = 0.1

# Closures, :mod:`.stages` and :mod:`.closing`.
PAIRS: Final = 6  # Of joints, that may close a chain without limits; more take longer than all.
ENOUGH_AT_LAST: Final = 0.9  # Share of the error that a step may leave where all else has failed.
BLENDS: Final = 100  # Of shapes that are tried, at the most; few take more than ten.
KEPT_PAIRS: Final = 40  # Joints; pairs of more, whose number is their square, are not kept.

# Proofs, :mod:`.proof` and :mod:`.tip_angle_proof`. With each joint there are up to
# three times more pieces or triangles, mostly twice, and with more than these the time and the
# memory are more than a search takes; with fewer, less is proven.
PROOF_JOINTS: Final = 10
PROOF_PIECES: Final = 20_000
ANGLE_PROOF_JOINTS: Final = 10
PROOF_TRIANGLES: Final = 400_000

# The search where there is no proof, :mod:`.search`: starts of each kind in the stock for a target,
# and steps for them: quick first, thorough second.
STOCK_ROUNDS: Final = ((1, 10), (6, 25))
PAIRS_EACH: Final = 4  # Pairs of joints that may close the chain in each pose; one mostly can.
LIMIT_CHANGES: Final = 2  # How often a joint may go to its other limit,
STEPS_AFTER_CHANGE: Final = 10  # and the steps then.
SETTLE_STEPS: Final = 12  # Newton steps for the closest pose,
BEST: Final = 6  # how many of the best poses get them,
MANY: Final = 100  # up to so many joints: a step takes their cube, so with more fewer poses do.
FLAT_SLOPE: Final = 1e-5  # A slope below this is none;
FLAT_NEAR: Final = 1e-4  # nearer to the target than this, so much less.
NEARLY: Final = 1e-3  # A miss this small gets a look of its own, joint by joint,
NEARLY_ENOUGH: Final = 0.99  # by steps that may leave this share of the error.

# The stock of poses, :mod:`.stock`. More poses take memory, and time before the first target.
STOCK_POSES: Final = 2048  # Of each kind.
STOCK_CORNERS: Final = 13  # Places where one arc may turn into another, at the most.
STOCK_MEMORY: Final = 32_000_000  # Bytes of all stocks kept; one alone may have almost all of it.

# Newton's steps of many columns, :mod:`.many`. Damping to begin with, and by how much it grows;
# it shrinks as that of other steps does.
NEWTON_DAMPING: Final = 1e-4
NEWTON_MORE: Final = 8.0
NEWTON_LEAST: Final = 1e-12
ENDED: Final = 0.25  # Share of the columns; to copy the others then is cheaper than to keep all.
STUCK: Final = 1e7  # Damping beyond which no step, however short, comes closer.
CREEP: Final = 1e-9  # Share of the error that a step must take off to count as progress,
CREEPS: Final = 3  # and how many steps without there may be.
FEW: Final = 0.25  # Share of the targets; more that are near are no longer few.

# Targets in space, :mod:`.in_space`. Where a target is nearer than this, and yet a joint moves by
# more than the jump in rad, both turns are searched: so on a path the arm goes over the back only
# where that moves the joints less.
SPACE_NEAR: Final = 0.15
JUMP: Final = 0.3
# Marks along the edge, :mod:`.edge_marks`: the closer they stand, the better are the starts of
# Newton's method, and the more of them there are to look at.
MARKS_APART: Final = 0.1  # Reaches, at the most,
MARKS_TURN: Final = 0.8  # and rad about the centre of an arc.
MARKS_NEAR_AXIS: Final = 1.0  # Distances from the axis.
# The closest point of a piece, :mod:`.closest_arcs`.
ARC_STEPS: Final = 60  # At the most; halving alone comes down to rounding in fewer.
# Reaches; a step of Newton's that can leave no more to the distance is the last, for it doubles the
# digits.
ARC_SETTLED: Final = 3e-12
FEW_BOTTOMS: Final = 12  # Of many that are left, what takes less one by one.
# Straight towards what is beyond reach, :mod:`.closest_straight`; four steps are mostly enough.
STRAIGHT_STEPS: Final = 12
STRAIGHT_SETTLED: Final = 3e-5  # rad; a shorter step is the last, too.
# The search for the closest pose where no edge is known, :mod:`.closest_turns`.
SPACE_EVERY: Final = 2  # One pose of the stock in so many is enough,
PLACES_EVERY: Final = 4  # and to ask whether a place may be reached.
PLACES_ASKED: Final = 16  # One target in so many tells whether most can be reached.
SPACE_EACH: Final = 2  # Poses of each kind to begin from.
SPACE_FIRST_STEPS: Final = 4  # Steps from everywhere,
SPACE_STEPS: Final = 40  # and from the best of them.
SPACE_CREEP: Final = 1e-10  # Steps that take off a smaller share of the distance,
SPACE_CREEPS: Final = 2  # and how many there may be.

# Tip angles, :mod:`.tip_angle`.
RADIAN: Final = 0.3  # Reaches that a radian of the tip's angle counts as much as.
ANGLE_NEAR: Final = 0.15  # What is nearer than this,
NEAR_ANGLE: Final = 0.5  # and than this in rad, is stepped to.
TRIED: Final = 8  # Poses that rounding has taken off their limits, at the most.
PATIENCE: Final = 3  # Steps in a row that leave much; more of them only creep.
TRIPLES: Final = 6  # Of joints, that may close a chain to an angle; more seldom do.
AIMED_STEPS: Final = 8  # Towards what the last joint's limits have kept from being reached.
# So many of the targets tell whether most angles can be had, if there are as many or more:
ANGLE_SAMPLE: Final = 16
ANGLE_SAMPLED: Final = 64
# Share of them below which all are asked before anything else, and those left before steps from
# elsewhere;
HAD_RARELY: Final = 0.2
HAD: Final = 0.5  # and of those that no closure has led to, before steps.
FEW_NEAR: Final = 0.5  # Share of them near their starts from which on none is left for later.
FEW_STEPPED: Final = 12  # Of many targets, what takes less one by one.
CLOSEST_ROUNDS: Final = 3  # In which the triangles that turn the tip closest come before others.
LONG: Final = 8  # Joints from which on the triangles take longer than steps from elsewhere.
# Where there is no proof, :mod:`.tip_angle_search`.
SPREAD: Final = 4096  # Poses to choose from.
SPREAD_STARTS: Final = 32  # Of them, to step from.
SPREAD_STEPS: Final = 60  # Passes from each of them.
TIP_TURNS: Final = 12  # Attempts to turn a tip closer.

# Paths that are known as a whole, :mod:`.path`; ``benchmarks/paths.py`` counts their jumps.
PATH_TIMES: Final = 2.0  # A joint jumps where it turns more than so often the least,
PATH_MORE: Final = 0.01  # and rad.
PATH_SINGULAR: Final = 0.05  # A radian; where the tip moves less some way, moves are large.
# Poses that explore a path, :mod:`.path_search`.
PATH_CROWDS: Final = (64, 512)  # At a time; more where fewer find no way.
PATH_FEW: Final = 6  # Joints up to which that finds no more ways; with more, at last, so many.
PATH_LARGEST: Final = 1536
PATH_SEEDS: Final = 128  # Of each kind in the stock that is made to reach a target,
PATH_SEED_STEPS: Final = 30  # in so many steps.
# How far joints may turn from one stop to the next, at the least, in rad: more than one target.
PATH_STRIDE: Final = 0.12
PATH_SLOW: Final = 48  # Targets before and after a jump between stops that are stops, too,
PATH_SLOWED: Final = 4  # in at most so many attempts.
PATH_STAYING: Final = 3.0  # rad, likewise, after which a pose walks elsewhere, in the mean.
PATH_AHEAD: Final = 4.0  # rad, likewise, before targets whose poses others walk to,
PATH_EVERY: Final = 64  # of one in so many.
PATH_CELLS: Final = (0.1, 0.03, 0.01, 0.003)  # rad; poses that differ by less are alike.
PATH_STRAINED: Final = 4.0  # Times the least without limits; within them it may be no small move.
PATH_ABOUT: Final = 1e-6  # A tip this near to the path is on it,
PATH_ROUNDS: Final = 8  # which takes so many steps at the most.
PATH_SHARE: Final = 0.99  # Of a move that is no jump; the rest is for what is rounded.
PATH_TRIES: Final = 4  # Times that others come back from beyond the end of all,
PATH_PAST: Final = 1.5  # from so far beyond, in rad,
PATH_BACK: Final = 8.0  # to so far before.
PATH_GUIDED: Final = 0.5  # Share of the poses that walk towards them,
PATH_CHOICE: Final = 4  # each towards the nearest of so many.
# Bends that are kept of all poses at all stops; on longer paths there are fewer poses.
PATH_NUMBERS: Final = 10_000_000
# Smoothing, :mod:`.path_smoothing`: how near to the path poses stay, and half way to the middle
# between those so many targets before and after they are brought.
PATH_ON: Final = 1e-9
PATH_SPANS: Final = (64, 32, 16, 8, 4, 2, 1)
PATH_SMOOTHED: Final = 12  # Times, at the most.

# Targets or columns at a time, and what they are multiplied by, so that what is looked at together
# stays in the cache: they change no result.
COLUMNS_AT_A_TIME: Final = 2048
SECOND_DERIVATIVES: Final = 2_000_000  # Each column or pose has the square of its joints of them.
STOCK_TARGETS: Final = 32
SPACE_TARGETS: Final = 16
PLACES_TOGETHER: Final = 64
ARC_CELLS: Final = 100_000  # Marks times targets.
PROOF_CELLS: Final = 200_000  # Pieces of edges, or triangles, times targets.
PROOF_TARGETS: Final = 256  # At a time, however many triangles there are,
SPANNED_CELLS: Final = 50_000  # and of these times targets, what is compared together.
WORTH_SIDING: Final = 50  # Of triangles, or targets; to drop some of fewer takes longer.
PIECES_TOGETHER: Final = 64  # At a time where it is only asked whether one is reached.
FREE_CHUNK: Final = 64_000  # More do not stay in the cache; with fewer, threads wait more often.
FEW_FOLLOWED: Final = 16  # Near targets that take less one by one.
FEW_CLOSEST: Final = 20  # Targets of two joints that take less one by one.
SPREAD_ALONE: Final = 100  # Targets up to which each by itself is compared with all poses.
SPREAD_SLICES: Final = 32  # Of a turn, whose poses more targets are compared with,
SPREAD_ASIDE: Final = 0.5  # and with those so many rad beside them.
TWO_BONE_CHUNK: Final = 16_384  # Enough for two threads to share.
DESCENT_CHUNK: Final = 8192
DESCENT_JOINTS: Final = 10  # With more, there are fewer targets at a time: they take more memory.
ANGLE_CHUNK: Final = 4096
THREADS: Final = 2  # NumPy computes outside the interpreter's lock.
