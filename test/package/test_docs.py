"""The documents: every link in them leads somewhere."""

from __future__ import annotations

import re

import pytest
from harness import ROOT

DOCUMENTS = sorted([*ROOT.glob('*.md'), *(ROOT / 'docs').glob('*.md')])
LINK = re.compile(r'(?:\]\(|(?:src|href)=")(?!https?:|mailto:)([^)#"\s]*)(?:#([^)"\s]+))?[)"]')


def headings(text: str) -> set[str]:
    """The anchors of a document, as they are made of its headings."""
    lines = re.findall(r'^#+ (.+)$', text, flags=re.MULTILINE)
    return {re.sub(r'[^\w\- ]', '', line.lower()).replace(' ', '-') for line in lines}


@pytest.mark.parametrize('document', DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document) -> None:
    for path, anchor in LINK.findall(document.read_text(encoding='utf-8')):
        target = (document.parent / path) if path else document
        assert target.exists(), path
        if anchor:
            assert anchor in headings(target.read_text(encoding='utf-8')), f'{path}#{anchor}'
