// The document model of answers and alerts, without presentation; adapters render it. Read next: document.ts (all of it
// but files), text.ts and block.ts (make it), attachment.ts, message-files.ts; fold.ts (what people
// read first); then its other forms: csv.ts, json.ts, plain-text.ts, full-text.ts.

import { localText } from "../units/local-time.ts";
import { formatUtc, fromMillis, type Nanoseconds, toMillis } from "../units/time.ts";
import type { Attachment } from "./attachment.ts";
import { mapValues } from "./block.ts";
import type { Action, Ask, Document, Invalidates } from "./document.ts";
import { clockTime, type Inline, type Text, time, timeOf, toText, type TextPart } from "./text.ts";

export type { Action, Ask } from "./document.ts";
export type Tone = Document["tone"];

/** Content without form. Each adapter renders it for its platform, whole or with a note of what it left out. */
export interface Reply extends Document {
  readonly picture?: Attachment;
  readonly attachments: readonly Attachment[];
  /**
   * What it becomes after it was sent; undefined where nothing is added. Begun by a surface that can still change what it
   * sent. Of the bot's answers it ends within ten seconds, or at the signal, and never rejects.
   */
  readonly later?: (signal: AbortSignal) => Promise<Reply | undefined>;
  /** The option whose value is wrong or missing, of a mistake that another value mends. */
  readonly wrong?: string;
}

/** Creates a reply; parts with common defaults may be omitted. */
export function reply(
  parts: Partial<Omit<Reply, "title" | "footer">> & { readonly title: TextPart; readonly footer?: TextPart },
): Reply {
  const { title, footer, ...rest } = parts;
  return {
    tone: "neutral",
    blocks: [],
    attachments: [],
    actions: [],
    ...rest,
    title: toText(title),
    ...(footer === undefined ? {} : { footer: toText(footer) }),
  };
}

/** A reply with a sentence under its headline that came later, and buttons behind its own. */
export function amended(given: Reply, added: Text, actions: readonly Action[] = []): Reply {
  const { later: _, ...rest } = given;
  const blocks: Reply["blocks"] = [{ kind: "paragraph", text: added }, ...given.blocks];
  return { ...rest, added, blocks, actions: [...given.actions, ...actions] };
}

/** A changed reply; what it becomes later is changed alike. */
export function alsoLater(given: Reply, change: (one: Reply) => Reply): Reply {
  const { later } = given;
  const changed = change(given);
  if (later === undefined) return changed;
  const changedLater = async (signal: AbortSignal): Promise<Reply | undefined> => {
    const amendment = await later(signal);
    return amendment && change(amendment);
  };
  return { ...changed, later: changedLater };
}

/** Options without those that are undefined. */
export function givenOptions<V>(options: Readonly<Record<string, V | undefined>>): Record<string, V> {
  const given: Record<string, V> = {};
  for (const [name, value] of Object.entries(options)) if (value !== undefined) given[name] = value;
  return given;
}

/** A button that runs a command; options that are undefined are left out. `replace`: its answer takes this one's place. */
export function commandAction(
  label: string,
  command: string,
  options: Readonly<Record<string, string | number | boolean | undefined>> = {},
  effect: "replace" | "reply" = "reply",
): Action {
  return { label, invocation: { command, options: givenOptions(options) }, effect };
}

/** A button that runs a command which makes this reply out of date. */
export function invalidatingAction(
  label: string,
  command: string,
  options: Ask["options"],
  invalidates: Invalidates = true,
): Action {
  return { label, invocation: { command, options }, effect: "reply", invalidates };
}

/** A reply as everybody may see it: without what others would not see to be done. An offer stays whole. */
export function forEverybody(given: Reply): Reply {
  return given.asks === true ? given : keepActions(given, (action) => !("invalidates" in action));
}

/** A reply with some of its actions alone; of a table's, those that stay as well. */
export function keepActions(given: Reply, stays: (action: object) => boolean): Reply {
  return {
    ...given,
    blocks: given.blocks.map((block) => {
      if (block.kind !== "table" || block.rowAction === undefined || stays(block.rowAction)) return block;
      const { rowAction: _, ...table } = block;
      return table;
    }),
    actions: given.actions.filter(stays),
  };
}

/** This many invocations of one kind, or more, become one choice. */
const CHOICE_FROM = 3;

/** Prepared invocations of one kind: a button each while they are few, else one choice under the label. */
export function buttonsOrChoice(
  label: string,
  prepared: readonly { readonly label: string; readonly invocation: Ask }[],
  effect: "replace" | "reply",
): Action[] {
  return prepared.length < CHOICE_FROM
    ? prepared.map((one) => ({ ...one, effect }))
    : [{ label, choices: prepared, effect }];
}

/** The same for values of one kind, by what is asked with each of them. */
export function choiceActions(
  label: string,
  values: readonly { readonly label: string; readonly value: string }[],
  askWith: (value: string) => Ask,
  effect: "replace" | "reply" = "reply",
): Action[] {
  const prepared = values.map((one) => ({ label: one.label, invocation: askWith(one.value) }));
  return buttonsOrChoice(label, prepared, effect);
}

/** A question back, with what may be pressed: nothing is wrong. */
export function askedBack(title: TextPart, blocks: Reply["blocks"], actions: readonly Action[]): Reply {
  return reply({ asks: true, title, blocks, actions: [...actions] });
}

/** Disposes of every file of a reply; never rejects. */
export async function disposeReply(given: Reply): Promise<void> {
  const files = given.picture === undefined ? given.attachments : [...given.attachments, given.picture];
  await Promise.allSettled(files.map((file) => file.dispose()));
}

// An answer has one zone. Where its words name one, all its times stand by the clock of that zone; elsewhere each surface
// that draws times shows the reader's own.

/** A run that is a time. */
export type Moment = Extract<Inline, { kind: "time" }>;

/** A reply with other words for its times; ages stay as they are. */
export function mapTimes(given: Reply, change: (time: Moment) => Text): Reply {
  const changed = (content: Text): Text =>
    content.some(isMoment) ? content.flatMap((one) => (isMoment(one) ? change(one) : [one])) : content;
  return {
    ...given,
    title: changed(given.title),
    blocks: given.blocks.map((block) => mapValues(block, changed)),
    ...(given.footer === undefined ? {} : { footer: changed(given.footer) }),
  };
}

/** Whether it is a moment, not an age. */
export function isMoment(inline: Inline): inline is Moment {
  return inline.kind === "time" && inline.style !== "relative";
}

/** A reply whose words name a zone, with all its times by the clock of that zone. */
export function inZone(given: Reply, zone: string): Reply {
  return mapTimes(given, (one) => [clockTime(timeOf(one), momentWords(one, zone))]);
}

/** A moment by the clock of a zone: the whole of it, or the time of day. */
export function momentWords(moment: Moment, zone: string): string {
  const words = clockWords(timeOf(moment), zone);
  return moment.style === "clock" && /^\d{4}-/u.test(words) ? words.slice(11, 16) : words;
}

/** `2026-05-01 18:00:00` by the clock of a zone; what no calendar holds as it is. */
export function clockWords(at: Nanoseconds, zone: string): string {
  const utc = formatUtc(at);
  if (!utc.endsWith(" UTC")) return utc;
  return zone === "UTC" || !/^\d{4}-/u.test(utc) ? utc.slice(0, -" UTC".length) : localText(zone, toMillis(at), 19);
}

/** A time that words have in UTC: `2026-05-01 18:00:00 UTC`. */
const UTC_WORDS = /(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}) UTC/gu;

/** Words that were kept as plain text, with their times as times again. */
export function withTimes(words: string): Text {
  const content: Inline[] = [];
  let end = 0;
  for (const match of words.matchAll(UTC_WORDS)) {
    const millis = Date.parse(`${match[1]}T${match[2]}Z`);
    if (Number.isNaN(millis)) continue;
    if (match.index > end) content.push({ kind: "text", text: words.slice(end, match.index) });
    content.push(time(fromMillis(millis)));
    end = match.index + match[0].length;
  }
  if (end < words.length) content.push({ kind: "text", text: words.slice(end) });
  return content;
}
