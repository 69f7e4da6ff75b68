import { embedLength, EmbedBuilder, ActionRowBuilder, ButtonBuilder, enableValidators } from "@discordjs/builders";
import type { APIActionRowComponent, APIButtonComponent, APIEmbed } from "discord-api-types/v10";
import { parse } from "discord-markdown-parser";

enableValidators();

/** The checked members of a message. */
export interface Judged {
  readonly content?: string | undefined;
  readonly embeds?: readonly APIEmbed[] | undefined;
  readonly components?: readonly APIActionRowComponent<APIButtonComponent>[] | undefined;
}

/** All that Discord would refuse in a message, by the validation of Discord's own library; empty for a valid one. */
export function refusals(message: Judged): string[] {
  const found: string[] = [];
  const attempt = (what: string, check: () => unknown): void => {
    try {
      check();
    } catch (error) {
      found.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const say = (wrong: boolean, what: string): void => void (wrong && found.push(what));
  const { content = "", embeds = [], components = [] } = message;
  say(content.length > 2000, "content above 2000");
  say(content.trim() === "" && embeds.length === 0, "nothing to send");
  say(embeds.length > 10, "more than 10 embeds");
  say(embeds.reduce((total, embed) => total + embedLength(embed), 0) > 6000, "embeds above 6000");
  for (const embed of embeds) {
    const builder = new EmbedBuilder();
    attempt("title", () => builder.setTitle(embed.title ?? null));
    attempt("description", () => builder.setDescription(embed.description ?? null));
    attempt("url", () => builder.setURL(embed.url ?? null));
    attempt("color", () => builder.setColor(embed.color ?? null));
    attempt("image", () => builder.setImage(embed.image?.url ?? null));
    attempt("footer", () => builder.setFooter(embed.footer === undefined ? null : { text: embed.footer.text }));
    say((embed.title ?? embed.description ?? "").trim() === "", "an embed without text");
    say(embed.title !== undefined && embed.title.trim() === "", "an empty title");
    say(embed.description !== undefined && embed.description.trim() === "", "an empty description");
    say(embed.fields !== undefined && embed.fields.length > 25, "more than 25 fields");
  }
  say(components.length > 5, "more than 5 rows");
  const customIds = components.flatMap((row) =>
    row.components.flatMap((one) => ("custom_id" in one ? [one.custom_id] : [])),
  );
  say(new Set(customIds).size !== customIds.length, "a custom_id twice");
  for (const row of components) {
    say(row.components.length < 1 || row.components.length > 5, `a row of ${row.components.length}`);
    attempt("row", () =>
      new ActionRowBuilder<ButtonBuilder>()
        .setComponents(
          row.components.map((given) => {
            const button = new ButtonBuilder().setStyle(given.style);
            if ("label" in given && given.label !== undefined) button.setLabel(given.label);
            if ("custom_id" in given) button.setCustomId(given.custom_id);
            if ("url" in given) {
              button.setURL(given.url);
              say(given.url.length > 512, "a link above 512");
            }
            return button;
          }),
        )
        .toJSON(),
    );
    for (const given of row.components)
      say("label" in given && (given.label ?? "").trim() === "", "a button without a label");
  }
  say(!isWellFormed({ content, embeds, components }), "a lone surrogate");
  return found;
}

/** One node of the tree that Discord's markdown is read into. */
export interface MarkdownNode {
  readonly type: string;
  readonly content?: string | readonly MarkdownNode[];
  readonly target?: string;
}

/** Every node of Discord's markdown in a text, by a parser made after Discord's own. */
export function markdownNodes(markdown: string): MarkdownNode[] {
  const flat = (nodes: readonly MarkdownNode[]): MarkdownNode[] =>
    nodes.flatMap((node) => [node, ...(Array.isArray(node.content) ? flat(node.content as MarkdownNode[]) : [])]);
  return flat(parse(markdown, "extended"));
}

/** The lines in code blocks. */
export function codeLines(markdown: string): string[] {
  return markdownNodes(markdown)
    .filter((node) => node.type === "codeBlock")
    .flatMap((node) => (typeof node.content === "string" ? node.content.split("\n") : []));
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  return typeof value !== "object" || value === null || Object.values(value).every(isWellFormed);
}
