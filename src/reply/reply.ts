// The document model of answers and alerts, without presentation; adapters render it. Read next: document.ts (all of it
// but files), text.ts and block.ts (make it), attachment.ts, message-files.ts; fold.ts (what people
// read first); then its other forms: csv.ts, json.ts, plain-text.ts, full-text.ts.

import type { Attachment } from "./attachment.ts";
import type { Action, Ask, Document, Invalidates } from "./document.ts";
import { toText, type TextPart } from "./text.ts";

export type { Action, Ask } from "./document.ts";
export type Tone = Document["tone"];

/** Content without form. Each adapter renders it for its platform, whole or with a note of what it left out. */
export interface Reply extends Document {
  readonly picture?: Attachment;
  readonly attachments: readonly Attachment[];
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

/** A reply as everybody may see it: without what others would not see to be done. */
export function forEverybody(given: Reply): Reply {
  return keepActions(given, (action) => !("invalidates" in action));
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

/** Disposes of every file of a reply; never rejects. */
export async function disposeReply(given: Reply): Promise<void> {
  const files = given.picture === undefined ? given.attachments : [...given.attachments, given.picture];
  await Promise.allSettled(files.map((file) => file.dispose()));
}
