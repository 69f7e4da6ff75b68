// @ts-check
// What the alert that is being typed would have told: counted anew once nobody has typed for half a second.

const REST_MILLIS = 500;
/** An option that says how it is told, and not of what. */
const HOW = /^(?:--)?(?:to|style|events|quiet|zone|mention|note|runbook|private)[:=]/iu;
const WORDS = /(?:[^\s"]|"[^"]*"?)+/gu;
const ID = /^(?:--)?id[:=]/iu;

/**
 * The line that counts what a typed one would have told; undefined where it is about no alert, or names nothing yet.
 *
 * @param {string} typed
 * @returns {string | undefined}
 */
export function triedLine(typed) {
  const [, command = "", rest = ""] = /^\s*alerts\s+(add|edit|try)\s+(.*)$/isu.exec(typed) ?? [];
  const words = (rest.match(WORDS) ?? []).filter((word) => !HOW.test(word));
  if (command.toLowerCase() !== "edit") return words.length === 0 ? undefined : `alerts try ${words.join(" ")}`;
  const named = words.findIndex((word) => ID.test(word));
  const [id = "", ...others] = named < 0 ? words : [words[named] ?? "", ...words.toSpliced(named, 1)];
  return others.length === 0 ? undefined : `alerts try id:${id.replace(ID, "")} ${others.join(" ")}`;
}

/**
 * @param {{ textContent: string | null }} element Where the count stands.
 * @param {(line: string, signal: AbortSignal) => Promise<string | undefined>} count Undefined where the line has a mistake.
 */
export function createTried(element, count) {
  /** @type {string | undefined} */
  let wanted;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {AbortController | undefined} */
  let asking;

  /**
   * @param {string} line
   * @param {AbortSignal} signal
   */
  async function follow(line, signal) {
    element.textContent = "Counting …";
    const words = await count(line, signal).catch(() => undefined);
    // Another line is wanted by now.
    if (!signal.aborted) element.textContent = words ?? "";
  }

  return {
    /** @param {string} typed What stands in the input now. */
    changed(typed) {
      const line = triedLine(typed);
      if (line === wanted) return;
      wanted = line;
      clearTimeout(timer);
      asking?.abort();
      if (line === undefined) {
        element.textContent = "";
        return;
      }
      const { signal } = (asking = new AbortController());
      timer = setTimeout(() => void follow(line, signal), REST_MILLIS);
    },
  };
}
