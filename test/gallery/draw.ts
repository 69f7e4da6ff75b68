import { commands } from "../../commands/index.ts";
import { createDiscordPreview } from "../../src/adapters/discord/preview.ts";
import { createSlackPreview } from "../../src/adapters/slack/preview.ts";
import { foldOf } from "../../src/adapters/terminal/ask.ts";
import { renderTerminal } from "../../src/adapters/terminal/render/render.ts";
import { draw as drawDiscord } from "../../src/adapters/web/public/preview/preview-discord.js";
import { draw as drawSlack } from "../../src/adapters/web/public/preview/preview-slack.js";
import { renderReply } from "../../src/adapters/web/public/reply/reply.js";
import { h, safeTree, type VNode } from "../../src/adapters/web/public/vnode/vnode.js";
import { replyToJson } from "../../src/reply/json.ts";
import { toMillis } from "../../src/units/nanoseconds.ts";
import { html } from "../support/html.ts";
import { drawAnsi } from "./ansi.ts";
import { type Sample, type Shown, type Surface, SURFACES } from "./samples.ts";

/** The screens of the page: their width in CSS pixels, and the columns of a terminal there. */
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
      const drawn = safeTree(DRAW[surface](shown[surface], screen));
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

const DRAW: Readonly<Record<Surface, (shown: Shown, screen: Screen) => VNode>> = {
  discord: ({ reply, as, now }) => drawDiscord(json(discordPreview.render(reply, as)), toMillis(now), toMillis(now)),
  slack: ({ reply, as, now }) => drawSlack(json(slackPreview.render(reply, as)), toMillis(now), toMillis(now)),
  web: ({ reply, now }) => {
    const document = replyToJson(reply, (file) => `/api/files/${file.sha256.slice(0, 8)}`);
    return renderReply(document, { now: toMillis(now), timeZone: "UTC" });
  },
  terminal: ({ reply, now }, screen) => {
    const { columns: width } = SCREENS[screen];
    return h("pre", {}, drawAnsi(renderTerminal(reply, { width, colour: true, links: true, now, ...foldOf(reply) })));
  },
};

/** As the page gets it. */
export function json(payload: unknown): unknown {
  return JSON.parse(JSON.stringify(payload));
}
