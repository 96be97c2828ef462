"""A YAML document as a tree of nodes, with bounds on time and memory for any input.

PyYAML's own composer recurses, drops duplicate names, and has no bounds.
"""

from __future__ import annotations

from typing import Any

import yaml

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.wording import printable

LOADER: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
"""libyaml, which ROS reads with and which is much quicker, where PyYAML was built with it."""

# The parameters of a whole robot stay far below these.
DEEPEST = 32  # levels; a field of a joint is on the sixth
MOST_NODES = 100_000  # names and values

TEXT = 'tag:yaml.org,2002:str'
_TAGS = (None, '!', TEXT)  # ROS ignores all others, which have a meaning elsewhere
_TUPLE = 'tag:yaml.org,2002:python/tuple'  # how launch writes a list

_KINDS: dict[type[yaml.Event], Any] = {
    yaml.MappingStartEvent: yaml.MappingNode,
    yaml.SequenceStartEvent: yaml.SequenceNode,
    yaml.ScalarEvent: yaml.ScalarNode,
}


def document(content: str, file: str) -> yaml.Node | None:
    """Read the one document of a text.

    Args:
        content: the text.
        file: name of the file for messages.

    Returns:
        The root, or None for no document; mappings hold all their pairs of nodes, duplicate names
        included. Scalars hold strings, and have the tag ``TEXT`` where the file says so.

    Raises:
        ConfigError: it is not valid YAML, has aliases, tags, or more than one document, is nested
            too deeply or holds too much.
    """
    try:
        return _composed(content, file)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = '' if mark is None else f':{mark.line + 1}'
        raise ConfigError(f'{file}{line}: is not valid YAML: {_reason(error, content)}') from None
    except yaml.reader.ReaderError as error:
        lines = content.partition(chr(error.character))[0].count('\n')
        raise ConfigError(
            f'{file}:{lines + 1}: is not valid YAML: holds the control character '
            f'U+{error.character:04X}; remove it'
        ) from None
    except yaml.YAMLError as error:
        raise ConfigError(f'{file}: is not valid YAML: {printable(str(error))}') from None


def _reason(error: yaml.MarkedYAMLError, content: str) -> str:
    """Say what is wrong where, better than libyaml, which does not name the character."""
    mark, problem = error.problem_mark, error.problem or ''
    found = '' if mark is None else content[mark.index : mark.index + 1]
    if found == '\t':
        return 'a tab; indent with spaces'
    if 'cannot start any token' in problem:
        return f"no value can begin with '{printable(found)}'; put it in quotes"
    return printable(', '.join(part for part in (error.context, problem) if part))


def _composed(content: str, file: str) -> yaml.Node | None:
    root, count, documents = None, 0, 0
    parents: list[yaml.CollectionNode] = []
    event: Any  # the stubs declare more attributes optional than are
    for event in yaml.parse(content, Loader=LOADER):
        where = f'{file}:{event.start_mark.line + 1}'
        if isinstance(event, yaml.CollectionEndEvent):
            ended = parents.pop()
            if isinstance(ended, yaml.MappingNode):
                ended.value = list(zip(ended.value[::2], ended.value[1::2], strict=True))
        elif isinstance(event, yaml.NodeEvent):
            node = _node(event, where)
            count += 1
            if count > MOST_NODES:
                raise ConfigError(
                    f'{where}: is too large for a parameter file, '
                    f'which must have at most {MOST_NODES} names and values'
                )
            if parents:
                parents[-1].value.append(node)
            else:
                root = node
            if isinstance(node, yaml.CollectionNode):
                parents.append(node)
            if len(parents) > DEEPEST:
                raise ConfigError(
                    f'{where}: is nested too deeply; it must be {DEEPEST} levels at most'
                )
        elif isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise ConfigError(
                    f'{where}: is not valid YAML for a parameter file: a second document starts; '
                    'put all nodes into the first'
                )
    return root


def _node(event: Any, where: str) -> yaml.Node:
    if isinstance(event, yaml.AliasEvent):
        raise ConfigError(
            f'{where}: ROS refuses YAML aliases, such as *{printable(str(event.anchor))}'
        )
    is_list = isinstance(event, yaml.SequenceStartEvent)
    if event.tag not in _TAGS and not (is_list and event.tag == _TUPLE):
        raise ConfigError(
            f"{where}: the tag '{printable(event.tag)}' means nothing to ROS; remove it"
        )
    kind = _KINDS[type(event)]
    node: yaml.Node
    if kind is not yaml.ScalarNode:
        node = kind(event.tag, [], event.start_mark)
    elif '\0' in event.value:
        raise ConfigError(f'{where}: holds a NUL character, where ROS would cut the string')
    else:
        node = kind(event.tag, event.value, event.start_mark, style=event.style)
    return node
