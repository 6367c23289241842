// Shows what /board.json says, and asks again every two seconds. Names and titles come from files
// that anybody in the room may write: they become text nodes, never markup.

const EVERY = 2000; // milliseconds
const KINDS = { ok: "done", "to do": "todo", "·": "none" };
const SVG = "http://www.w3.org/2000/svg";

const at = (id) => document.getElementById(id);
let shown = "";
let last = null; // when the state came that is shown

function make(tag, text = "", attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** Write only what has changed, so that a screen reader speaks news alone. */
function say(id, text) {
  if (at(id).textContent !== text) at(id).textContent = text;
}

function bar(passed, begun, all) {
  const drawn = document.createElementNS(SVG, "svg");
  drawn.setAttribute("class", "bar");
  drawn.setAttribute("aria-hidden", "true");
  let x = 0;
  for (const [kind, count] of [["done", passed], ["begun", begun - passed]]) {
    const rect = document.createElementNS(SVG, "rect");
    const share = (100 * count) / all;
    const where = { class: kind, x: `${x}%`, width: `${share}%`, height: "100%" };
    for (const [name, value] of Object.entries(where)) rect.setAttribute(name, value);
    drawn.append(rect);
    x += share;
  }
  return drawn;
}

function exercise({ label, title, passed, begun, stop }, all) {
  const item = make("li", "", { class: "exercise" });
  const open = begun - passed;
  const counts = [`${passed} of ${all} passed`];
  if (open) counts.push(`${open} not yet`);
  if (begun < all) counts.push(`${all - begun} not begun`);
  item.append(
    make("h3", `${label.replace(/^ex-/, "")}  ${title}`.trim()),
    make("p", counts.join(" · "), { class: "counts" }),
    bar(passed, begun, all),
  );
  if (stop) item.append(make("p", `Most stop at “${stop.title}” (${stop.learners})`, { class: "stop little" }));
  return item;
}

function row({ name, cells, quiet }) {
  const made = document.createElement("tr");
  made.append(make("th", name, { scope: "row" }));
  for (const text of cells) {
    const kind = KINDS[text] ?? "part";
    const cell = make("td", kind === "none" ? "" : text, { "data-kind": kind });
    if (kind === "none") {
      cell.append(make("span", "·", { "aria-hidden": "true" }));
      cell.append(make("span", "not checked", { class: "spoken" }));
    }
    made.append(cell);
  }
  made.append(make("td", `${quiet} min`));
  return made;
}

/** "02-2, All or nothing" */
function called(label, exercises) {
  const { title } = exercises.find((each) => each.label === label);
  return [label.replace(/^ex-/, ""), title].filter(Boolean).join(", ");
}

function show({ learners, exercises, next }) {
  const all = learners.length;
  say("count", all ? `${all} ${all === 1 ? "shares" : "share"} what passes` : "");
  at("names").hidden = all === 0;
  at("nobody").hidden = all > 0;
  at("exercises").hidden = exercises.length === 0;
  at("learners").hidden = all === 0 || at("names").ariaPressed === "true";
  at("next").hidden = !next;
  say("next-case", next ? next.title : "");
  const where = next && `It stops ${next.learners} of ${all} in ${called(next.label, exercises)}.`;
  say("next-where", where ?? "");
  at("list").replaceChildren(...exercises.map((each) => exercise(each, all)));
  const heads = ["name", ...exercises.map(({ label }) => label.replace(/^ex-/, "")), "quiet"];
  at("head").replaceChildren(...heads.map((text) => make("th", text, { scope: "col" })));
  at("rows").replaceChildren(...learners.map(row));
}

async function look() {
  let problem = "";
  try {
    const answer = await fetch("board.json", { cache: "no-store" });
    const text = await answer.text();
    const state = JSON.parse(text);
    problem = state.problem ?? (answer.ok ? "" : `The board answers with ${answer.status}.`);
    if (!problem) last = new Date();
    if (!problem && text !== shown) {
      shown = text;
      show(state);
    }
  } catch {
    problem = "The board's program has stopped; start it again, and this page goes on.";
  }
  const stale = problem && last ? ` What stands here is of ${last.toLocaleTimeString()}.` : "";
  say("problem", problem + stale);
  setTimeout(look, EVERY);
}

at("names").addEventListener("click", ({ currentTarget: button }) => {
  const hidden = button.ariaPressed !== "true";
  button.ariaPressed = String(hidden);
  at("learners").hidden = hidden || at("rows").children.length === 0;
});

look();
