// The document model of answers and alerts, without presentation; adapters render it. Read next: text.ts (inline text),
// block.ts (paragraphs, fields, lists, tables), attachment.ts; then its other forms: csv.ts, json.ts, plain-text.ts,
// full-text.ts.

import type { Attachment } from "./attachment.ts";
import type { Block } from "./block.ts";
import { toText, type Text, type TextPart } from "./text.ts";

export type Tone = "neutral" | "good" | "warning" | "bad";

/** A command with its option values: the content of a button, or of a typed line. */
export interface Ask {
  readonly command: string;
  readonly options: Readonly<Record<string, string | number | boolean>>;
}

/** A button: a prepared invocation, or a link. */
export type Action =
  | {
      readonly label: string;
      readonly invocation: Ask;
      /** `replace` shows the answer in place of this reply (pages, refresh), `reply` below it. */
      readonly effect: "replace" | "reply";
      /** The question to ask first, for destructive commands. */
      readonly confirm?: string;
    }
  | { readonly label: string; readonly url: string };

/** Content without form. Each adapter renders it for its platform, whole or with a note of what it left out. */
export interface Reply {
  readonly tone: Tone;
  readonly title: Text;
  readonly url?: string;
  readonly blocks: readonly Block[];
  /** The time and source of the data; renderers show it last and small. */
  readonly footer?: Text;
  readonly picture?: Attachment;
  readonly attachments: readonly Attachment[];
  readonly actions: readonly Action[];
  /** Who can fix the failure that the reply reports; absent if it reports none. `network` is the data node's. */
  readonly failure?: "caller" | "network" | "bug";
}

/** Creates a reply; parts with common defaults may be omitted. */
export function reply(parts: {
  title: TextPart;
  tone?: Tone;
  url?: string;
  blocks?: readonly Block[];
  footer?: TextPart;
  picture?: Attachment;
  attachments?: readonly Attachment[];
  actions?: readonly Action[];
  failure?: "caller" | "network" | "bug";
}): Reply {
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

/** Disposes of every file of a reply; never rejects. */
export async function disposeReply(given: Reply): Promise<void> {
  const files = given.picture === undefined ? given.attachments : [...given.attachments, given.picture];
  await Promise.allSettled(files.map((file) => file.dispose()));
}
