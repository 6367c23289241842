// The panels' door: anywidget's `render`.
import { BoardView } from "./board.js";
import { ChatView } from "./chat.js";

const VIEWS = { board: BoardView, chat: ChatView };

/** Draw the panel of `model` into `el`; returns what takes it away again. */
function render({ model, el }) {
  const view = new VIEWS[model.get("data").panel](model);
  el.append(view.root);
  return () => view.remove();
}

export default { render };
