// @ts-check
// What an address asks for, and the address of a question. Pure, so that tests run it in node.
/** @import { Question } from "../invocations/question.ts" */
import { formatLine } from "./exchange/lines.js";

/** A longer line has no address: servers and chats cut it short. */
const MAX_LENGTH = 2000;

/**
 * What is shown by its own name: `/?episode=…`. Each command shows what has that name, and changes nothing with it alone.
 *
 * @type {Readonly<Record<string, { readonly command: string, readonly option: string }>>}
 */
const NAMED = {
  episode: { command: "alerts why", option: "episode" },
  subscription: { command: "alerts edit", option: "id" },
  market: { command: "market show", option: "market" },
};

/**
 * The question of an address, and its line. An address is asked only for what reads: a link may come from anybody.
 *
 * @param {{ readonly search: string, readonly hash: string }} at
 * @returns {{ readonly question: Question, readonly line: string } | undefined}
 */
export function questionAt({ search, hash }) {
  // Messages of former versions lead to `#episode=…`.
  const given = new URLSearchParams(hash.startsWith("#episode=") ? hash.slice(1) : search);
  for (const [name, { command, option }] of Object.entries(NAMED)) {
    const value = given.get(name)?.trim();
    if (value === undefined || value === "" || value.includes("\uFFFD")) continue;
    const options = { [option]: value };
    const again = /** @type {{ again?: true }} */ (name === "subscription" ? {} : { again: true });
    return { question: { command, options, ...again }, line: formatLine(command, options) };
  }
  const text = given.get("q")?.trim();
  return text === undefined || text === "" ? undefined : { question: { text, again: true }, line: text };
}

/**
 * The line that asks a question.
 *
 * @param {Question} question
 */
export function lineOf(question) {
  return "text" in question ? question.text : formatLine(question.command, question.options ?? {});
}

/**
 * The address of a question that was asked.
 *
 * @param {Question} question
 */
export function addressOf(question) {
  const [[option, value] = [], ...more] = "command" in question ? Object.entries(question.options ?? {}) : [];
  const [name] =
    Object.entries(NAMED).find(
      ([, named]) => "command" in question && named.command === question.command && named.option === option,
    ) ?? [];
  const given = name !== undefined && more.length === 0 ? { [name]: String(value) } : { q: lineOf(question) };
  const search = `?${new URLSearchParams(given)}`;
  return search.length > MAX_LENGTH ? "/" : `/${search}`;
}
