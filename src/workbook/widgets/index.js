// The module's door: anywidget's `render`, and `mount` for pages without a kernel.
import { ContiguousPicture } from "./contiguous/view.js";
import { EnginePicture } from "./engine/view.js";
import { ForkPicture } from "./fork/view.js";
import { LinePicture } from "./line/view.js";
import { PagesPicture } from "./pages/view.js";
import { PoolPicture } from "./pool/view.js";
import { PrefixPicture } from "./prefix/view.js";
import { ReadingPicture } from "./reading/view.js";
import { TilesPicture } from "./tiles/view.js";
import { BlockSizePicture } from "./block_size/view.js";

const PICTURES = {
  contiguous: ContiguousPicture,
  engine: EnginePicture,
  fork: ForkPicture,
  line: LinePicture,
  pages: PagesPicture,
  pool: PoolPicture,
  prefix: PrefixPicture,
  reading: ReadingPicture,
  tiles: TilesPicture,
  block_size: BlockSizePicture,
};

/** A model with the few methods that a picture uses, around plain data. */
export function makeModel(state) {
  const values = { ...state };
  const hearers = new Map();
  const fire = (event) => {
    for (const hear of hearers.get(event) ?? []) hear();
  };
  return {
    get: (name) => values[name],
    set: (name, value) => {
      values[name] = value;
      fire(`change:${name}`);
    },
    fire,
    on: (name, hear) => hearers.set(name, [...(hearers.get(name) ?? []), hear]),
    off: (name, hear) =>
      hearers.set(
        name,
        (hearers.get(name) ?? []).filter((other) => other !== hear),
      ),
    save_changes: () => {},
    send: () => {},
  };
}

/** Draw the picture of `model.get("data")` into `el`; returns what takes it away again. */
function render({ model, el }) {
  const data = model.get("data");
  const Picture = PICTURES[data?.picture];
  if (!Picture) throw new Error(`there is no picture "${data?.picture}" in this module`);
  const picture = new Picture(el, data, model.get("live")?.length ? model : null);
  const changed = () => picture.update?.(model.get("data"));
  const again = () => picture.frame.show();
  model.on?.("change:data", changed);
  let width = 0;
  const sized = new ResizeObserver(() => {
    const now = picture.frame.root.clientWidth;
    if (now && now !== width) requestAnimationFrame(again);
    width = now;
  });
  sized.observe(picture.frame.root);
  const themed = new MutationObserver(again);
  for (const page of [document.documentElement, document.body]) {
    themed.observe(page, {
      attributes: true,
      attributeFilter: ["class", "style", "data-theme", "data-jp-theme-light"],
    });
  }
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", again);
  return () => {
    model.off?.("change:data", changed);
    sized.disconnect();
    themed.disconnect();
    scheme.removeEventListener("change", again);
    picture.remove();
  };
}

/** Draw the picture of `data` into `host`, whose own content (the still picture) stays for print.
 * With a `model` of another maker its buttons reach whoever hears that. */
export function mount(host, data, model = makeModel({ data })) {
  let remove = () => {};
  const box = document.createElement("div");
  try {
    host.append(box);
    remove = render({ model, el: box });
    host.dataset.state = "ready";
  } catch (error) {
    box.remove();
    host.dataset.state = "failed";
    console.error(error);
  }
  return () => {
    remove();
    box.remove();
    delete host.dataset.state;
  };
}

async function dataOf(host) {
  if (host.dataset.src) {
    const answer = await fetch(host.dataset.src);
    if (!answer.ok) throw new Error(`${host.dataset.src}: ${answer.status}`);
    return answer.json();
  }
  return JSON.parse(host.querySelector('script[type="application/json"]').textContent);
}

/** Mount every `.pa-host` under `root` when it comes near; returns what unmounts them all. */
export function mountAll(root, { eager = false } = {}) {
  const removers = [];
  const start = async (host) => {
    if (host.dataset.state) return;
    host.dataset.state = "loading";
    try {
      removers.push(mount(host, await dataOf(host)));
    } catch (error) {
      host.dataset.state = "failed";
      console.error(error);
    }
  };
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        start(target);
      }
    },
    { rootMargin: "600px" },
  );
  for (const host of root.querySelectorAll(".pa-host")) {
    if (eager) start(host);
    else near.observe(host);
  }
  return () => {
    near.disconnect();
    for (const remove of removers) remove();
  };
}

export default { render };
