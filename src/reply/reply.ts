// The document model of answers and alerts, without presentation; adapters render it. Read next: document.ts (all of it
// but files), text.ts and block.ts (make it), fold.ts (what people read first); then its other forms: csv.ts, json.ts, plain-text.ts, full-text.ts.

import { createHash } from "node:crypto";
import { Readable } from "node:stream";

import { localText } from "../units/local-time.ts";
import { formatUtc, fromMillis, type Nanoseconds, toMillis } from "../units/time.ts";
import { mapValues, type Table } from "./block.ts";
import type { Action, Ask, Document, Invalidates } from "./document.ts";
import { clockTime, type Inline, type Text, type TextPart, time, timeOf, toText } from "./text.ts";
import { formatCount } from "../units/format-number.ts";

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
  /** It stands for the answer to this, which the asker alone may see: a place that shows them that alone asks it at once. */
  readonly alone?: Ask;
  /** It tells everybody in the channel of a change, in place of an announcement. */
  readonly told?: true;
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

/**
 * A reply as everybody may see it: without what others would not see to be done. An offer stays whole, and so does what is
 * told of a change: whoever may takes it back there.
 */
export function forEverybody(given: Reply): Reply {
  return given.asks === true || given.told === true
    ? given
    : keepActions(given, (action) => !("invalidates" in action));
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
  let isWhole = true;
  mapTimes(given, (one) => {
    isWhole &&= toMillis(timeOf(one)) % 60_000 === 0;
    return [one];
  });
  // Where no time has seconds, none says them.
  const shown = (words: string): string => (isWhole ? words.replace(/^(\d{4}-\S+ \d\d:\d\d):00$/u, "$1") : words);
  return mapTimes(given, (one) => [clockTime(timeOf(one), shown(momentWords(one, zone)))]);
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

/** A file of a reply. Its bytes may be on disk: `open` can be called any number of times until `dispose`. */
export interface Attachment {
  /** A plain file name, no path: letters, digits, dot, dash, underscore. */
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** A description of a picture, for readers who do not see it. */
  readonly alt?: string;
  open(): Readable;
  /**
   * The same rows in numbered parts of at most so many bytes, each a whole file with the header. Left out where a file
   * cannot be cut. The parts are readable until this file is disposed of.
   */
  split?(maxBytes: number): Promise<readonly Attachment[]>;
  /** Called with an archive that a platform made of this file, alone or with others. Must not throw. */
  onPacked?(archive: Pick<Attachment, "name" | "mediaType" | "sizeBytes" | "sha256">): void;
  /** Frees the bytes. Safe to call twice; the adapter calls it once the reply is delivered or abandoned. */
  dispose(): Promise<void>;
}

/** A platform's limits for the files of a message. */
export interface FileLimits {
  readonly maxBytes: number;
  readonly maxCount: number;
  /** Of all files of a message together; left out = as many as there are. */
  readonly maxTotalBytes?: number;
}

/** An attachment whose bytes are held in memory; for small things only. */
export function memoryAttachment(
  name: string,
  mediaType: string,
  content: string | Uint8Array,
  more: { alt?: string } = {},
): Attachment {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return {
    name: safeFileName(name),
    mediaType,
    sizeBytes: bytes.byteLength,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    ...more,
    open: () => Readable.from([bytes]),
    dispose: async () => {},
  };
}

/** The longest name of a file. */
export const MAX_NAME_CHARACTERS = 120;

/** A file name without a path: letters, digits, dot, dash and underscore, at most 120 characters. */
export function safeFileName(name: string): string {
  const cleaned = name.replaceAll(/[^\w.-]+/gu, "-").replace(/^[.-]+/u, "");
  return cleaned === "" ? "file" : cleaned.slice(0, MAX_NAME_CHARACTERS);
}

/** A file of a message, under the name it has there. */
export interface MessageFile {
  readonly name: string;
  /** The description of a picture; undefined where nobody would see any. */
  readonly alt: string | undefined;
  readonly attachment: Attachment;
}

export function messageFile(name: string, attachment: Attachment): MessageFile {
  const alt = attachment.alt?.toWellFormed().trim();
  return { name, alt: alt === "" ? undefined : alt, attachment };
}

/**
 * Names the files of a message: those of its reply, the CSV of each table by the table's place, and what else there is.
 * The names are safe, and different from each other whatever their case: `ledger-2.csv` where `ledger.csv` is taken. A
 * table whose CSV is among the reply's own files has that one.
 */
export function nameFiles(reply: Reply): {
  readonly given: readonly MessageFile[];
  readonly csvNames: readonly string[];
  /** Says by the table's place how much of it its CSV has: `all of it in stake.csv`. */
  readonly held: readonly string[];
  readonly add: (wanted: string) => string;
} {
  const taken = new Set<string>();
  const add = (wanted: string): string => {
    const safe = safeFileName(wanted);
    const dot = safe.lastIndexOf(".");
    const [base, extension] = dot > 0 ? [safe.slice(0, dot), safe.slice(dot)] : [safe, ""];
    let name = safe;
    for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = `${base}-${count}${extension}`;
    taken.add(name.toLowerCase());
    return name;
  };
  const attachments = [...reply.attachments, ...(reply.picture === undefined ? [] : [reply.picture])];
  const given = attachments.map((attachment) => messageFile(add(attachment.name), attachment));
  const csvs = reply.blocks.map((block) => {
    if (block.kind !== "table") return { name: "", held: "" };
    const { rows, total = 0 } = block;
    const own = ownCsv(reply, block);
    const name = given.find(({ attachment }) => attachment === own)?.name ?? add(csvName(block));
    const most = own === undefined && total > rows.length ? `${formatCount(rows.length)} rows` : "all of it";
    return { name, held: `${most} in ${name}` };
  });
  return { given, csvNames: csvs.map(({ name }) => name), held: csvs.map(({ held }) => held), add };
}

/** The file of the reply that is the CSV of this table: it may have more rows, and columns, than people are shown. */
export function ownCsv({ attachments }: Reply, table: Table): Attachment | undefined {
  return attachments.find(({ name }) => name === csvName(table));
}

function csvName({ name }: Table): string {
  return `${name === "" ? "table" : name}.csv`;
}

/** The files as the console's preview of a message lists them. */
export function previewFiles(files: readonly MessageFile[]) {
  return files.map(({ name, alt, attachment: { sizeBytes, mediaType, sha256 } }) => ({
    name,
    ...(alt === undefined ? {} : { alt }),
    sizeBytes,
    mediaType,
    sha256,
  }));
}
