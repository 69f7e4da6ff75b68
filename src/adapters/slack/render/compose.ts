import type { KnownBlock } from "@slack/types";

import { fullText } from "../../../reply/full-text.ts";
import type { MessageFile } from "../../../reply/message-files.ts";
import type { Reply } from "../../../reply/reply.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { toText } from "../../../reply/text.ts";
import { type ButtonPayloadDependencies, storeButtonPayloads } from "../../store-button-payloads.ts";
import { TEXT_LENGTH } from "../limits.ts";
import { contextBlock, sectionBlock } from "./blocks.ts";
import { type MessageContext, pressPayload, storedPressValue } from "./buttons.ts";
import { renderText } from "./mrkdwn.ts";
import { renderSlack, type SlackMessage } from "./render.ts";

/** How long Share can post a reply as it was shown. */
const SHARE_LIFETIME_MILLIS: Milliseconds = 86_400_000;

/** A message ready to send to any destination. */
export interface MessageBody {
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
}

export interface ComposedMessage {
  readonly body: MessageBody;
  /** To be sent with it. */
  readonly files: readonly MessageFile[];
}

/** Renders a reply and makes it ready to send: long button payloads are stored. */
export async function compose(
  reply: Reply,
  context: MessageContext,
  dependencies: ButtonPayloadDependencies,
): Promise<ComposedMessage> {
  const message = renderSlack(reply, context);
  const { blocks, missing } = await storeButtons(message, dependencies);
  const note = missing === 0 ? "" : `Buttons missing here, since what they mean could not be kept: ${missing}.`;
  return {
    body: withLine({ text: message.text, blocks }, note),
    files: message.filesLater ? [] : message.files,
  };
}

/** A reply as escaped text alone, cut to the length of one message: for a message whose usual form Slack refused. */
export function composePlain(reply: Reply): MessageBody {
  const { mrkdwn } = renderText(toText(fullText(reply)), { max: TEXT_LENGTH, lines: true });
  return { text: mrkdwn, blocks: [] };
}

/** No message ever unfurls links. */
export const NO_UNFURL = { unfurl_links: false, unfurl_media: false } as const;

/** A message as arguments of the Web API's calls. */
export function messageArguments({ text, blocks }: MessageBody) {
  return { ...NO_UNFURL, text, blocks: [...blocks] };
}

/** The same with one more line of mrkdwn, above the buttons where there are any; on top when `first`. */
export function withLine(body: MessageBody, mrkdwn: string, first = false): MessageBody {
  if (mrkdwn === "") return body;
  const { blocks } = body;
  const actions = blocks.findIndex((block) => block.type === "actions");
  const end = blocks.at(-1)?.type === "context" ? blocks.length - 1 : blocks.length;
  const at = first ? 0 : actions === -1 ? end : actions;
  return { ...body, blocks: [...blocks.slice(0, at), sectionBlock(mrkdwn), ...blocks.slice(at)] };
}

export function withSmallPrint(body: MessageBody, mrkdwn: string): MessageBody {
  return { ...body, blocks: [...body.blocks, contextBlock(mrkdwn)] };
}

/** The buttons with their final values, without those whose payload could not be stored. */
async function storeButtons(
  message: SlackMessage,
  dependencies: ButtonPayloadDependencies,
): Promise<{ readonly blocks: readonly KnownBlock[]; readonly missing: number }> {
  if (message.unstored.size === 0) return { blocks: message.blocks, missing: 0 };
  const presses = [...message.unstored];
  const store = async (shared: boolean, ttlMillis: Milliseconds): Promise<ReadonlyMap<string, string>> => {
    const payloads = presses
      .filter(([, { kind }]) => (kind === "share") === shared)
      .map(([actionId, press]) => [actionId, pressPayload(press)] as const);
    return storeButtonPayloads("slack", new Map(payloads), { ...dependencies, ttlMillis });
  };
  const stored = await Promise.all([
    store(true, Math.min(SHARE_LIFETIME_MILLIS, dependencies.ttlMillis)),
    store(false, dependencies.ttlMillis),
  ]);
  const keys = new Map(stored.flatMap((some) => [...some]));
  const blocks = message.blocks.flatMap((block): KnownBlock[] => {
    if (block.type !== "actions") return [block];
    const elements = block.elements.flatMap((element) => {
      if (element.type !== "button" || !message.unstored.has(element.action_id ?? "")) return [element];
      const key = keys.get(element.action_id ?? "");
      return key === undefined ? [] : [{ ...element, value: storedPressValue(key) }];
    });
    return elements.length === 0 ? [] : [{ ...block, elements }];
  });
  return { blocks, missing: message.unstored.size - keys.size };
}
