"""What the page does in the browser where viser has no way to do it; only HTML and its events."""

from __future__ import annotations

import json
from html import escape

STOP = '<span class="ik2d-stop"></span>'
"""Keeps the button that comes next on the screen of a phone, wherever its panel is scrolled to."""

ROW = '<span class="ik2d-row"></span>'
"""Puts all buttons that come after it in the same part of the panel into rows of four."""

_STYLE = """
.ik2d-box {
  margin: .2em .75em .5em; padding: .4em .75em; border-radius: 4px; border-left: 4px solid;
  font-size: .8125em; line-height: 1.35;
}
.mantine-Text-root:has(> label) {
  font-size: .8em !important; white-space: nowrap; overflow: hidden; text-overflow: ellipsis;
}
label > wbr { display: none; }
@media (max-height: 36em) {
  .ik2d-box { margin-bottom: .8em; padding-top: .2em; font-size: .75em; }
  div:has(> * > * > p > label) { padding-bottom: .1em !important; }
}
div:has(> .ik2d-row) ~ div:has(> button) {
  display: inline-block; width: calc(25% - 7px); margin: 0 0 0 5px !important;
}
div:has(> .ik2d-row) ~ div > button { padding: 0 .2em; }
@media (max-width: 36em) {
  div:has(> .ik2d-stop) + div:has(> button) {
    position: fixed; top: .75em; right: .5em; width: 6em; z-index: 20;
  }
  .mantine-Paper-root:has(.ik2d-stop) { max-height: 50% !important; }
  .mantine-Paper-root:has(.ik2d-stop), .mantine-Paper-root:has(.ik2d-stop) [style*="width: 20em"] {
    width: 100% !important;
  }
}
.ik2d-hint {
  position: fixed; top: .6em; left: .7em; z-index: 5; padding: .2em .8em; border-radius: 1em;
  background: #7048c8; color: #fff; font-size: .875em; pointer-events: none;
}
canvas { touch-action: none !important; }
"""

# A path is drawn while its tab is open. The page is as dark as the rest of the screen.
# A second finger takes the first away from what it drags: both begin anew, as fingers that hold
# nothing (a middle button), and so they move the view.
_SCRIPT = """
window.ik2d ??= (() => {
  const on = (name, act) => window.addEventListener(name, act, true);
  on('click', event => {
    const tab = event.target.closest('[role=tab]');
    if (!tab) return;
    const labels = [...document.querySelectorAll('label')];
    const box = name => labels.find(label => label.textContent == name)?.control;
    const [draw, ends] = [box('Draw'), box('Handles')];
    if (draw && draw.checked != (tab.textContent == 'Path')) draw.click();
    if (ends && ends.checked != (tab.textContent == 'Design')) ends.click();
  });
  const fingers = new Map();
  const again = ({target, pointerId, clientX, clientY}, name) => {
    const how = {bubbles: true, pointerType: 'touch', button: 1, pointerId, clientX, clientY};
    target.dispatchEvent(new PointerEvent(name, how));
  };
  on('pointerdown', event => {
    if (!event.isTrusted || event.pointerType != 'touch' || !event.target.matches('canvas')) return;
    event.target.releasePointerCapture(event.pointerId);  // else viser takes it for a gizmo's
    fingers.set(event.pointerId, event);
    if (fingers.size < 2) return;
    event.stopImmediatePropagation();
    for (const name of ['pointercancel', 'pointerdown']) {
      for (const finger of fingers.values()) again(finger, name);
    }
  });
  for (const name of ['pointerup', 'pointercancel']) {
    on(name, event => {
      if (event.isTrusted) fingers.delete(event.pointerId);
    });
  }
  const url = new window.URL(window.location);
  if (matchMedia('(prefers-color-scheme: dark)').matches && !url.searchParams.has('darkMode')) {
    url.searchParams.set('darkMode', '');
    window.location.replace(url);
  }
  return true;
})()"""


def heading(title: str) -> str:
    """Return HTML, to be put on the page once, which also names the browser's tab."""
    run = f'document.title = {json.dumps(title)}; {_SCRIPT}'
    return f'<style>{_STYLE}</style><img hidden src="data:," onerror="{escape(run)}">'
