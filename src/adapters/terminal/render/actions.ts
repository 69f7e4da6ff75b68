// What may be typed next: the buttons of a reply as lines, at the prompt with numbers, in a shell as it takes them.
import { formatLine } from "../../../bot/grammar/grammar.ts";
import { asButtons, type ButtonAction } from "../../../reply/fold.ts";
import type { Action, Ask } from "../../../reply/reply.ts";
import { shortenId } from "../../../reply/text.ts";
import { hang, indent } from "./table.ts";
import { asTyped, blank, dataSpan, linkSpans, span, type Span, wholeSpan } from "./span.ts";
import { visibleText } from "./visible-text.ts";
import { joined, type Line, totalWidth, wrap } from "./wrap.ts";

/** A command line as a shell takes it; undefined at the prompt. */
export type InShell = ((line: string) => string) | undefined;

interface ActionOptions {
  readonly links: boolean;
  /** So many buttons have a number already. */
  readonly before?: number;
  readonly inShell?: InShell;
  /** The network that a line need not name. */
  readonly usual?: string | undefined;
  /** So many of a choice are shown at the prompt; left out = the first ones. */
  readonly most?: number;
  /** So many lines to type stand above. */
  readonly lines?: number;
  /** Whether the choice is what the reply asks for. */
  readonly isAsked?: boolean;
}

const NESTED = 2;

/** How the prompt is started in a shell. */
const ASK = "npm run -s ask";
/** What is asked for its file alone, which a shell gets by an option. */
const FILES = /^ledger (?:export|fetch) /u;

/**
 * A command line as a shell takes it: `npm run -s ask -- "market list"`, for the network that was asked for by an option;
 * the usual one is not named. Files go to the same folder again.
 */
export function shellLine(given: string, network: string | undefined, usual?: string, out = "ledgers"): string {
  const line = withoutNetwork(given, network === undefined ? usual : undefined);
  const own = network === undefined || /\bnetwork:/u.test(line) ? "" : `--network ${network} `;
  const folder = /^[\w./-]+$/u.test(out) ? out : quotedForShell(out);
  return `${ASK} -- ${own}${quotedForShell(line)}${FILES.test(line) ? ` --out ${folder}` : ""}`;
}

function quotedForShell(word: string): string {
  return /["$`\\!]/u.test(word) ? `'${word.replaceAll("'", String.raw`'\''`)}'` : `"${word}"`;
}

/** More of one choice at once bury its question; the words that one is left take as much room as the one. */
const MAX_PICKS = 5;

/** The actions that get a number or a line at once, and what is left of their choices. */
export function firstPicks(actions: readonly Action[], most = MAX_PICKS) {
  const first: Action[] = [];
  const rest: Action[] = [];
  for (const one of actions) {
    if (!("choices" in one) || one.choices.length <= most + 1) first.push(one);
    else {
      first.push({ ...one, choices: one.choices.slice(0, most) });
      rest.push({ ...one, choices: one.choices.slice(most) });
    }
  }
  return { first, rest };
}

/** What all of these ask, and the one value in which they differ; left out where they differ in more. */
function templateOf([first, ...others]: readonly Ask[]): { readonly ask: Ask; readonly name?: string | undefined } {
  const { command = "", options = {} } = first ?? {};
  const [name, ...more] = Object.keys(options).filter((one) => others.some((ask) => ask.options[one] !== options[one]));
  if (name === undefined || more.length > 0) return { ask: { command, options } };
  const { [name]: _, ...same } = options;
  return { ask: { command, options: same }, name };
}

/** A line among the actions: its button with its number, or words above or below those of a choice. */
type Entry = { readonly action: ButtonAction; readonly isPick: boolean } | { readonly words: readonly Span[] };

/** At the prompt a choice has a heading, unless it is what is asked, and its others come with `more`. */
function promptEntries(action: Action, isAsked: boolean, most: number | undefined): Entry[] {
  const { first, rest } = firstPicks([action], most);
  const isPick = "choices" in action;
  const picks = asButtons(first).map((one) => ({ action: one, isPick }));
  if (!isPick) return picks;
  const left = asButtons(rest).length;
  const more = left === 0 ? [] : [{ words: [span(`${left} more: type `, "dim"), span("more", "code")] }];
  return [...(isAsked ? [] : [{ words: [dataSpan(action.label, "strong")] }]), ...picks, ...more];
}

/** More lines of a shell at once bury the answer above them; what is asked has no answer above it. */
const MAX_SHELL_LINES = 5;
const MAX_ASKED_LINES = 10;

/** In a shell a question has a line for its first values; of a further choice one line takes any value. */
function shellEntries(action: Action, isAsked: boolean, usual: string | undefined, room: number): Entry[] {
  if (!("choices" in action)) return [{ action, isPick: false }];
  const { choices, effect, label } = action;
  const { ask, name } = templateOf(choices.map(({ invocation }) => invocation));
  if (!isAsked && name !== undefined) {
    const invocation = { ...ask, options: { ...ask.options, [name]: name.toUpperCase() } };
    return [{ action: { label: `${label} (${choices.length})`, invocation, effect }, isPick: false }];
  }
  const picks = asButtons(firstPicks([action], Math.max(1, room - 1)).first);
  const left = choices.length - picks.length;
  const typed = withoutNetwork(name === undefined ? ask.command : `${formatLine(ask)} ${name}:`, usual);
  return [...picks.map((one) => ({ action: one, isPick: true })), ...(left === 0 ? [] : [moreEntry(left, typed)])];
}

/** How the prompt shows what a shell does not. */
function moreEntry(left: number, typed?: string): Entry {
  const line = typed === undefined ? [] : [span(" and type ", "dim"), wholeSpan(visibleText(typed), "code")];
  const tab = typed === undefined ? [] : [span(" and Tab", "dim")];
  return { words: [span(`${left} more: start `, "dim"), wholeSpan(ASK, "code"), ...line, ...tab] };
}

/** The lines that a shell shows; the first ones are most likely wanted. */
function shellLines(actions: readonly Action[], asked: Action | undefined, usual: string | undefined, room: number) {
  const others = actions.length - (asked === undefined ? 0 : 1);
  const all = actions.flatMap((one) => shellEntries(one, one === asked, usual, room - others));
  if (all.length <= room) return all;
  return [...all.slice(0, room - 1), moreEntry(all.length - room + 1)];
}

/**
 * The numbers, the labels and the lines of buttons are a column each; where one has no room, all lines stand below their
 * labels. A shell has no numbers; at the prompt the number is enough for one of a choice.
 */
export function actionLines(actions: readonly Action[], width: number, options: ActionOptions): Line[] {
  const { links, before = 0, inShell, usual, most, isAsked = false, lines = 0 } = options;
  const asked = actions.find((one) => isAsked && "choices" in one);
  const entries =
    inShell === undefined
      ? actions.flatMap((one) => promptEntries(one, one === asked, most))
      : shellLines(actions, asked, usual, (asked === undefined ? MAX_SHELL_LINES : MAX_ASKED_LINES) - lines);
  const last = before + entries.filter((one) => "action" in one).length;
  const lead = inShell === undefined ? `[${last}] `.length : 0;
  const below = Math.max(lead, NESTED);
  let number = before;
  const shown = entries.map((entry) => {
    if ("words" in entry) return entry;
    const { action, isPick } = entry;
    const target =
      "url" in action
        ? linkSpans("", action.url, links)
        : isPick && inShell === undefined
          ? []
          : lineSpans(action, width - below, inShell, usual);
    number += 1;
    const numbered = span(inShell === undefined ? `[${number}] `.padEnd(lead) : "", "dim");
    return { number: numbered, label: dataSpan(action.label), target };
  });
  const lined = shown.flatMap((one) => ("label" in one && one.target.length > 0 ? [one] : []));
  const column = Math.max(0, ...lined.map(({ label }) => label.width + 2));
  // All beside their labels or all below: mixed, one would look for a line in two places.
  const isBeside = lined.every(({ target }) => lead + column + totalWidth(target) <= width);
  return shown.flatMap((one): Line[] => {
    if ("words" in one) return wrap(one.words, width);
    const { number, label, target } = one;
    if (isBeside && target.length > 0) {
      const spans = joined([number, label, blank(column - label.width)], target);
      return [{ spans, width: lead + column + totalWidth(target) }];
    }
    const fits = lead + label.width <= width;
    const [first, ...others] = fits ? wrap([label], label.width) : wrap([label], Math.max(8, width - below - NESTED));
    return [
      ...hang([number], first === undefined ? [] : [first]),
      ...indent(others, below + NESTED),
      ...(target.length === 0 ? [] : indent(wrap(target, width - below), below)),
    ];
  });
}

/** A line without the network that is asked where none is named. */
function withoutNetwork(line: string, usual: string | undefined): string {
  return usual === undefined ? line : line.replace(/ network:(\S+)/u, (all, one) => (one === usual ? "" : all));
}

/** The command line of a button. Of its ids the beginning is enough, and can be typed on any keyboard. */
function lineSpans(
  action: Extract<ButtonAction, { invocation: unknown }>,
  room: number,
  inShell: InShell,
  usual: string | undefined,
): Span[] {
  const { command, options } = action.invocation;
  const typed = Object.entries(options).map(([name, value]) => [
    name,
    typeof value === "string" ? shortIds(asTyped(value)) : value,
  ]);
  const line = typedSpan(
    withoutNetwork(formatLine({ command, options: Object.fromEntries(typed) }), usual),
    room,
    inShell,
  );
  // In a shell nothing asks first, and a form is a line that its typist completes.
  if (inShell !== undefined) return action.form === true ? [line, span(" (edit it first)", "dim")] : [line];
  return action.confirm === undefined ? [line] : [line, span(" (asks first)", "dim")];
}

function shortIds(typed: string): string {
  return typed.replaceAll(LONG_ID, (id) => id.slice(0, 8));
}

/** A command line as it is typed here, with the ends of its ids where there is no room for more. */
export function typedSpan(line: string, room: number, inShell: InShell): Span {
  const whole = wholeSpan(visibleText(inShell?.(line) ?? line), "code");
  return whole.width <= room ? whole : wholeSpan(whole.text.replaceAll(LONG_ID, shortenId), "code");
}

const LONG_ID = /\b[0-9a-f]{64}\b/giu;
