import { randomBytes } from "node:crypto";

import { ApiError, type ApiErrorKind } from "../api/api-error.ts";
import { BotStopping, StorageError, UserError } from "../errors.ts";
import type { Log } from "../log.ts";
import { type Block, details, field, paragraph } from "../reply/block.ts";
import { type Action, type Ask, choiceActions, reply, type Reply } from "../reply/reply.ts";
import { code, text, type Text } from "../reply/text.ts";
import { formatLine } from "./grammar/grammar.ts";

/** The question to which an error belongs; its options as given, so that another value can be offered for one of them. */
export type Asked = Pick<Ask, "command"> & Partial<Ask>;

/**
 * Turns any thrown value into a reply. Three kinds of errors, by who can act: UserError is the caller's, ApiError the
 * network's, anything else a bug, of which people see only an id.
 */
export function errorReply(
  thrown: unknown,
  context: Asked & { readonly log: Log; readonly signal: AbortSignal },
): Reply {
  if (thrown instanceof UserError) return userErrorReply(thrown, context);
  if (thrown instanceof ApiError) return apiErrorReply(thrown);
  if (context.signal.aborted && !(thrown instanceof StorageError)) return cancelledReply(context.signal.reason);
  const id = randomBytes(4).toString("hex");
  context.log.error({ err: thrown, bug: id, command: context.command }, "command failed");
  if (thrown instanceof StorageError) {
    const { title, remote, remedy = "Ask again once its operator has mended that" } = thrown;
    const words = text`Nothing of this was kept, and you did nothing wrong. ${remedy}; the log has the cause under ${code(id)}.`;
    return failedReply(title, words, remote ? "network" : "bug");
  }
  const words = text`This is a fault of the bot, not yours. Its operator finds the cause in the log under ${code(id)}.`;
  return failedReply("Something went wrong inside the bot", words, "bug");
}

function failedReply(title: string, words: Text, failure: "network" | "bug"): Reply {
  return reply({ tone: "bad", title, blocks: [paragraph(words)], failure });
}

function userErrorReply(error: UserError, context: Asked): Reply {
  const isOnly = error.also.length === 0;
  const asks = error.asks === true && isOnly;
  const line: Block[] = error.suggestion === undefined ? [] : [{ kind: "code", text: error.suggestion, command: true }];
  const remedy = asks ? error.step() : (error.remedy ?? "");
  const starts = error.starts.map(({ command, options = {}, ...shown }): Action => ({
    ...shown,
    invocation: { command, options },
    effect: "reply",
  }));
  // A choice for one value would leave the others wrong.
  const actions = [...(isOnly ? meant(error, context) : []), ...starts];
  const blocks: Block[] = [
    ...(remedy === "" ? [] : [paragraph(remedy)]),
    // What answers a question is chosen, not typed; nor is what a button does.
    ...((asks && actions.length > 0) || starts.some((one) => isLine(one, error.suggestion)) ? [] : line),
  ];
  if (!isOnly) {
    const items = error.also.map((one) => text`${one.asLine()}`);
    blocks.push({ kind: "list", title: text`Also wrong`, items });
  }
  const how = asks ? ({ asks: true, tone: "neutral" } as const) : ({ tone: "warning" } as const);
  const wrong = error.option === undefined ? {} : { wrong: error.option };
  return reply({ ...how, ...wrong, title: error.message, blocks, actions, failure: "caller" });
}

function isLine(action: Action, line: string | undefined): boolean {
  return "invocation" in action && formatLine(action.invocation) === line;
}

/** The same question with each value that may be meant for an ambiguous value, a word in it, or a missing value. */
function meant({ asks, option, meanings }: UserError, { command, options }: Asked): Action[] {
  if (option === undefined || meanings === undefined || options === undefined) return [];
  const given = String(options[option] ?? "").trim();
  const typed = meanings.typed.trim();
  const words = given === typed ? [given] : given.split(/([\s,;]+)/u);
  const at = words.findIndex((word) => word.toLowerCase() === typed.toLowerCase());
  if (at === -1) return [];
  const askWith = (value: string): Ask => ({
    command,
    options: { ...options, [option]: words.with(at, value).join("") },
  });
  // The answer to a question stands below it, with its files.
  return choiceActions("Choose one", meanings.values, askWith, asks === true ? "reply" : "replace");
}

const API_TITLES: Record<ApiErrorKind, string> = {
  unreachable: "The data node cannot be reached",
  timeout: "The data node did not answer in time",
  "rate-limited": "The data node asks for fewer questions",
  banned: "The data node refuses this bot for a while",
  "not-found": "The network knows of no such thing",
  invalid: "The data node refuses this question",
  server: "The data node failed",
  refused: "The data node refused to answer",
  unreadable: "The data node sent an answer that cannot be understood",
  cut: "The data node broke off in the middle",
};

function apiTitle({ kind, foreign, httpStatus }: ApiError): string {
  if (foreign) return "What answers at this address is no data node";
  if (kind === "refused" && httpStatus === 404) return "The data node has no such route";
  return API_TITLES[kind];
}

function apiErrorReply(error: ApiError): Reply {
  // Not found or wrongly asked: only the caller can mend that.
  const callers = error.kind === "not-found" || error.kind === "invalid";
  const facts = [
    field("Network", error.network),
    field("Node", code(error.node)),
    ...(error.httpStatus === undefined ? [] : [field("HTTP status", error.httpStatus)]),
    ...(error.code === undefined ? [] : [field("Code", error.code)]),
    ...(error.path === undefined ? [] : [field("At", code(error.path))]),
  ];
  const below: Block[] = [{ kind: "fields", fields: facts }];
  if (error.tried.length > 1) {
    below.push({
      kind: "list",
      title: text`Tried`,
      items: error.tried.map((attempt) => text`${code(attempt.node)}: ${attempt.why}`),
    });
  }
  return reply({
    tone: callers ? "warning" : "bad",
    title: apiTitle(error),
    blocks: [paragraph(error.message), ...details(below)],
    failure: callers ? "caller" : "network",
  });
}

/** The reply to an aborted command, by the reason of its signal: the caller left, time is up, or the bot stops. */
export function cancelledReply(reason: unknown): Reply {
  if (reason instanceof BotStopping) {
    return reply({
      tone: "warning",
      title: "The bot is being restarted",
      blocks: [paragraph("This was broken off before it was done. Ask again in a minute.")],
      failure: "network",
    });
  }
  const timedOut = reason instanceof Error && reason.name === "TimeoutError";
  return reply({
    tone: "warning",
    title: timedOut ? "This took too long and was given up" : "Cancelled",
    failure: timedOut ? "network" : "caller",
  });
}
