// The bodies of messages on the way: before their files are there, with a mention, and with the picture of an alert.
import type { APIEmbed, APIMessage } from "discord-api-types/v10";

import type { Delivery } from "../../../alerts/sender.ts";
import { CONTENT_LENGTH } from "../limits.ts";
import { type ComposedMessage, SILENT } from "../render/compose.ts";

/** A body that names files that are there beside those that come with it. */
type EditBody = Omit<ComposedMessage["body"], "attachments"> & {
  readonly attachments: readonly { readonly id: number | string; readonly filename?: string }[];
};

/** A message as it is edited. */
export type EditedMessage = Pick<ComposedMessage, "files"> & { readonly body: EditBody };

/** A message's body before its files are there: an edit leaves those that are. */
export function wordsOf({ body, files }: EditedMessage): Partial<EditBody> {
  if (files.length === 0) return body;
  const { attachments: _files, ...words } = body;
  return body.embeds === undefined ? words : { ...words, embeds: body.embeds.map(({ image: _image, ...one }) => one) };
}

/**
 * How edits name the picture of a message: its id and its name. A file that an embed shows is not among the attachments
 * but stands in the address of its image (https://github.com/discord/discord-api-docs/issues/1340).
 */
export function nameOfPicture({ attachments, embeds }: APIMessage, name: string): string | undefined {
  const listed = attachments.find(({ filename }) => filename === name)?.id;
  const id = listed ?? /\/attachments\/\d+\/(\d+)\//u.exec(embeds[0]?.image?.url ?? "")?.[1];
  return id === undefined ? undefined : `${id} ${name}`;
}

/** A body that keeps the picture of its message: one that an edit with attachments does not name goes. */
export function keeping(body: EditBody, pictured: string | undefined): EditBody {
  const [id, name] = pictured?.split(" ") ?? [];
  if (id === undefined || name === undefined) return body;
  return { ...body, attachments: [...body.attachments, { id }], embeds: withImage(body.embeds, name) };
}

export function withImage(embeds: EditBody["embeds"], name: string): readonly APIEmbed[] {
  // An embed of a picture alone needs a text, too.
  const [first = { description: "–" }, ...others] = embeds ?? [];
  return [{ ...first, image: { url: `attachment://${name}` } }, ...others];
}

/** The message's body for a delivery, with its silence, and its mention in `content`: Discord notifies nowhere else. */
export function bodyFor(body: Partial<EditBody>, delivery: Delivery): object {
  const { mention, quiet } = delivery;
  const flags = quiet === true ? { flags: SILENT } : {};
  const [, user, id] = /^(user:)?(\d{1,20})$/u.exec(mention ?? "") ?? [];
  if (id === undefined) return { ...body, ...flags };
  // The headline goes first: a locked phone shows little more.
  const [headline = "", ...rest] = (body.content ?? "").split("\n");
  const content = [headline, user === undefined ? `<@&${id}>` : `<@${id}>`, ...rest]
    .filter((part) => part !== "")
    .join("\n")
    .slice(0, CONTENT_LENGTH)
    .toWellFormed();
  const allowed = user === undefined ? { roles: [id] } : { users: [id] };
  return { ...body, ...flags, content, allowed_mentions: { parse: [], ...allowed } };
}
