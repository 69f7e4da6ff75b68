import { Readable } from "node:stream";

import { z } from "zod";

import type { Attachment } from "../../../reply/attachment.ts";
import { Ask, type AttachmentJson, type Immutable, ReplyJson } from "../../../reply/document.ts";
import { replyFromJson, replyToJson } from "../../../reply/json.ts";
import type { Reply } from "../../../reply/reply.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import type { MessageContext } from "./buttons.ts";

/** How long Details, Less and Share work. */
export const KEPT_MILLIS: Milliseconds = 86_400_000;

const KeptPayload = z.object({
  v: z.literal("1"),
  kept: z.object({
    /** Its files by name alone: they are on the message. */
    reply: ReplyJson,
    asker: z.string().optional(),
    ask: Ask.optional(),
    shareable: z.boolean().optional(),
    /** Unix milliseconds of the answer. */
    at: z.number(),
  }),
});

/** A reply kept for Details, Less and Share, and the context of its message. */
export interface KeptReply {
  readonly reply: Reply;
  readonly context: MessageContext;
  /** Unix milliseconds of the answer. */
  readonly at: Milliseconds;
}

/** The stored form of a reply, without the bytes of its files. */
export function keptPayload({ reply, context: { asker, ask, shareable }, at }: KeptReply): unknown {
  const kept: Immutable<z.infer<typeof KeptPayload>>["kept"] = { reply: replyToJson(reply), asker, ask, shareable, at };
  return { v: "1", kept };
}

/** The kept reply in a stored payload; undefined for one of another version. Its files cannot be opened. */
export function parseKeptPayload(payload: unknown): KeptReply | undefined {
  const parsed = KeptPayload.safeParse(payload);
  if (!parsed.success) return undefined;
  const { reply, at, ...context } = parsed.data.kept;
  return { reply: replyFromJson(reply, namedFile), context: { ...context, keeps: true }, at };
}

function namedFile({ name, mediaType, sizeBytes, sha256, alt }: AttachmentJson): Attachment {
  const more = alt === undefined ? {} : { alt };
  return { name, mediaType, sizeBytes, sha256, ...more, open: () => Readable.from([]), dispose: async () => {} };
}
