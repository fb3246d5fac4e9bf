"""What AppTest has no class for: the messages of browser components, and what they report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

MAIN = Path(__file__).resolve().parents[2] / "app" / "main.py"


def report(app: AppTest, place: int, value: Any) -> AppTest:
    """Run as if something were chosen in the n-th component of the page."""
    element = app.get("bidi_component")[place]
    states = app._tree.get_widget_states()
    widget = states.widgets.add()
    widget.id = element.proto.id
    order = message(app, place)["order"]
    widget.json_value = json.dumps({"choice": {"order": order, "value": value}})
    return app._run(states)


def message(app: AppTest, place: int = 0) -> dict[str, Any]:
    """What the n-th component was sent: the header's fields, and the blocks as bytes."""
    data = app.get("bidi_component")[place].proto.bytes
    start = 4 + int.from_bytes(data[:4], "little")
    found = json.loads(data[4:start])
    for name, length in found["blocks"]:
        found[name] = data[start : start + length]
        start += length
    return found


def take_away(app: AppTest) -> AppTest:
    """Open what is closed at first: downloads, snippet and formula."""
    for expander in app.expander:
        app.session_state[expander.key] = True
    return app.run()


def html(app: AppTest) -> str:
    """All HTML of the page."""
    return "\n".join(element.proto.body for element in app.get("html"))
