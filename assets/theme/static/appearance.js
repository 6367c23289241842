// Light or dark: the system's choice, unless the reader made another one on this page.

const KEY = "book-appearance";

/** What to store when the shown appearance is switched: null when the system says the same. */
export function switched(shown, system) {
  const wanted = shown === "dark" ? "light" : "dark";
  return { wanted, stored: wanted === system ? null : wanted };
}

export function setUpAppearance(button) {
  const page = document.documentElement;
  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const system = () => (systemDark.matches ? "dark" : "light");
  const shown = () => page.dataset.theme ?? system();
  const tell = () => button.setAttribute("aria-pressed", String(shown() === "dark"));

  button.addEventListener("click", () => {
    const { stored } = switched(shown(), system());
    if (stored) page.dataset.theme = stored;
    else delete page.dataset.theme;
    remember(stored);
    tell();
  });
  systemDark.addEventListener("change", tell);
  tell();
}

function remember(stored) {
  try {
    if (stored) localStorage.setItem(KEY, stored);
    else localStorage.removeItem(KEY);
  } catch {
    // Without storage the choice holds for this page.
  }
}
