import { parse } from "discord-markdown-parser";

import { previewFiles } from "../../reply/message-files.ts";
import type { Reply } from "../../reply/reply.ts";
import type { Preview } from "../adapter.ts";
import { discordPlatform } from "./platform.ts";
import { renderDiscord } from "./render/render.ts";

/** The console's preview of Discord: the message itself, who sees it, and its markdown parsed as Discord parses it. */
export const discordPreview: Preview = {
  platform: discordPlatform.id,
  name: discordPlatform.name,
  render(reply: Reply, as) {
    const onlyAsker = as !== "alert" && as.visibility === "caller";
    const {
      files,
      unstored: _unkept,
      ...message
    } = renderDiscord(reply, as === "alert" ? {} : { asker: "0", shareable: onlyAsker });
    return {
      onlyAsker,
      message,
      embeds: message.embeds.map((embed) => ({
        title: embed.title === undefined ? [] : parse(embed.title, "normal"),
        description: embed.description === undefined ? [] : parse(embed.description, "extended"),
      })),
      texts: markdownOf(message),
      files: previewFiles(files),
    };
  },
};

/** The markdown of a message outside its embeds, its content and its text displays, as Discord parses each. */
export function markdownOf(message: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(textsIn(message).map((text) => [text, parse(text, "extended")]));
}

function textsIn(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  if (Array.isArray(part)) return part.flatMap(textsIn);
  const { content, embeds: _embeds, ...rest } = part as { readonly content?: unknown; readonly embeds?: unknown };
  return [...(typeof content === "string" ? [content] : []), ...Object.values(rest).flatMap(textsIn)];
}
