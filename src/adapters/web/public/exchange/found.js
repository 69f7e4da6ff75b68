// @ts-check
// What can be found on the page by typing a part of it. Pure, so that tests run it in node.
/** @import { CommandInfo } from "../../console-info.ts" */
/** @import { OpenAlert, WatchedNetwork } from "../../alerts/watch.ts" */
/** @import { Question } from "../../invocations/question.ts" */
import { formatLine, meaningOf, withoutKeys } from "./lines.js";

/**
 * @typedef {object} Found
 * @property {string} name
 * @property {string} what What it is, and says about itself.
 * @property {string} line
 * @property {Question} [question] What is asked at once; left out, the line is begun and misses a value.
 */

/**
 * Commands, open alerts and nodes, in this order.
 *
 * @param {{ commands: readonly CommandInfo[], networks: readonly WatchedNetwork[], open: readonly (OpenAlert & { readonly title: string })[] }} known
 * @returns {readonly Found[]}
 */
export function everything({ commands, networks, open }) {
  return [
    ...commands.map(({ name, summary, needs, changes }) =>
      needs.length > 0 || changes
        ? { name, what: summary, line: `${name} ` }
        : { name, what: summary, line: name, question: { text: name } },
    ),
    ...open.map(({ title, episode, kind, network, severity }) =>
      found(title, `alert: ${severity}, ${kind} on ${network}`, "alerts why", { episode }),
    ),
    ...networks.flatMap(({ network, nodes }) =>
      nodes.map(({ node, state }) => found(node, `node: ${state}, on ${network}`, "time", { network })),
    ),
  ];
}

/**
 * The markets among the lines that complete `market show …`.
 *
 * @param {readonly { readonly line: string, readonly label?: string | null | undefined }[]} offers
 * @returns {readonly Found[]}
 */
export function marketsAmong(offers) {
  return offers.flatMap(({ line, label }) => {
    const [, market = ""] = /^market show (\S.*?)\s*$/u.exec(line) ?? [];
    const bare = market.replaceAll(/^"|"$/gu, "");
    if (bare === "" || /^\w+:$/u.test(bare)) return [];
    const meaning = meaningOf(line.trimEnd(), label === bare ? undefined : label);
    const what = meaning === undefined || meaning === null ? "market" : `market: ${meaning}`;
    return [{ name: bare, what, line: `market show ${market}`, question: { text: `market show ${market}` } }];
  });
}

/**
 * What was typed as a question in plain words, which changes nothing.
 *
 * @param {string} typed
 * @returns {Found}
 */
export function plainQuestion(typed) {
  return { name: `“${typed}”`, what: "ask in plain words", line: typed, question: { text: typed, again: true } };
}

/**
 * Those that have each typed word somewhere: those whose name begins so, those whose name has it, the others.
 *
 * @param {readonly Found[]} all
 * @param {string} typed
 */
export function matching(all, typed) {
  const words = typed.toLowerCase().split(/\s+/u).filter(Boolean);
  const begins = words.join(" ");
  const fits = all.filter((one) => words.every((word) => `${one.name} ${one.what}`.toLowerCase().includes(word)));
  return fits.toSorted((a, b) => rank(b, begins) - rank(a, begins));
}

/**
 * @param {Found} one
 * @param {string} begins
 */
function rank({ name }, begins) {
  const at = begins === "" ? -1 : name.toLowerCase().indexOf(begins);
  return at === -1 ? 0 : at === 0 ? 2 : 1;
}

/**
 * @param {string} name
 * @param {string} what
 * @param {string} command
 * @param {Readonly<Record<string, string>>} options
 * @returns {Found}
 */
function found(name, what, command, options) {
  return { name, what, line: withoutKeys(formatLine(command, options)), question: { command, options } };
}
