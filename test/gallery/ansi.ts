import { h, type VNode } from "../../src/adapters/web/public/vnode/vnode.js";

/** What begins and ends each style that the terminal's renderer uses (ECMA-48 section 8.3.117). */
const BEGINS: Readonly<Record<string, string>> = { 1: "bold", 2: "dim", 4: "underline" };
const COLOURS: Readonly<Record<string, string>> = { 31: "red", 32: "green", 33: "yellow", 34: "blue", 36: "cyan" };
const ENDS: Readonly<Record<string, readonly string[]>> = {
  0: [...Object.values(BEGINS), ...Object.values(COLOURS)],
  22: ["bold", "dim"],
  24: ["underline"],
  39: Object.values(COLOURS),
};

/** What a terminal shows of a text with ANSI codes and hyperlinks, as nodes. @throws RangeError for any other code. */
export function drawAnsi(ansi: string): VNode[] {
  const styles = new Set<string>();
  let href = "";
  // oxlint-disable-next-line no-control-regex -- escape sequences are what is read here
  return ansi.split(/(\u001B\[[\d;]*m|\u001B\]8;;[^\u001B]*\u001B\\)/u).flatMap((part): VNode[] => {
    if (part.startsWith("\u001B[")) {
      for (const code of part.slice(2, -1).split(";")) setStyle(styles, code === "" ? "0" : code);
      return [];
    }
    if (part.startsWith("\u001B]8")) {
      href = part.slice(5, -2);
      return [];
    }
    if (part.includes("\u001B")) throw new RangeError(`an escape sequence that is not drawn: ${JSON.stringify(part)}`);
    if (part === "") return [];
    const shown = styles.size === 0 ? part : h("span", { class: [...styles].join(" ") }, part);
    return [href === "" ? shown : h("a", { href }, shown)];
  });
}

function setStyle(styles: Set<string>, code: string): void {
  const begun = BEGINS[code] ?? COLOURS[code];
  const ended = ENDS[code];
  if (begun !== undefined) styles.add(begun);
  else if (ended === undefined) throw new RangeError(`a style that is not drawn: ${code}`);
  else for (const style of ended) styles.delete(style);
}
