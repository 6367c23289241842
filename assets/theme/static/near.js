// Work that can wait until a reader comes near.

const NEAR = "100%"; // of the window's height, below and above it

/** Calls `act` once, when the first of the elements comes near the window; never if there are none. */
export function whenNear(elements, act) {
  const watcher = new IntersectionObserver((seen) => {
    if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
    watcher.disconnect();
    act();
  }, { rootMargin: `${NEAR} 0%` });
  for (const element of elements) watcher.observe(element);
}
