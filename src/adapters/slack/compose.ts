import type { KnownBlock } from "@slack/types";

import type { Reply } from "../../reply/reply.ts";
import { keepPresses, type KeepParts } from "../keep-presses.ts";
import { context, section } from "./blocks.ts";
import type { MessageContext } from "./buttons.ts";
import { keepPress, keptValue } from "./press.ts";
import { renderSlack, type MessageFile, type SlackMessage } from "./render.ts";

/** A message as Slack takes it, wherever it goes. */
export interface Body {
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
}

export interface Composed {
  readonly body: Body;
  /** To be sent with it. */
  readonly files: readonly MessageFile[];
}

/** Renders a reply and makes it ready to send: presses kept. */
export async function compose(reply: Reply, context: MessageContext, parts: KeepParts): Promise<Composed> {
  const message = renderSlack(reply, context);
  const { blocks, missing } = await keptButtons(message, parts);
  const note = missing === 0 ? "" : `Buttons missing here, since what they mean could not be kept: ${missing}.`;
  return {
    body: withLine({ text: message.text, blocks }, note),
    files: message.filesLater ? [] : message.files,
  };
}

/** The same with one more line of mrkdwn, above the buttons where there are any; on top when `first`. */
export function withLine(body: Body, mrkdwn: string, first = false): Body {
  if (mrkdwn === "") return body;
  const { blocks } = body;
  const actions = blocks.findIndex((block) => block.type === "actions");
  const end = blocks.at(-1)?.type === "context" ? blocks.length - 1 : blocks.length;
  const at = first ? 0 : actions === -1 ? end : actions;
  return { ...body, blocks: [...blocks.slice(0, at), section(mrkdwn), ...blocks.slice(at)] };
}

/** The same with a line of small print below everything. */
export function withSmallPrint(body: Body, mrkdwn: string): Body {
  return { ...body, blocks: [...body.blocks, context(mrkdwn)] };
}

/** The buttons with their final values, without those whose meaning could not be kept. */
async function keptButtons(
  message: SlackMessage,
  parts: KeepParts,
): Promise<{ readonly blocks: readonly KnownBlock[]; readonly missing: number }> {
  if (message.unkept.size === 0) return { blocks: message.blocks, missing: 0 };
  const meanings = new Map([...message.unkept].map(([actionId, press]) => [actionId, keepPress(press)]));
  const keys = await keepPresses("slack", meanings, parts);
  const blocks = message.blocks.flatMap((block): KnownBlock[] => {
    if (block.type !== "actions") return [block];
    const elements = block.elements.flatMap((element) => {
      if (element.type !== "button" || !message.unkept.has(element.action_id ?? "")) return [element];
      const key = keys.get(element.action_id ?? "");
      return key === undefined ? [] : [{ ...element, value: keptValue(key) }];
    });
    return elements.length === 0 ? [] : [{ ...block, elements }];
  });
  return { blocks, missing: message.unkept.size - keys.size };
}
