// Runs before the first paint, so that a reader who chose dark never sees a white flash.
(() => {
  const page = document.documentElement;
  page.classList.add("js");
  try {
    const chosen = localStorage.getItem("book-appearance");
    if (chosen === "dark" || chosen === "light") page.dataset.theme = chosen;
  } catch {
    // Storage may be forbidden; the system's choice then holds.
  }
})();
