// The document as one schema: every type of it, and a reply's JSON, are inferred from here. A time is a decimal string,
// so that a document is JSON as it stands.

import { z } from "zod";

import { Scene } from "./chart.ts";

/** What a schema infers, for reading only. */
export type Immutable<T> = { readonly [K in keyof T]: Immutable<T[K]> };

/** One run of text with a meaning. Its content is data: each renderer escapes it in its own syntax. */
export const Inline = z.discriminatedUnion("kind", [
  /** With `detail`, only the whole reply says it: the normal state, for instance. */
  z.object({
    kind: z.literal("text"),
    text: z.string(),
    detail: z.literal(true).exactOptional(),
    /** The point in time, in Unix nanoseconds, at which the clock of a named zone shows this text; files have it in UTC. */
    at: z
      .string()
      .regex(/^-?\d+$/u)
      .exactOptional(),
  }),
  z.object({ kind: z.literal("strong"), text: z.string() }),
  /** An exact number in `text`; above the fold people read `short`, with no more digits than they need. */
  z.object({ kind: z.literal("number"), text: z.string(), short: z.string() }),
  /**
   * Something to copy: an id, a hash, a command line. With `id`, a narrow renderer may show its ends and keep the whole
   * one a tap away. With `command`, it is a line to type, without the prefix or the mention that a platform has for it.
   * With `detail`, only the whole reply says it: the id of what a name tells.
   */
  z.object({
    kind: z.literal("code"),
    text: z.string(),
    id: z.literal(true).exactOptional(),
    command: z.literal(true).exactOptional(),
    detail: z.literal(true).exactOptional(),
    /** The text is the id of a channel or a role: that platform shows its name instead. */
    names: z.object({ what: z.enum(["channel", "role"]), platform: z.string() }).exactOptional(),
  }),
  z.object({ kind: z.literal("link"), text: z.string(), url: z.string() }),
  /**
   * A point in time, shown in the reader's own zone where the platform can; with style "utc", in a file, in UTC. "clock" is
   * the time of day alone, where the reply says of which day.
   */
  z.object({
    kind: z.literal("time"),
    /** Unix nanoseconds in decimal. */
    at: z.string().regex(/^-?\d+$/u),
    style: z.enum(["absolute", "relative", "both", "clock", "utc"]),
  }),
  /**
   * Somebody: a mention on the platform that gave the id, the name in `text` everywhere else. On Discord no reply pings.
   * On Slack a new message with it does; nothing is documented of an edit, so that it may name only who expects it.
   */
  z.object({ kind: z.literal("person"), text: z.string(), platform: z.string(), id: z.string() }),
]);
export type Inline = Immutable<z.infer<typeof Inline>>;

const Text = z.array(Inline);
export type Text = Immutable<z.infer<typeof Text>>;

/** One value with its name. */
const Field = z.object({
  name: Text,
  value: Text,
  /** Asks for a line of its own where fields stand side by side. */
  wide: z.literal(true).exactOptional(),
});
export type Field = Immutable<z.infer<typeof Field>>;

const Column = z.object({
  title: z.string(),
  /** Numbers stand to the right. */
  align: z.enum(["left", "right"]).exactOptional(),
  /**
   * How much a phone needs it: 1 is needed in each row, higher ones are dropped first. Default 1.
   * The CSV holds every column.
   */
  priority: z.literal([1, 2, 3]).exactOptional(),
  /** It says something only where its rows differ. */
  varies: z.literal(true).exactOptional(),
});
export type Column = Immutable<z.infer<typeof Column>>;

/** A command with its option values: the content of a button, or of a typed line. */
export const Ask = z.object({
  command: z.string(),
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
export type Ask = Immutable<z.infer<typeof Ask>>;

/** `replace` shows the answer in place of this reply (pages, refresh), `reply` below it. */
const Effect = z.enum(["replace", "reply"]);

/**
 * Set where a press makes this reply out of date. `true`: the answer takes its place. A question: the answer stands below,
 * and this reply is asked again. Where others see the reply it is not offered, since they would not see that it is done;
 * but what an offer (`asks`) is for is offered to all of them.
 */
export const Invalidates = z.union([z.literal(true), Ask]);
export type Invalidates = Immutable<z.infer<typeof Invalidates>>;

/**
 * What every block may say. `detail`: it stands below the fold, where the headline and the facts do not need it; `page`
 * names the page of the details on which it stands.
 */
const inAnyBlock = { detail: z.literal(true).exactOptional(), page: z.string().exactOptional() };

export const Block = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("paragraph"), text: Text, ...inAnyBlock }),
  /** Above the fold at most six of them in a reply: the facts. */
  z.object({ kind: z.literal("fields"), title: Text.exactOptional(), fields: z.array(Field), ...inAnyBlock }),
  z.object({ kind: z.literal("list"), title: Text.exactOptional(), items: z.array(Text), ...inAnyBlock }),
  z.object({
    kind: z.literal("table"),
    ...inAnyBlock,
    title: Text.exactOptional(),
    columns: z.array(Column),
    rows: z.array(z.array(Text)),
    /** Base name of the CSV that carries all rows when a platform cannot show them all: `market-bounds`. */
    name: z.string(),
    /** How many rows there are beyond this reply, where known: "20 of 1,204 shown". */
    total: z.number().exactOptional(),
    /** So many of its rows stand above the fold; left out = all. */
    fold: z.number().exactOptional(),
    /** Shown when there is no row. */
    empty: Text.exactOptional(),
    /** What can be done with each row, which its first cell names: a button beside it, or a choice below the table. */
    rowAction: z
      .object({
        label: z.string(),
        invocations: z.array(Ask),
        /** What a choice names them by, where there are more than rows: the first cells of all. */
        labels: z.array(z.string()).exactOptional(),
        effect: Effect,
        invalidates: Invalidates.exactOptional(),
      })
      .exactOptional(),
  }),
  /** Text as it is, in a fixed-width face: a JSON detail, or with `command` a line to type. */
  z.object({
    kind: z.literal("code"),
    text: z.string(),
    language: z.string().exactOptional(),
    command: z.literal(true).exactOptional(),
    ...inAnyBlock,
  }),
  /** A picture: what it shows, and the same in words for those who do not see it. Its numbers are a table beside it. */
  z.object({ kind: z.literal("chart"), scene: Scene, alt: z.string(), ...inAnyBlock }),
]);
export type Block = Immutable<z.infer<typeof Block>>;
export type Table = Extract<Block, { kind: "table" }>;

/** A prepared invocation: a button, or one of a choice. */
const Prepared = z.object({ label: z.string(), invocation: Ask });

const Action = z.union([
  Prepared.extend({
    effect: Effect,
    /** The question to ask first, for destructive commands. */
    confirm: z.string().exactOptional(),
    invalidates: Invalidates.exactOptional(),
    /** The command is not run: its form opens with these values, else its line, to be changed and sent. */
    form: z.literal(true).exactOptional(),
    /** What that form says below fields in place of their own hints, by option: present values. */
    hints: z.record(z.string(), z.string()).exactOptional(),
  }),
  z.object({ label: z.string(), url: z.string() }),
  /** One of several of one kind: pages, versions, topics, what an ambiguous word may mean. The label asks for it. */
  z.object({ label: z.string(), choices: z.array(Prepared), effect: Effect, invalidates: Invalidates.exactOptional() }),
]);
export type Action = Immutable<z.infer<typeof Action>>;

/** All of a reply but its files. */
export const Document = z.object({
  tone: z.enum(["neutral", "good", "warning", "bad"]),
  /** The headline: one sentence that answers. */
  title: Text,
  url: z.string().exactOptional(),
  blocks: z.array(Block),
  /** The time and source of the data; renderers show it last and small. */
  footer: Text.exactOptional(),
  actions: z.array(Action),
  /** The zone that whoever asked chose, where it is not UTC: a surface that draws no times in the reader's zone shows them by its clock. */
  zone: z.string().exactOptional(),
  /** Who can fix the failure that the reply reports; absent if it reports none. `network` is the data node's. */
  failure: z.enum(["caller", "network", "bug"]).exactOptional(),
  /** It asks back, and answers nothing yet: there is nothing to refresh or to share. */
  asks: z.literal(true).exactOptional(),
  /** The sentence under the headline that came after the answer was given. */
  added: Text.exactOptional(),
});
export type Document = Immutable<z.infer<typeof Document>>;

const AttachmentJson = z.object({
  name: z.string(),
  mediaType: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  alt: z.string().exactOptional(),
  /** The location of the bytes: a path on this server, or a file. */
  href: z.string().exactOptional(),
});
export type AttachmentJson = Immutable<z.infer<typeof AttachmentJson>>;

/** A reply as JSON: for `--json`, POST /api/invocations and the server-sent alerts. */
export const ReplyJson = Document.extend({
  /** The title as plain text. */
  headline: z.string(),
  picture: AttachmentJson.exactOptional(),
  attachments: z.array(AttachmentJson),
});
export type ReplyJson = Immutable<z.infer<typeof ReplyJson>>;
