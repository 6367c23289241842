// Drawings for buttons. The buttons have names; the drawings are decoration.

import { trusted } from "./html.mjs";

const PATHS = {
  menu: '<path d="M3 6h18M3 12h18M3 18h18"/>',
  search: '<circle cx="10.5" cy="10.5" r="6.5"/><path d="m15.5 15.5 5 5"/>',
  moon: '<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z"/>',
  mark: '<path d="M3 3h7v7H3zM14 3h7v7h-7zM14 14h7v7h-7z" fill="currentColor"/><path d="M3 14h7v7H3z" stroke-dasharray="2 2.2"/>',
  download: '<path d="M12 4v11m-5-5 5 5 5-5M5 20h14"/>',
};

export function icon(name) {
  return trusted(
    `<svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">${PATHS[name]}</svg>`,
  );
}
