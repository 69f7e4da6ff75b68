// @ts-check
// Text in a picture: what its font lacks is written as its code, and all is measured before it is drawn.
import { GLYPHS } from "./glyphs.js";

/** Beyond this, a name of a node or a market is cut. */
const NAME_LENGTH = 24;
const ELLIPSIS = "…";

/** @type {ReadonlyMap<number, number>} The width of each sign that the font has, in parts of the size. */
const WIDTHS = new Map(
  GLYPHS.flatMap(([first, digits]) =>
    (digits.match(/../gu) ?? []).map((pair, at) => /** @type {const} */ ([first + at, parseInt(pair, 36) / 100])),
  ),
);

/**
 * The signs of a text as they can be drawn, each in one piece: `é`, `U+1F600`.
 *
 * @param {string} text
 * @returns {string[]}
 */
function signsOf(text) {
  return Array.from(text.normalize("NFC"), (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    if (WIDTHS.has(code)) return sign;
    return /\s/u.test(sign) ? " " : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  });
}

/**
 * @param {string} text As it can be drawn.
 * @param {number} size
 */
export function widthOf(text, size) {
  let width = 0;
  for (const sign of text) width += WIDTHS.get(sign.codePointAt(0) ?? 0) ?? 1;
  return width * size;
}

/**
 * A text as it can be drawn, cut where it is wider or longer.
 *
 * @param {string} text
 * @param {number} size
 * @param {number} room
 * @param {number} [length]
 */
export function fitted(text, size, room, length = Infinity) {
  const signs = signsOf(text);
  if (signs.join("").length <= length && widthOf(signs.join(""), size) <= room) return signs.join("");
  let kept = "";
  for (const sign of signs) {
    const longer = kept + sign;
    if (longer.length >= length || widthOf(longer + ELLIPSIS, size) > room) break;
    kept = longer;
  }
  return `${kept.trimEnd()}${ELLIPSIS}`;
}

/**
 * Names that somebody else gave, below each other. Where they would look the same without their ends, what all begin
 * with goes, else their beginnings.
 *
 * @param {readonly string[]} names
 * @param {number} size
 * @param {number} room
 */
export function fittedNames(names, size, room) {
  const [first = ""] = names;
  let shared = 0;
  while (shared < first.length && names.every((name) => name[shared] === first[shared])) shared += 1;
  const from = first.slice(0, shared).replace(/[^\s._:/-]*$/u, "").length;
  const fit = (/** @type {string} */ name) => fitted(name, size, room, NAME_LENGTH);
  const cut = names.map(fit);
  const ways = [cut, names.map((name) => fit(`${ELLIPSIS}${name.slice(from)}`)), names.map(ending)];
  return ways.toSorted((a, b) => new Set(b).size - new Set(a).size)[0] ?? cut;

  /** @param {string} name */
  function ending(name) {
    const signs = signsOf(name).slice(1 - NAME_LENGTH);
    while (signs.length > 0 && widthOf(ELLIPSIS + signs.join(""), size) > room) signs.shift();
    return ELLIPSIS + signs.join("");
  }
}

/**
 * A text in lines of a width; what is left of it is cut from the last one.
 *
 * @param {string} text
 * @param {number} size
 * @param {number} room
 * @param {number} most
 * @returns {string[]}
 */
export function wrapped(text, size, room, most) {
  const words = text.split(/\s+/u).filter((word) => word !== "");
  /** @type {string[]} */
  const lines = [];
  while (words.length > 0) {
    let count = 1;
    const isIn = () => widthOf(signsOf(words.slice(0, count + 1).join(" ")).join(""), size) <= room;
    while (count < words.length && (lines.length === most - 1 || isIn())) count += 1;
    lines.push(fitted(words.splice(0, count).join(" "), size, room));
  }
  return lines;
}
