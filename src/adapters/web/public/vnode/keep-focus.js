// @ts-check

/**
 * Changes the page without losing the focus: a moved element loses it, and a re-rendered one passes it to the
 * new element with the same text, else to `nearby`.
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
