import type { KnownBlock } from "@slack/types";

import { withCommandPrefix } from "../../../reply/command-prefix.ts";
import { fullText } from "../../../reply/full-text.ts";
import type { MessageFile, Reply } from "../../../reply/reply.ts";
import type { Milliseconds } from "../../../units/time.ts";
import { toText } from "../../../reply/text.ts";
import { missingButtons, type Press, type PressStorage, storePresses } from "../../chat/press.ts";
import { TEXT_LENGTH } from "../limits.ts";
import { contextBlock, sectionBlock } from "./blocks.ts";
import { KEPT_KEY, withKeys } from "./buttons.ts";
import { renderText } from "./mrkdwn.ts";
import type { MessageContext } from "./press.ts";
import { renderSlack, type SlackMessage } from "./render.ts";

/** A message ready to send to any destination. */
export interface MessageBody {
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
  /** Its details could not be kept: what it says below the fold is in the message's files for that. */
  readonly unkept?: true;
}

export interface ComposedMessage {
  readonly body: MessageBody;
  /** To be sent with it. */
  readonly files: readonly MessageFile[];
}

/** Lines of mrkdwn beside a reply; they stay when its details are shown. */
export interface MessageLines {
  /** Above the buttons. */
  readonly notes?: readonly string[];
  /** On top. */
  readonly above?: string | undefined;
}

/** Renders a reply and makes it ready to send: long button payloads are stored. */
export async function compose(
  reply: Reply,
  context: MessageContext,
  dependencies: PressStorage & { readonly now?: (() => Milliseconds) | undefined },
): Promise<ComposedMessage> {
  const message = renderSlack(reply, { ...context, now: dependencies.now?.() });
  return { body: await finish(message, {}, dependencies), files: message.filesLater ? [] : message.files };
}

/** A rendered message ready to send: with these lines, and its button payloads stored; `kept` is the key of its reply. */
export async function finish(
  message: SlackMessage,
  { notes = [], above = "" }: MessageLines,
  dependencies: PressStorage,
  kept?: string,
): Promise<MessageBody> {
  const lines = notes.filter((note) => note !== "");
  const presses = [...message.unstored].map(([key, press]): [string, Press] => [
    key,
    press.kind === "share" ? { ...press, notes: lines, ...(above === "" ? {} : { above }) } : press,
  ]);
  const others = presses.filter(([key]) => kept === undefined || key !== KEPT_KEY);
  const stored = await storePresses("slack", others, dependencies);
  const keys = kept === undefined ? stored : new Map([...stored, [KEPT_KEY, kept]]);
  const missing = presses.filter(([key]) => !keys.has(key));
  // Where the reply could not be stored, Details would show nothing.
  const isUnkept = missing.some(([, press]) => press.kind === "share" && press.shown !== undefined);
  const shown = isUnkept ? message.unkept() : message;
  // It may show other rows, whose choices are not stored yet.
  const shownKeys = isUnkept ? await storePresses("slack", shown.unstored, dependencies) : keys;
  // Details is missing, too.
  const lost = isUnkept ? 1 + shown.unstored.size - shownKeys.size : missing.length;
  const blocks = shown.blocks.flatMap((block) => withKeys(block, shownKeys) ?? []);
  const plain: MessageBody = { text: message.text, blocks, ...(isUnkept ? { unkept: true } : {}) };
  const body = [...lines, missingButtons(lost)].reduce((all, line) => withLine(all, line), plain);
  return withLine(body, above, true);
}

/** A reply as escaped text alone, cut to the length of one message: for a message whose usual form Slack refused. */
export function composePlain(given: Reply, command: string): MessageBody {
  const reply = withCommandPrefix(given, command);
  const { mrkdwn } = renderText(toText(fullText(reply, `${command} `)), { max: TEXT_LENGTH, lines: true });
  return { text: mrkdwn, blocks: [] };
}

/** The same with plain tables, where Slack takes none with pages; the same object where there is none with pages. */
export function withoutPages(body: MessageBody): MessageBody {
  if (!body.blocks.some(({ type }) => type === "data_table")) return body;
  const blocks = body.blocks.map((block) =>
    block.type === "data_table" ? { type: "table" as const, rows: block.rows } : block,
  );
  return { ...body, blocks };
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
  const actions = blocks.findLastIndex((block) => block.type === "actions");
  const end = blocks.at(-1)?.type === "context" ? blocks.length - 1 : blocks.length;
  const at = first ? 0 : actions === -1 ? end : actions;
  return { ...body, blocks: [...blocks.slice(0, at), sectionBlock(mrkdwn), ...blocks.slice(at)] };
}

export function withSmallPrint(body: MessageBody, mrkdwn: string): MessageBody {
  return { ...body, blocks: [...body.blocks, contextBlock(mrkdwn)] };
}

/** A person as a destination or in a mention: a user id (U… or W…), bare or behind `user:`. */
export const USER_ID = /^(?:user:)?([UW][A-Z0-9]+)$/u;

/** Adds a delivery's mention, of a person or a user group: the only place where a name may ping. */
export function withMention(body: MessageBody, mention: string | undefined): MessageBody {
  const person = mention === undefined ? undefined : USER_ID.exec(mention)?.[1];
  const group = mention === undefined ? undefined : /^S[A-Z0-9]+$/u.exec(mention)?.[0];
  const call = person === undefined ? (group === undefined ? "" : `<!subteam^${group}>`) : `<@${person}>`;
  if (call === "") return body;
  const called = { ...body, text: `${call} ${body.text}` };
  return body.blocks.length === 0 ? called : withLine(called, call, true);
}
