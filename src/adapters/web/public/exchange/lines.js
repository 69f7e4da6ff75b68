// @ts-check
// Typed lines: the line of a button's invocation, and the history.

/**
 * The line that types an invocation, with values in quotes where they need them.
 *
 * @param {string} command
 * @param {Readonly<Record<string, string | number | boolean>>} options
 */
export function formatLine(command, options) {
  return [command, ...Object.entries(options).map(([name, value]) => `${name}:${quote(String(value))}`)].join(" ");
}

/**
 * Whether a button is to be filled in first, which its dots promise.
 *
 * @param {string} label
 * @param {boolean} [form]
 */
export function isFilled(label, form) {
  return form === true || label.endsWith("…");
}

/**
 * A completion as it goes into the prompt: with a space behind a whole value, so that completion offers what may follow.
 *
 * @param {string} line
 */
export function picked(line) {
  return /[\s:]$/u.test(line) ? line : `${line} `;
}

/**
 * The line with its long hexadecimal ids shortened in their middle, for reading.
 *
 * @param {string} line
 */
export function withShortIds(line) {
  return line.replaceAll(/[0-9a-f]{32,}/giu, (id) => `${id.slice(0, 8)}…${id.slice(-4)}`);
}

/**
 * What a line offered stands for, without the value that stands in the line already: often at the label's beginning, and
 * a shortened id at its end, too.
 *
 * @param {string} line
 * @param {string | null | undefined} label
 */
export function meaningOf(line, label) {
  const value = withShortIds(line.slice(line.search(/[^\s:,]*$/u)));
  if (label === undefined || label === null || label === value) return undefined;
  if (value === "") return label;
  const lead = [`${value} · `, `${value}: `].find((one) => label.startsWith(one));
  if (lead !== undefined) return label.slice(lead.length);
  const end = ` (${value})`;
  return label.endsWith(end) ? label.slice(0, -end.length) : label;
}

/** @param {string} value */
function quote(value) {
  if (value !== "" && !/[\s"'“”„‘’«»\\]/u.test(value)) return value;
  return `"${value.replaceAll(/["\\]/gu, (character) => `\\${character}`)}"`;
}

/**
 * The line as people read it: an alert by its kind, not by the key that tells it from the others of its kind.
 *
 * @param {string} line
 */
export function withoutKeys(line) {
  const named = line.replace(/ episode:"?([a-z]+\.[a-z-]+)[^"]*"?$/u, " · $1");
  return named.replaceAll(/([a-z]+\.[a-z-]+)\|[^|\s]*\|[^|\s]*\|\d+/gu, "$1");
}

const MAX_KEPT = 200;

/**
 * The history of lines, and the position in it while going back and forth. The unfinished line is kept at its end.
 *
 * @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} storage
 * @param {string} key
 */
export function createHistory(storage, key) {
  let lines = load(storage, key);
  let at = lines.length;
  let draft = "";
  return {
    /** @param {string} line */
    add(line) {
      lines = [...lines.filter((known) => known !== line), line].slice(-MAX_KEPT);
      at = lines.length;
      draft = "";
      save(storage, key, lines);
    },
    /**
     * The line before, or undefined at the first.
     *
     * @param {string} typed What stands in the input now.
     */
    back(typed) {
      if (at === 0) return undefined;
      if (at === lines.length) draft = typed;
      at -= 1;
      return lines[at];
    },
    /** The line after, at last what was being typed; undefined when that is what stands there. */
    forth() {
      if (at === lines.length) return undefined;
      at += 1;
      return at === lines.length ? draft : lines[at];
    },
    clear() {
      lines = [];
      at = 0;
      draft = "";
      try {
        storage.removeItem(key);
      } catch {
        // What may not be kept need not be removed.
      }
    },
    /** Typing leaves the history. */
    leave() {
      at = lines.length;
    },
  };
}

/**
 * @param {Pick<Storage, "getItem">} storage
 * @param {string} key
 * @returns {string[]}
 */
function load(storage, key) {
  try {
    /** @type {unknown} */
    const kept = JSON.parse(storage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter((line) => typeof line === "string").slice(-MAX_KEPT) : [];
  } catch {
    return [];
  }
}

/**
 * @param {Pick<Storage, "setItem">} storage
 * @param {string} key
 * @param {readonly string[]} lines
 */
function save(storage, key, lines) {
  try {
    storage.setItem(key, JSON.stringify(lines));
  } catch {
    // Storage may be full or forbidden; history then lasts as long as the page.
  }
}
