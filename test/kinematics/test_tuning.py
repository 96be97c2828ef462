"""The tuned numbers stand in one place, each with a reason, and something uses them."""

import ast
import re

import pytest
from harness import ROOT

KINEMATICS = ROOT / 'ik2d_ros' / 'kinematics'

# What is no choice among numbers that would do as well.
BOUNDS = {'bounds.py'}  # What users may rely on, in their own module.
EXCEPTIONS = {
    'angles.py': {'NO_TURN', 'ANGLE_ROUNDING', 'SAME_MOVE', 'HALF'},  # Rounding.
    'arguments.py': {'_LONGEST', '_MOST_ITEMS', '_MOST_ROWS', '_DEEPEST'},  # Of messages.
    'arm.py': {'MOST_LEAN'},  # Users rely on it.
    'ccd.py': {'UNDER'},  # Rounding.
    'bottoms.py': {'LEAST', 'SAME', '_SAME_PLACE'},  # Rounding.
    'closest_arcs.py': {'PRUNED'},  # Rounding.
    'closest_poses.py': {'_POINT', '_SAME'},  # Rounding.
    'closest_straight.py': {'_ON_AXIS'},  # Rounding.
    'closing.py': {'CLOSES', 'ALLOWS'},  # Rounding.
    'closing_many.py': {'_CLOSED'},  # Rounding.
    'corners.py': {'SLACK'},  # Rounding.
    'crossings.py': {  # Rounding, and names of what crosses.
        *('SLACK', '_AT_ONCE', '_BY_ELBOW', '_FROM_FOOT', '_BY_HEIGHT', '_STRAIGHT'),
    },
    'cutting.py': {'_TOUCH', '_SAME', 'WELD', '_ON'},  # Rounding.
    'edge.py': {'EDGE'},  # Rounding.
    'edge_arcs.py': {'_WIDER'},  # Rounding.
    'edge_loops.py': {'_BESIDE', '_AHEAD', '_GAP', '_LEAST_AREA'},  # Rounding, nearly touching.
    'edge_segments.py': {'_WIDER'},  # Rounding.
    'edge_bearings.py': {'TINY'},  # Rounding.
    'edge_bends.py': {  # How finely bends are looked for, before the arm moves; rounding.
        *('_HALVINGS', '_ROUNDING', '_STRAIGHT', '_ALIKE', '_MARGIN'),
    },
    'edge_marks.py': {'_STANDS', '_INSIDE', '_SAME_PLACE', '_ON_AXIS'},  # Rounding.
    'hybrid_many.py': {'_MUCH'},  # More than any.
    'in_space.py': {'BEYOND', 'SAME_DISTANCE'},  # Rounding.
    'kept.py': {'RECENT'},  # Changes no result, and nothing for chains in use.
    'options.py': {'_FOR_ANGLE'},  # Joints that an angle takes.
    'parts.py': {'_LINE'},  # Of the processor.
    'path_sides.py': {'_REACHED'},  # Rounding.
    'places.py': {'OUTSIDE', 'ROUNDING', 'FARTHEST', 'CLOSEST'},  # Rounding.
    'pointing.py': {'SHORTEST'},  # Users rely on it.
    'proof.py': {'_ROUNDING'},  # Rounding.
    'pose.py': {'LENGTH_ROUNDING'},  # Rounding.
    'search.py': {'_SAME'},  # Rounding.
    'sliding_pair.py': {'_PARALLEL'},  # Rounding.
    'sliding_reach.py': {'_ROUNDING'},  # Rounding.
    'solve.py': {'ANGLE_TOLERANCE'},  # Users rely on it.
    'stepping.py': {'PAST'},  # Rounding.
    'strategy.py': {'AT_LIMITS'},  # Rounding.
    'targets.py': {'FARTHEST'},  # Rounding.
    'three_bone.py': {'ROUNDING'},  # Rounding.
    'tip_angle_edge.py': {'EDGE'},  # Rounding.
    'tip_angle_asked_many.py': {'ROOTS', 'FARTHEST'},  # More than tolerances come to.
    'tip_angle_in_space.py': {'SAME_ANGLE'},  # Rounding.
    'tip_angle_lines.py': {'FLAT', 'LEANS', '_STRAIGHT', '_FOLDED'},  # Rounding, names of sides.
    'tip_angle_proof.py': {'EXACT'},  # Rounding.
    'tip_angle_room.py': {'TINY'},  # Rounding.
    'tip_angle_sieve.py': {'UNSURE', '_SHORT'},  # Where an arc cosine loses digits.
    'tip_angle_triangles.py': {'LOOSE'},  # Rounding.
    'turning.py': {'_CENTRE', '_ASIDE'},  # Rounding.
    'two_bone.py': {'SAME_DISTANCE'},  # Rounding.
    'two_bone_batch.py': {'_TINIEST', '_UNEQUAL'},  # Where its formula loses digits.
    'verdict.py': {'DISTANCE_ROUNDING'},  # Rounding.
}


def is_number(value):
    if isinstance(value, tuple):
        return any(is_number(item) for item in value)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def numbers(source):
    """The names that a module gives to numbers, or to tuples with numbers."""
    found = set()
    for node in ast.parse(source).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, 'target', None)]
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
            continue
        try:
            value = ast.literal_eval(node.value)
        except ValueError:
            continue
        if is_number(value):
            found |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    return found


def test_no_other_module_has_tuned_numbers():
    found = {}
    for path in KINEMATICS.rglob('*.py'):
        if path.name != 'tuning.py' and path.name not in BOUNDS:
            others = numbers(path.read_text(encoding='utf-8'))
            if others:
                found[path.name] = others
    assert found == EXCEPTIONS


@pytest.mark.parametrize(
    ('source', 'names'),
    [
        ('FEW = 3', {'FEW'}),
        ('_A, _B = 1.0, 2', {'_A', '_B'}),
        ('A: Final = -1e-3', {'A'}),
        ('ROUNDS = ((1, 10), (6, 25))', {'ROUNDS'}),
        ("NAMES = ('a', 'b')\nON = True\ndef f():\n    x = 3", set()),
    ],
)
def test_a_number_is_seen(source, names):
    assert numbers(source) == names


def test_each_tuned_number_has_a_reason_is_final_and_is_used():
    lines = (KINEMATICS / 'tuning.py').read_text(encoding='utf-8').splitlines()
    code = '\n'.join(
        path.read_text(encoding='utf-8')
        for path in KINEMATICS.rglob('*.py')
        if path.name != 'tuning.py'
    )
    names, reasoned = [], False
    for line in lines:
        reasoned = '#' in line or (bool(line) and reasoned)
        named = re.match(r'[A-Z_]+\b', line)
        if named:
            assert re.match(r'[A-Z_]+: Final = ', line), line
            assert reasoned, line
            assert re.search(rf'\b{named[0]}\b', code), line
            names.append(named[0])
    assert len(names) > 60
    assert len(names) == len(set(names))
