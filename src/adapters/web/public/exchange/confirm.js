// @ts-check

/**
 * Asks before something that cannot be taken back; Escape and the first button mean no.
 *
 * @param {HTMLDialogElement} dialog
 * @param {string} question
 * @param {string} label What the button that does it says.
 * @returns {Promise<boolean>}
 */
export function confirmFirst(dialog, question, label) {
  const text = dialog.querySelector("#confirm-question");
  const yes = dialog.querySelector("#confirm-yes");
  if (text === null || yes === null) return Promise.resolve(false);
  text.textContent = question;
  yes.textContent = label;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
