"""A YAML document as a tree of nodes, so bounded that no text takes long or much memory.

PyYAML's own composer recurses, forgets which names were given twice, and has no bounds.
"""

from __future__ import annotations

from typing import Any

import yaml

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.wording import printable

LOADER: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
"""libyaml, which ROS reads with and which is much quicker, where PyYAML was built with it."""

# The parameters of a whole robot stay far below.
DEEPEST = 32  # levels; a field of a joint is at the sixth
MOST_NODES = 100_000  # names and values

TEXT = 'tag:yaml.org,2002:str'
_TAGS = (None, '!', TEXT)  # ROS ignores all others, which mean much elsewhere
_TUPLE = 'tag:yaml.org,2002:python/tuple'  # what a launch file gives as a list comes as this

_KINDS: dict[type[yaml.Event], Any] = {
    yaml.MappingStartEvent: yaml.MappingNode,
    yaml.SequenceStartEvent: yaml.SequenceNode,
    yaml.ScalarEvent: yaml.ScalarNode,
}


def document(content: str, file: str) -> yaml.Node | None:
    """Read the one document of a text.

    Args:
        content: the text.
        file: what messages call the file.

    Returns:
        The root, None for no document; mappings hold all their pairs of nodes, also where a name
        comes twice. Scalars have texts, and ``TEXT`` as their tag where they were given it.

    Raises:
        ConfigError: it is not valid YAML, has aliases, tags, or more than one document, is nested
            too deeply or holds too much.
    """
    try:
        return _composed(content, file)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = '' if mark is None else f':{mark.line + 1}'
        reason = ', '.join(part for part in (error.context, error.problem) if part)
        raise ConfigError(f'{file}{line}: is not valid YAML: {printable(reason)}') from None
    except yaml.YAMLError as error:
        raise ConfigError(f'{file}: is not valid YAML: {printable(str(error))}') from None


def _composed(content: str, file: str) -> yaml.Node | None:
    root, count, documents = None, 0, 0
    parents: list[yaml.CollectionNode] = []
    event: Any  # the type stubs take more for missing than can be
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
                    f'{where}: is not valid YAML for a parameter file: a second document begins; '
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
            f"{where}: the tag '{printable(event.tag)}' means nothing to ROS; leave it out"
        )
    kind = _KINDS[type(event)]
    node: yaml.Node
    if kind is not yaml.ScalarNode:
        node = kind(event.tag, [], event.start_mark)
    elif '\0' in event.value:
        raise ConfigError(f'{where}: holds a NUL character, at which ROS would cut the text')
    else:
        node = kind(event.tag, event.value, event.start_mark, style=event.style)
    return node
