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
}

const NESTED = 2;

/** How the prompt is started in a shell. */
const ASK = "npm run -s ask";
/** What is asked for its file alone, which a shell gets by an option. */
const FILES = /^ledger (?:export|fetch) /u;

/**
 * A command line as a shell takes it: `npm run -s ask -- "market list"`, for the network that was asked for by an option;
 * the usual one is not named.
 */
export function shellLine(given: string, network: string | undefined, usual?: string): string {
  const line =
    network === undefined ? given.replace(/ network:(\S+)/u, (all, one) => (one === usual ? "" : all)) : given;
  const quoted = /["$`\\!]/u.test(line) ? `'${line.replaceAll("'", String.raw`'\''`)}'` : `"${line}"`;
  const own = network === undefined || /\bnetwork:/u.test(line) ? "" : `--network ${network} `;
  return `${ASK} -- ${own}${quoted}${FILES.test(line) ? " --out exports" : ""}`;
}

/** More of one choice fill a screen, those for a shell sooner. The numbers of the others stay theirs; Tab offers them. */
const MAX_PICKS = 8;
const MAX_SHELL_PICKS = 5;

/** A button with the number that presses it, or how to see those of a choice that are not shown. */
type ActionEntry =
  | { readonly number: number; readonly action: ButtonAction }
  | { readonly more: number; readonly typed: string };

/** Where a choice is called like another button, each of its kind says what is chosen: `Help about: time`. */
function actionEntries(actions: readonly Action[], most: number, numbered: number): readonly ActionEntry[] {
  const all: ActionEntry[] = [];
  let before = numbered;
  for (const action of actions) {
    if (!("choices" in action)) {
      all.push({ number: ++before, action });
      continue;
    }
    const buttons = asButtons([action]);
    const others = new Set(asButtons(actions.filter((one) => one !== action)).map(({ label }) => label));
    const isTaken = buttons.some(({ label }) => others.has(label));
    const asks = action.choices.map(({ invocation }) => invocation);
    const entries = buttons.map((one) => ({
      number: ++before,
      action: isTaken ? { ...one, label: `${action.label}: ${one.label}` } : one,
    }));
    all.push(...entries.slice(0, most));
    if (entries.length <= most) continue;
    all.push({
      more: entries.length - most,
      typed: beginningOf(asks),
    });
  }
  return all;
}

/** What the lines of a choice begin with: `stake party:`, where they differ in the party alone. */
function beginningOf(asks: readonly Ask[]): string {
  const { ask, name } = templateOf(asks);
  return name === undefined ? ask.command : `${formatLine(ask)} ${name}:`;
}

/** What all of these ask, and the one value in which they differ; left out where they differ in more. */
function templateOf([first, ...others]: readonly Ask[]): { readonly ask: Ask; readonly name?: string | undefined } {
  const { command = "", options = {} } = first ?? {};
  const [name, ...more] = Object.keys(options).filter((one) => others.some((ask) => ask.options[one] !== options[one]));
  if (name === undefined || more.length > 0) return { ask: { command, options } };
  const { [name]: _, ...same } = options;
  return { ask: { command, options: same }, name };
}

/**
 * A choice as a shell takes it: its first values, one to a line, and the line that takes any of them, once. Undefined where
 * its lines differ in more than one value.
 */
function shellChoice({ choices }: Choice, width: number, inShell: InShell): Line[] | undefined {
  const asks = choices.map(({ invocation }) => invocation);
  const { name } = templateOf(asks);
  if (inShell === undefined || name === undefined) return undefined;
  const typed = beginningOf(asks);
  const line = wholeSpan(visibleText(inShell(typed + name.toUpperCase())), "code");
  const rows = choices.slice(0, MAX_SHELL_PICKS).map((one) => {
    const value = shortIds(asTyped(String(one.invocation.options[name])));
    return dataSpan(one.label.includes(value) ? one.label : `${value} · ${one.label}`);
  });
  const more = choices.length - rows.length;
  return [
    ...rows.flatMap((row) => wrap([row], width)),
    ...wrap([line], width),
    ...(more > 0 ? moreLines({ more, typed }, width, true) : []),
  ];
}

/** A further choice in a shell: the line that takes any of its values. */
function templateAction(action: Action): Action {
  if (!("choices" in action)) return action;
  const { choices, effect, label } = action;
  const { ask, name } = templateOf(choices.map(({ invocation }) => invocation));
  if (name === undefined) return action;
  const options = { ...ask.options, [name]: name.toUpperCase() };
  return { label: `${label} (${choices.length})`, invocation: { ...ask, options }, effect };
}

type Choice = Extract<Action, { choices: unknown }>;

/**
 * The numbers, the labels and the lines of buttons are a column each; a line without room stands below its label. A shell
 * has no numbers, and of what may be chosen one line to copy.
 */
export function actionLines(given: readonly Action[], width: number, options: ActionOptions): Line[] {
  const { links, before = 0, inShell } = options;
  const first = given.find((one) => "choices" in one);
  const list = first && "choices" in first ? shellChoice(first, width, inShell) : undefined;
  const others = list === undefined ? given : given.filter((one) => one !== first);
  const actions = inShell === undefined ? given : others.map(templateAction);
  const entries = actionEntries(actions, inShell === undefined ? MAX_PICKS : MAX_SHELL_PICKS, before);
  const numberOf = (number: number): string => (inShell === undefined ? `[${number}] ` : "");
  const lead = entries.reduce((most, one) => ("more" in one ? most : Math.max(most, numberOf(one.number).length)), 0);
  const below = Math.max(lead, NESTED);
  const shown = entries.map((entry) =>
    "more" in entry
      ? entry
      : {
          number: span(numberOf(entry.number).padEnd(lead), "dim"),
          label: dataSpan(entry.action.label),
          target:
            "url" in entry.action
              ? linkSpans("", entry.action.url, links)
              : lineSpans(entry.action, width - below, inShell),
        },
  );
  const column = shown.reduce(
    (most, one) => ("label" in one && one.label.width <= width / 2 ? Math.max(most, one.label.width + 2) : most),
    0,
  );
  const lines: Line[] = [...(list ?? [])];
  for (const one of shown) {
    if ("more" in one) {
      lines.push(...moreLines(one, width, inShell !== undefined));
      continue;
    }
    const { number, label, target } = one;
    const needed = lead + column + totalWidth(target);
    if (target.length > 0 && label.width < column && needed <= width)
      lines.push({ spans: joined([number, label, blank(column - label.width)], target), width: needed });
    else {
      for (const line of hang([number], wrap([label], Math.max(8, width - lead)))) lines.push(line);
      for (const line of target.length === 0 ? [] : indent(wrap(target, width - below), below)) lines.push(line);
    }
  }
  return lines;
}

function moreLines(
  { more, typed }: { readonly more: number; readonly typed: string },
  width: number,
  isShell: boolean,
): Line[] {
  const by = isShell ? 0 : 4;
  const how = [
    ...(isShell ? [span(" at the prompt, ", "dim"), wholeSpan(ASK, "code")] : []),
    span(": type ", "dim"),
    dataSpan(typed, "code"),
    span(" and Tab", "dim"),
  ];
  return indent(wrap([span(`${more} more`, "dim"), ...how], width - by), by);
}

/** The command line of a button. Of its ids the beginning is enough, and can be typed on any keyboard. */
function lineSpans(action: Extract<ButtonAction, { invocation: unknown }>, room: number, inShell: InShell): Span[] {
  const { command, options } = action.invocation;
  const typed = Object.entries(options).map(([name, value]) => [
    name,
    typeof value === "string" ? shortIds(asTyped(value)) : value,
  ]);
  const line = typedSpan(formatLine({ command, options: Object.fromEntries(typed) }), room, inShell);
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
