import { type APILabelComponent, type APIRadioGroupOption, ComponentType } from "discord-api-types/v10";

import { commands } from "../../commands/index.ts";
import { createDiscordPreview } from "../../src/adapters/discord/preview.ts";
import { formValues, renderModal } from "../../src/adapters/discord/render/modal.ts";
import { createSlackPreview } from "../../src/adapters/slack/preview.ts";
import { onceHints } from "../../src/adapters/terminal/ask.ts";
import { renderTerminal } from "../../src/adapters/terminal/render/render.ts";
import { drawMenu, drawPress } from "../../src/adapters/web/public/preview/drawn-message.js";
import { draw as drawDiscord } from "../../src/adapters/discord/page/page.js";
import { draw as drawSlack } from "../../src/adapters/slack/page/page.js";
import { renderReply } from "../../src/adapters/web/public/reply/reply.js";
import { h, safeTree, type VNode } from "../../src/adapters/web/public/vnode/vnode.js";
import { withCommonOptions } from "../../src/bot/command.ts";
import { replyToJson } from "../../src/reply/json.ts";
import type { Ask } from "../../src/reply/reply.ts";
import { toMillis } from "../../src/units/time.ts";
import { html } from "../support/html.ts";
import { drawAnsi } from "./ansi.ts";
import { fitColumns } from "./fit-columns.ts";
import { type Sample, type Shown, type Surface, SURFACES } from "./samples.ts";
import { PLATFORMS } from "../support/platforms.ts";

/** The screens of the page. */
export const SCREENS = { phone: { pixels: 360, columns: 60 }, desktop: { pixels: 900, columns: 100 } } as const;
export type Screen = keyof typeof SCREENS;

/** What a surface shows, as HTML. */
export interface Drawing {
  readonly surface: Surface;
  readonly screen: Screen;
  readonly html: string;
}

/** A sample without its reply. */
export interface DrawnSample extends Pick<Sample, "id" | "group" | "title"> {
  readonly drawings: readonly Drawing[];
}

/** A sample on every surface and screen, drawn by the renderers and previews of the program. */
export function drawSample({ id, group, title, shown }: Sample): DrawnSample {
  const screens = Object.keys(SCREENS) as Screen[];
  const drawings = SURFACES.flatMap((surface) =>
    screens.map((screen) => {
      const drawn = treeOf(surface, shown[surface], SCREENS[screen]);
      return { surface, screen, html: html(h("div", { class: SHELLS[surface] }, drawn)) };
    }),
  );
  return { id, group, title, drawings };
}

const SHELLS: Readonly<Record<Surface, string>> = {
  discord: "preview preview-discord",
  slack: "preview preview-slack",
  web: "console",
  terminal: "terminal",
};

const discordPreview = createDiscordPreview(commands);
const slackPreview = createSlackPreview();

/** The width of a screen in CSS pixels, and the columns of a terminal there. */
interface Size {
  readonly pixels: number;
  readonly columns: number;
}

/** What a surface shows of a reply, drawn from the payload that it gets. What no screen changes is drawn once. */
export function treeOf(surface: Surface, shown: Shown, size: Size): VNode {
  const fit = fits[surface].get(shown) ?? DRAW[surface](shown);
  fits[surface].set(shown, fit);
  return fit(size);
}

/** A reply as it is shown on a screen of this size. */
type Fit = (size: Size) => VNode;

const fits: Readonly<Record<Surface, WeakMap<Shown, Fit>>> = {
  discord: new WeakMap(),
  slack: new WeakMap(),
  web: new WeakMap(),
  terminal: new WeakMap(),
};

const DRAW: Readonly<Record<Surface, (shown: Shown) => Fit>> = {
  discord: ({ reply, as, now, form }) => {
    const tree = safeTree(
      form === undefined
        ? drawDiscord(json(discordPreview.render(reply, as)), toMillis(now), toMillis(now))
        : drawDiscordForm(form),
    );
    return () => tree;
  },
  slack: ({ reply, as, now }) => {
    const tree = safeTree(drawSlack(json(slackPreview.render(reply, as)), toMillis(now), toMillis(now)));
    return () => tree;
  },
  web: ({ reply, now }) => {
    const document = replyToJson(reply, (file) => `/api/files/${file.sha256.slice(0, 8)}`);
    const tree = renderReply(document, { now: toMillis(now), timeZone: "UTC" });
    return ({ pixels }) => safeTree(fitColumns(tree, pixels));
  },
  terminal:
    ({ reply, now }) =>
    ({ columns: width }) =>
      safeTree(
        h("pre", {}, drawAnsi(renderTerminal(reply, { width, colour: true, links: true, now, ...onceHints(reply) }))),
      ),
};

/** A form as Discord's app shows it, from what would be sent. */
function drawDiscordForm({ command: name, options }: Ask): VNode {
  const command = commands.map((one) => withCommonOptions(one, PLATFORMS)).find((one) => one.name === name);
  if (command === undefined) throw new RangeError(`no command ${name}`);
  const { title, components } = renderModal(command, formValues(command, options), {
    networks: ["mainnet"],
    customId: "1k0:key",
  });
  return h(
    "div",
    { class: "modal" },
    h("h3", {}, title),
    ...components.flatMap((one) => (one.type === ComponentType.Label ? [drawField(one)] : [])),
    h("p", { class: "row" }, drawPress("Cancel", ""), drawPress("Submit", "primary")),
  );
}

function drawField({ label, description = "", component }: APILabelComponent): VNode {
  const isRequired = "required" in component && component.required;
  return h(
    "div",
    { class: "modal-field" },
    h("strong", {}, `${label}${isRequired ? " *" : ""}`),
    h("p", { class: "modal-hint" }, description),
    component.type === ComponentType.TextInput
      ? h("div", { class: "modal-text" }, heldBy(component))
      : component.type === ComponentType.RadioGroup
        ? h("div", {}, ...component.options.map(drawRadio))
        : drawMenu(heldBy(component)),
  );
}

function drawRadio({ label, default: chosen = false }: APIRadioGroupOption): VNode {
  return h("div", {}, `${chosen ? "◉" : "○"} ${label}`);
}

/** What a field begins with; else what it asks for. */
function heldBy(component: APILabelComponent["component"]): string {
  if (component.type === ComponentType.TextInput) return component.value ?? component.placeholder ?? "";
  if (component.type === ComponentType.MentionableSelect) {
    return component.default_values?.map(({ id }) => `@${id}`).join(", ") ?? "Nobody";
  }
  if (component.type !== ComponentType.StringSelect) throw new RangeError(`no field of type ${component.type}`);
  return component.options
    .filter((option) => option.default === true)
    .map((option) => option.label)
    .join(", ");
}

/** As the page gets it. */
export function json(payload: unknown): unknown {
  return JSON.parse(JSON.stringify(payload));
}
