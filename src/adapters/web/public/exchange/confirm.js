// @ts-check
/**
 * The dialog's element, as far as it is used here.
 *
 * @typedef {object} Dialog
 * @property {boolean} open
 * @property {string} returnValue
 * @property {(selectors: string) => { textContent: string | null } | null} querySelector
 * @property {() => void} showModal
 * @property {(type: "close", listener: () => void, options: { signal: AbortSignal }) => void} addEventListener
 */

/** Says no to the question before, whose end the page may not have heard of yet. */
let refuse = () => {};

/**
 * Asks before something that cannot be taken back; Escape and the first button mean no.
 *
 * @param {Dialog} dialog
 * @param {string} question
 * @param {string} label What the button that does it says.
 * @returns {Promise<boolean>}
 */
export function confirmFirst(dialog, question, label) {
  const text = dialog.querySelector("#confirm-question");
  const yes = dialog.querySelector("#confirm-yes");
  if (text === null || yes === null) return Promise.resolve(false);
  refuse();
  text.textContent = question;
  yes.textContent = label;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    const heard = new AbortController();
    /** @param {boolean} answer */
    const say = (answer) => {
      heard.abort();
      resolve(answer);
    };
    refuse = () => say(false);
    // The event comes after the dialog has closed, and maybe after it has opened again.
    dialog.addEventListener("close", () => dialog.open || say(dialog.returnValue === "yes"), { signal: heard.signal });
  });
}
