import type { KnownBlock } from "@slack/types";

import type { Log } from "../../log.ts";
import type { Reply } from "../../reply/reply.ts";
import type { Payloads } from "../adapter.ts";
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

export interface ComposeParts {
  readonly payloads: Payloads;
  readonly log: Log;
  /** For how long a button works whose meaning is kept in the store. */
  readonly keepMillis: number;
}

/** Renders a reply and makes it ready to send: presses kept. */
export async function compose(reply: Reply, context: MessageContext, parts: ComposeParts): Promise<Composed> {
  const message = renderSlack(reply, context);
  return {
    body: { text: message.text, blocks: await keptButtons(message, parts) },
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

/** The buttons with their final values. Where the store does not answer, those that need it are left out, and the log says so. */
async function keptButtons(message: SlackMessage, parts: ComposeParts): Promise<readonly KnownBlock[]> {
  if (message.unkept.size === 0) return message.blocks;
  const values = new Map<string, string>();
  for (const [actionId, press] of message.unkept) {
    try {
      values.set(actionId, keptValue(await parts.payloads.put(keepPress(press), parts.keepMillis)));
    } catch (error) {
      parts.log.error({ err: error, platform: "slack" }, "a button could not be kept and is left out");
    }
  }
  return message.blocks.flatMap((block): KnownBlock[] => {
    if (block.type !== "actions") return [block];
    const elements = block.elements.flatMap((element) => {
      if (element.type !== "button" || !message.unkept.has(element.action_id ?? "")) return [element];
      const value = values.get(element.action_id ?? "");
      return value === undefined ? [] : [{ ...element, value }];
    });
    return elements.length === 0 ? [] : [{ ...block, elements }];
  });
}
