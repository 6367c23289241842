"""A page with a board and a chat whose kernel is a stand-in: what they send is kept to be read."""

import json
from pathlib import Path
from typing import Any

from workbook.live.panel import module, style

ROWS = [[float(at), 40.0 + 9 * (at % 3) if at else None, 0.3 + 0.01 * at] for at in range(30)]
BOARD = {
    "v": 1,
    "panel": "board",
    "running": 4,
    "waiting": 2,
    "held": 29,
    "blocks": 64,
    "size": 16,
    "usage": 0.4531,
    "hits": 0.62,
    "prompt": 900,
    "cached": 558,
    "said": 1184,
    "preempted": 1,
    "away": "",
    "rate": 41.8,
    "rows": ROWS,
}
CHAT = {
    "v": 1,
    "panel": "chat",
    "state": "ready",
    "messages": [["user", "<b>What</b> is a block table?"], ["assistant", "A list.\nOf blocks."]],
}
BOOT = """
import panels from "./panels.js";
const makeModel = (state) => {
  const hearers = {};
  return {
    sent: [],
    get: (name) => state[name],
    set(name, value) {
      state[name] = value;
      for (const hear of hearers[`change:${name}`] ?? []) hear();
    },
    on(event, hear) { (hearers[event] ??= []).push(hear); },
    off(event, hear) { hearers[event] = hearers[event].filter((other) => other !== hear); },
    send(message) { this.sent.push(message); },
    lose() { for (const hear of hearers.comm_live_update ?? []) hear(); },
    hearers,
  };
};
const states = await (await fetch("./states.json")).json();
window.models = {};
window.removers = {};
for (const [name, state] of Object.entries(states)) {
  window.models[name] = makeModel(state);
  const el = document.getElementById(name);
  window.removers[name] = panels.render({ model: window.models[name], el });
}
document.body.dataset.ready = "";
"""


def write_panels(folder: Path) -> None:
    """``index.html`` and what it loads."""
    states: dict[str, dict[str, Any]] = {
        "board": {"data": BOARD, "where": "http://127.0.0.1:8000", "watching": True},
        "chat": {"data": CHAT, "said": "", "note": "", "draft": ""},
    }
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Panels</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,"><link rel="stylesheet" href="page.css">'
        '<link rel="stylesheet" href="panels.css"></head><body><main><h1>Panels</h1>'
        '<div id="board"></div><div id="chat"></div></main>'
        '<script type="module" src="boot.js"></script></body></html>'
    )
    look = (
        "body { margin: 8px; } :root { color-scheme: light dark; }"
        "@media (prefers-color-scheme: dark) { body { background: #101316; color: #ececec; } }"
    )
    files = {
        "index.html": page,
        "page.css": look,
        "panels.css": style(),
        "panels.js": module(),
        "boot.js": BOOT,
        "states.json": json.dumps(states),
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
