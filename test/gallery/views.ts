import type { HomeView, KnownBlock, ModalView } from "@slack/types";

import { commands } from "../../commands/index.ts";
import { draw } from "../../src/adapters/slack/page/page.js";
import { renderForm } from "../../src/adapters/slack/render/form.ts";
import { h, safeTree, type VNode } from "../../src/adapters/web/public/vnode/vnode.js";
import { type AnyCommand, withCommonOptions } from "../../src/bot/command.ts";
import { altText } from "../../src/chart/alt.ts";
import { DARK, drawScene } from "../../src/chart/draw/draw.js";
import { svgText } from "../../src/chart/draw/svg.js";
import { toMillis } from "../../src/units/time.ts";
import { SCENES } from "../chart/scenes.ts";
import { headingsOf, slackViews } from "../support/gallery/slack-views.ts";
import { escapeHtml, html } from "../support/html.ts";
import { PLATFORMS } from "../support/platforms.ts";
import { openSimulatorTalk } from "../support/simulator-talk.ts";
import { LIGHT } from "../support/light-palette.ts";
import { textsIn } from "./doubts.ts";
import { type DrawnSample, json, SCREENS, type Screen } from "./draw.ts";

/** The form of every command as it begins, and with each of its headings opened. */
export function drawnForms(): { readonly begun: DrawnSample[]; readonly opened: DrawnSample[] } {
  const draw = (declared: AnyCommand, open: readonly string[]): DrawnSample => {
    const { name } = declared;
    const view = renderForm(withCommonOptions(declared, PLATFORMS), {}, ["mainnet", "testnet"], {
      command: name,
      shared: true,
      open,
    });
    const drawn = html(h("div", { class: "preview preview-slack" }, treeOfView(view, 0)));
    const drawings = [{ surface: "slack" as const, screen: "phone" as const, html: drawn }];
    return {
      id: ["form", ...name.split(" "), ...open].join("-").replaceAll(" ", "-"),
      group: "forms",
      title: name,
      drawings,
    };
  };
  const opened = commands.flatMap((one) => headingsOf(one.name).map((heading) => draw(one, [heading])));
  return { begun: commands.map((one) => draw(one, [])), opened };
}

/** The forms, the answers in a modal and the home tab of Slack; no other surface has them. */
export async function drawnViews(): Promise<DrawnSample[]> {
  await using talk = await openSimulatorTalk();
  const views = await slackViews(talk);
  const now = toMillis(talk.now());
  return views.map(({ id, title, view }) => {
    const drawn = html(h("div", { class: "preview preview-slack" }, treeOfView(view, now)));
    const screens = Object.keys(SCREENS) as Screen[];
    const drawings = screens.map((screen) => ({ surface: "slack" as const, screen, html: drawn }));
    return { id, group: "views", title, drawings };
  });
}

/** Every picture in both themes, as chats and the console show it, with what is said of it. */
export function drawnScenes(): DrawnSample[] {
  return Object.entries(SCENES).map(([name, scene]) => {
    const both = Object.entries({ dark: DARK, light: LIGHT });
    const drawn = both.map(([theme, palette]) => svgText(drawScene(scene, palette, `${name}-${theme}`)));
    const html = `${drawn.join("\n")}\n<p>${escapeHtml(altText(scene))}</p>`;
    return {
      id: `picture-${name}`,
      group: "pictures",
      title: name,
      drawings: [{ surface: "web", screen: "phone", html }],
    };
  });
}

/** What each view says. */
export async function viewTexts(): Promise<{ readonly id: string; readonly texts: readonly string[] }[]> {
  await using talk = await openSimulatorTalk();
  const views = await slackViews(talk);
  return views.map(({ id, view }) => ({ id, texts: textsIn(treeOfView(view, toMillis(talk.now()))) }));
}

function treeOfView(view: HomeView | ModalView, now: number): VNode {
  const message = { blocks: blocksOf(view) };
  return safeTree(draw(json({ message, files: [], filesLater: false, onlyAsker: false }), now, now));
}

/** A modal has its title on top and its buttons at the end. */
function blocksOf(view: HomeView | ModalView): KnownBlock[] {
  const blocks = view.blocks as KnownBlock[];
  if (view.type === "home") return blocks;
  const buttons = [
    ...(view.close === undefined ? [] : [{ text: view.close }]),
    ...(view.submit === undefined ? [] : [{ text: view.submit, style: "primary" as const }]),
  ].map((one, index) => ({ type: "button" as const, action_id: `end:${index}`, ...one }));
  return [
    { type: "header", text: view.title },
    ...blocks,
    ...(buttons.length === 0 ? [] : [{ type: "actions" as const, elements: buttons }]),
  ];
}
