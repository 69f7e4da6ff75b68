import { z } from "zod";

import { nanoseconds } from "../units/nanoseconds.ts";
import type { Attachment } from "./attachment.ts";
import type { Reply } from "./reply.ts";

const InlineJson = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["text", "strong"]), text: z.string() }),
  z.object({ kind: z.literal("code"), text: z.string(), id: z.literal(true).exactOptional() }),
  z.object({ kind: z.literal("link"), text: z.string(), url: z.string() }),
  z.object({
    kind: z.literal("time"),
    /** Unix nanoseconds in decimal. */
    at: z.string().regex(/^-?\d+$/u),
    style: z.enum(["absolute", "relative", "both"]),
  }),
]);
const TextJson = z.array(InlineJson);

const BlockJson = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("paragraph"), text: TextJson }),
  z.object({
    kind: z.literal("fields"),
    title: TextJson.exactOptional(),
    fields: z.array(z.object({ name: TextJson, value: TextJson, wide: z.literal(true).exactOptional() })),
  }),
  z.object({ kind: z.literal("list"), title: TextJson.exactOptional(), items: z.array(TextJson) }),
  z.object({
    kind: z.literal("table"),
    title: TextJson.exactOptional(),
    columns: z.array(
      z.object({
        title: z.string(),
        align: z.enum(["left", "right"]).exactOptional(),
        priority: z.union([z.literal(1), z.literal(2), z.literal(3)]).exactOptional(),
      }),
    ),
    rows: z.array(z.array(TextJson)),
    name: z.string(),
    total: z.number().exactOptional(),
    empty: TextJson.exactOptional(),
  }),
  z.object({ kind: z.literal("code"), text: z.string(), language: z.string().exactOptional() }),
]);

const ActionJson = z.union([
  z.object({
    label: z.string(),
    invocation: z.object({
      command: z.string(),
      options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    }),
    effect: z.enum(["replace", "reply"]),
    confirm: z.string().exactOptional(),
  }),
  z.object({ label: z.string(), url: z.string() }),
]);

const AttachmentJson = z.object({
  name: z.string(),
  mediaType: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  alt: z.string().exactOptional(),
  /** The location of the bytes: a path on this server, or a file. */
  href: z.string().exactOptional(),
});

/** A reply as JSON: for `--json`, POST /api/invocations and the server-sent alerts. Times are decimal nanoseconds. */
export const ReplyJson = z.object({
  tone: z.enum(["neutral", "good", "warning", "bad"]),
  title: TextJson,
  url: z.string().exactOptional(),
  blocks: z.array(BlockJson),
  footer: TextJson.exactOptional(),
  picture: AttachmentJson.exactOptional(),
  attachments: z.array(AttachmentJson),
  actions: z.array(ActionJson),
  failure: z.enum(["caller", "network", "bug"]).exactOptional(),
});
export type ReplyJson = z.infer<typeof ReplyJson>;
export type AttachmentJson = z.infer<typeof AttachmentJson>;

/** Converts a reply to JSON. `href` locates an attachment's bytes; undefined = only described. */
export function replyToJson(reply: Reply, href?: (attachment: Attachment) => string | undefined): ReplyJson {
  const attachment = (file: Attachment): AttachmentJson => {
    const where = href?.(file);
    return {
      name: file.name,
      mediaType: file.mediaType,
      sizeBytes: file.sizeBytes,
      sha256: file.sha256,
      ...(file.alt === undefined ? {} : { alt: file.alt }),
      ...(where === undefined ? {} : { href: where }),
    };
  };
  const { picture, attachments, ...rest } = reply;
  const described = {
    ...rest,
    ...(picture === undefined ? {} : { picture: attachment(picture) }),
    attachments: attachments.map(attachment),
  };
  return JSON.parse(
    JSON.stringify(described, (_key, value: unknown) => (typeof value === "bigint" ? value.toString() : value)),
  ) as ReplyJson;
}

/** Converts JSON back to a reply; `attachment` opens the bytes of a described file. */
export function replyFromJson(json: ReplyJson, attachment: (file: AttachmentJson) => Attachment): Reply {
  // Actions stay as they are: `at` may be the name of a command's option.
  const { picture, attachments, title, blocks, footer, ...rest } = json;
  const texts = { title, blocks, ...(footer === undefined ? {} : { footer }) };
  const revived = JSON.parse(JSON.stringify(texts), (key, value: unknown) =>
    key === "at" && typeof value === "string" ? nanoseconds(BigInt(value)) : value,
  ) as Pick<Reply, "title" | "blocks" | "footer">;
  return {
    ...rest,
    ...revived,
    ...(picture === undefined ? {} : { picture: attachment(picture) }),
    attachments: attachments.map(attachment),
  };
}
