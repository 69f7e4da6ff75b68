// @ts-check

/**
 * Changes the page without losing the focus in it: an element that is moved loses it, and one that is
 * drawn anew may have a successor of the same words. Where there is none, the focus goes to a place nearby.
 *
 * @param {Element} within
 * @param {() => void} change
 * @param {HTMLElement} [nearby]
 */
export function keepFocus(within, change, nearby) {
  const { ownerDocument: document } = within;
  const before = document.activeElement;
  const inside = before instanceof HTMLElement && within.contains(before);
  change();
  // The browser falls back to the body; any other focus is on purpose.
  if (!inside || document.activeElement !== document.body) return;
  if (before.isConnected) before.focus({ preventScroll: true });
  else if (nearby !== undefined) (namesake(within, before) ?? nearby).focus({ preventScroll: true });
}

/**
 * @param {Element} within
 * @param {HTMLElement} gone
 */
function namesake(within, gone) {
  const role = gone.getAttribute("role");
  const alike = [...within.querySelectorAll(gone.localName)].filter(
    (one) => one.textContent === gone.textContent && one.getAttribute("role") === role,
  );
  return alike.find((one) => one instanceof HTMLElement);
}
