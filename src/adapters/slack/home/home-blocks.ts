import type { ActionsBlock, Button, KnownBlock, SectionBlock } from "@slack/types";

import { code, text, type Text } from "../../../reply/text.ts";
import type { Press } from "../../chat/press.ts";
import { TONE_SIGNS } from "../../chat/tone-signs.ts";
import { SECTION_LENGTH } from "../limits.ts";
import { contextBlock, sectionBlock } from "../render/blocks.ts";
import { plainTextElement, renderText } from "../render/mrkdwn.ts";
import { encodePress } from "../render/press.ts";

// The lines and buttons of the home tab.

/** A view of 100 blocks stays far below Slack's 250 kB. */
const ROW_LENGTH = SECTION_LENGTH / 2;

/** Why nothing arrives, on a line of its own. */
export function marked(trouble: Text | undefined): string {
  return trouble === undefined ? "" : `\n${renderText(text`${TONE_SIGNS.bad}${trouble}`, { max: 600 }).mrkdwn}`;
}

/** A line with a button beside it, where the button can carry its meaning. `before` and `after` are mrkdwn. */
export function withButton(
  content: Text,
  button: { label: string; press: Press; id: string } & Pick<Button, "style" | "confirm">,
  { before = "", after = "" }: { readonly before?: string; readonly after?: string } = {},
): SectionBlock {
  const { label, press, id: name, ...look } = button;
  const shown = renderText(content, { max: ROW_LENGTH }).mrkdwn;
  const words = `${before}${shown.trim() === "" ? "–" : shown}${after}`;
  const block: SectionBlock = { type: "section", text: { type: "mrkdwn", text: words, verbatim: true } };
  const value = encodePress(press);
  if (value === undefined) return block;
  const accessory = { action_id: `press:${name}`, text: plainTextElement(label), value, ...look };
  return { ...block, accessory: { type: "button", ...accessory } };
}

export function unreadable(): KnownBlock {
  return contextBlock("It cannot be read for the moment. Press Refresh in a minute.");
}

export function line(content: Text): KnownBlock {
  const shown = renderText(content, { max: ROW_LENGTH }).mrkdwn;
  return sectionBlock(shown.trim() === "" ? "–" : shown);
}

/** Lines in as few sections as hold them. */
export function lists(items: readonly Text[]): KnownBlock[] {
  const packed: string[] = [];
  for (const item of items) {
    const content = renderText(item, { max: 500 }).mrkdwn;
    const shown = content.trim() === "" ? "–" : content;
    const open = packed.at(-1);
    if (open !== undefined && open.length + shown.length + 1 <= SECTION_LENGTH)
      packed[packed.length - 1] = `${open}\n${shown}`;
    else packed.push(shown);
  }
  return packed.map(sectionBlock);
}

/** Buttons beside each other, the first thing to do about an alert in colour. */
export function buttonRow(name: string, buttons: readonly (readonly [label: string, press: Press])[]): ActionsBlock[] {
  const elements = buttons.flatMap(([label, press], index): Button[] => {
    const value = encodePress(press);
    if (value === undefined) return [];
    const style = label === "Acknowledge" ? ({ style: "primary" } as const) : {};
    return [{ type: "button", action_id: `press:${name}:${index}`, text: plainTextElement(label), value, ...style }];
  });
  return elements.length === 0 ? [] : [{ type: "actions", elements }];
}

/** What the app is for. */
export function greeting(): KnownBlock {
  return line(
    text`Bellwether answers questions about the trading network, and says first when something is wrong with it.`,
  );
}

/** How to ask elsewhere. */
export function hint(command: string): KnownBlock {
  const words = text`In any channel ${code(`${command} help`)} lists what can be asked; only you see the answers.`;
  return contextBlock(renderText(words, { max: SECTION_LENGTH }).mrkdwn);
}
