import { parse } from "discord-markdown-parser";

import { aboveFold } from "../../reply/fold.ts";
import { forEverybody, previewFiles, type Reply } from "../../reply/reply.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { AnyCommand } from "../../bot/command.ts";
import type { Preview, PreviewPress } from "../adapter.ts";
import { foldPress, type KeptOffer, previewOf } from "../chat/button-plan.ts";
import type { Press } from "../chat/press.ts";
import { CommandMentions } from "./command-mentions.ts";
import { discordPlatform, PAGE } from "./platform.ts";
import type { MessageContext } from "./render/buttons.ts";
import { type EmbedMessage, renderEmbed } from "./render/embed.ts";
import { customIdsIn, decodePress } from "./render/press.ts";
import { type DiscordMessage, renderDiscord } from "./render/render.ts";

/**
 * The console's preview of Discord: the message itself, who sees it, and its markdown parsed as Discord parses it. It
 * mentions these commands as Discord will once they are registered.
 */
export function createDiscordPreview(commands: readonly AnyCommand[]): Preview {
  const mentions = new CommandMentions();
  const names = new Set(commands.map(({ name }) => name.split(" ", 1)[0] ?? name));
  mentions.learn(
    Array.from(names, (name) => ({ name, id: PREVIEW_ID })),
    commands,
    undefined,
  );
  const mention = mentions.in(undefined);
  return { platform: discordPlatform.id, name: discordPlatform.name, page: PAGE, render };

  function render(reply: Reply, as: Parameters<Preview["render"]>[1]): unknown {
    if (as === "alert") return drawn(renderEmbed(aboveFold(reply), { mention }), false);
    const onlyAsker = as.visibility === "caller";
    const context: MessageContext = {
      asker: "0",
      keeps: true,
      ask: as.ask,
      shareable: onlyAsker && as.personal !== true,
      mention,
    };
    const seen = onlyAsker ? reply : forEverybody(reply);
    return previewOf(seen, (show) => drawn(renderDiscord(seen, context, show), onlyAsker));
  }
}

function drawn({ files, unstored, ...message }: DiscordMessage | EmbedMessage, onlyAsker: boolean): object {
  const embeds = ("embeds" in message ? message.embeds : []).map(({ title, description }) => ({
    title: title === undefined ? [] : parse(title, "normal"),
    description: description === undefined ? [] : parse(description, "extended"),
  }));
  const presses = pressesOf(message.components, unstored);
  return { onlyAsker, message, embeds, texts: markdownOf(message), files: previewFiles(files), presses };
}

/** The presses by custom_id; an option of a select has its value behind the id. */
function pressesOf(
  components: readonly unknown[],
  unstored: ReadonlyMap<string, Press | KeptOffer>,
): Readonly<Record<string, PreviewPress>> {
  return Object.fromEntries(
    customIdsIn(components).flatMap((id): [string, PreviewPress][] => {
      const press = unstored.get(id) ?? decodePress(id);
      if (press?.kind === "kept") return foldPress(press.show).map((does) => [id, does]);
      if (press?.kind === "choice")
        return press.asks.map((invocation, at) => [`${id} ${at}`, { invocation, ...pressed(press) }]);
      if (press?.kind === "form") return [[id, { invocation: press.ask, effect: "reply", form: true }]];
      if (press?.kind !== "ask") return [];
      const { ask: invocation, confirm } = press;
      return [[id, { invocation, ...pressed(press), ...withoutUndefined({ confirm }) }]];
    }),
  );
}

function pressed({ effect, invalidates }: Extract<Press, { kind: "ask" | "choice" }>) {
  return { effect: effect === "reply" ? effect : "replace", ...withoutUndefined({ invalidates }) } as const;
}

/** Stands for the id that Discord gives a command. */
const PREVIEW_ID = "100000000000000000";

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
