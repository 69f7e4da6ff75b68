import {
  ActionRowBuilder,
  ButtonBuilder,
  ContainerBuilder,
  EmbedBuilder,
  embedLength,
  enableValidators,
  StringSelectMenuBuilder,
  TextDisplayBuilder,
} from "@discordjs/builders";
import {
  type APIButtonComponent,
  type APIEmbed,
  type APIStringSelectComponent,
  ComponentType,
  MessageFlags,
} from "discord-api-types/v10";
import { parse } from "discord-markdown-parser";

enableValidators();

/** The checked members of a message. */
export interface Judged {
  readonly content?: string | undefined;
  readonly embeds?: readonly APIEmbed[] | undefined;
  readonly components?: readonly object[] | undefined;
  readonly flags?: number | undefined;
  /** The names of the files that its components may show; left out = any. */
  readonly files?: readonly string[] | undefined;
}

/** One component, of whatever kind. */
export interface AnyComponent {
  readonly type: ComponentType;
  readonly content?: string;
  readonly components?: readonly AnyComponent[];
  readonly accessory?: AnyComponent;
  readonly custom_id?: string;
  readonly file?: { readonly url: string };
  readonly items?: readonly { readonly media: { readonly url: string } }[];
}

/** All components, nested ones after what they stand in. */
export function componentsIn(components: readonly object[]): AnyComponent[] {
  return (components as readonly AnyComponent[]).flatMap((one) => [
    one,
    ...componentsIn([...(one.components ?? []), ...(one.accessory === undefined ? [] : [one.accessory])]),
  ]);
}

/** All texts of components, in order. */
export function textsIn(components: readonly object[]): string[] {
  return componentsIn(components).flatMap((one) => (one.type === ComponentType.TextDisplay ? [one.content ?? ""] : []));
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
  const { content = "", embeds = [], components = [], flags = 0 } = message;
  const isV2 = (flags & MessageFlags.IsComponentsV2) !== 0;
  say(content.length > 2000, "content above 2000");
  say(!isV2 && content.trim() === "" && embeds.length === 0, "nothing to send");
  say(isV2 && components.length === 0, "nothing to send");
  say(isV2 && (message.content !== undefined || message.embeds !== undefined), "content or embeds beside components");
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
  const all = componentsIn(components);
  const customIds = all.flatMap((one) => (one.custom_id === undefined ? [] : [one.custom_id]));
  say(new Set(customIds).size !== customIds.length, "a custom_id twice");
  say(isV2 && all.length > 40, `${all.length} components`);
  say(!isV2 && components.length > 5, "more than 5 rows");
  say(!isV2 && components.some((one) => (one as AnyComponent).type !== ComponentType.ActionRow), "no action row");
  say(textsIn(components).join("").length > 4000, "texts above 4000");
  for (const one of components) {
    if ((one as AnyComponent).type === ComponentType.Container)
      attempt("container", () => new ContainerBuilder(one).toJSON());
  }
  for (const one of all) judgeComponent(one, say, attempt, message.files);
  say(!isWellFormed({ content, embeds, components }), "a lone surrogate");
  return found;
}

/** What each kind may stand in, beside a message of components. */
const IN_CONTAINER = new Set([
  ComponentType.ActionRow,
  ComponentType.TextDisplay,
  ComponentType.Section,
  ComponentType.MediaGallery,
  ComponentType.Separator,
  ComponentType.File,
]);

function judgeComponent(
  one: AnyComponent,
  say: (wrong: boolean, what: string) => void,
  attempt: (what: string, check: () => unknown) => void,
  files: readonly string[] | undefined,
): void {
  const inner = one.components ?? [];
  const shown = [...(one.file === undefined ? [] : [one.file]), ...(one.items ?? []).map(({ media }) => media)];
  for (const { url } of shown) {
    const name = /^attachment:\/\/(.+)$/u.exec(url)?.[1];
    say(name === undefined || (files !== undefined && !files.includes(name)), `no file for ${url}`);
  }
  switch (one.type) {
    case ComponentType.Container:
      say(
        inner.length === 0 || inner.some(({ type }) => !IN_CONTAINER.has(type)),
        "a container of what it cannot hold",
      );
      break;
    case ComponentType.Section:
      say(inner.length < 1 || inner.length > 3, `a section of ${inner.length}`);
      say(
        inner.some(({ type }) => type !== ComponentType.TextDisplay),
        "a section of what is no text",
      );
      say(one.accessory === undefined, "a section without accessory");
      break;
    case ComponentType.ActionRow: {
      const selects = inner.filter(({ type }) => type === ComponentType.StringSelect).length;
      say(inner.length < 1 || inner.length > 5 || (selects > 0 && inner.length > 1), `a row of ${inner.length}`);
      break;
    }
    case ComponentType.MediaGallery:
      say((one.items ?? []).length < 1 || (one.items ?? []).length > 10, "a gallery of none or too many");
      break;
    case ComponentType.TextDisplay:
      attempt("text", () => new TextDisplayBuilder().setContent(one.content ?? "").toJSON());
      say((one.content ?? "").trim() === "", "an empty text");
      break;
    case ComponentType.Button:
      attempt("button", () => judgeButton(one as unknown as APIButtonComponent, say));
      break;
    case ComponentType.StringSelect:
      attempt("select", () => judgeSelect(one as unknown as APIStringSelectComponent, say));
      break;
    case ComponentType.File:
    case ComponentType.Separator:
      break;
    default:
      say(true, `a component of type ${one.type}`);
  }
}

function judgeButton(given: APIButtonComponent, say: (wrong: boolean, what: string) => void): void {
  const button = new ButtonBuilder().setStyle(given.style);
  if ("label" in given && given.label !== undefined) button.setLabel(given.label);
  if ("custom_id" in given) button.setCustomId(given.custom_id);
  if ("url" in given) {
    button.setURL(given.url);
    say(given.url.length > 512, "a link above 512");
  }
  say("label" in given && (given.label ?? "").trim() === "", "a button without a label");
  new ActionRowBuilder<ButtonBuilder>().setComponents(button).toJSON();
}

function judgeSelect(given: APIStringSelectComponent, say: (wrong: boolean, what: string) => void): void {
  const select = new StringSelectMenuBuilder().setCustomId(given.custom_id).setOptions(given.options);
  if (given.placeholder !== undefined) select.setPlaceholder(given.placeholder);
  new ActionRowBuilder<StringSelectMenuBuilder>().setComponents(select).toJSON();
  say(given.options.length < 1 || given.options.length > 25, `a select of ${given.options.length}`);
  say(
    given.options.some(({ label }) => label.trim() === ""),
    "an option without a label",
  );
  const values = given.options.map(({ value }) => value);
  say(new Set(values).size !== values.length, "a value twice");
}

/** One node of the tree that Discord's markdown is read into. */
export interface MarkdownNode {
  readonly type: string;
  readonly content?: string | readonly MarkdownNode[];
  readonly target?: string;
  /** Of a mention. */
  readonly id?: string;
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
