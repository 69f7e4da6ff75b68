import type { MessageShortcut } from "@slack/bolt";
import type { KnownBlock } from "@slack/types";

import { noAlertNotice, WHY_COMMAND, whyAsk } from "../../chat/why-this-alert.ts";
import type { SlackContext } from "../context.ts";
import { pressablesIn } from "../render/buttons.ts";
import { ASK_BLOCKS, wantsForm } from "../render/form.ts";
import { logFailure } from "../transport/api-error.ts";
import { readValue } from "./button-handler.ts";
import { parseTypedLine } from "./command-handler.ts";
import { answerInView, errorText, formOf, type FormResult, type SubmittedView } from "./form-handler.ts";
import { type Asker, askerOf, callerOf, commandOf, isShared, plainCaller, prepare, targetOf } from "./invocation.ts";
import type { RequestContext } from "./request-context.ts";
import { respond, respondWith } from "./respond.ts";
import { buttonResponder, directMessageResponder } from "./responders.ts";

/** Answers "Why this alert?" on a message, to whoever chose it alone. Never rejects. */
export async function handleWhyThisAlert(slack: SlackContext, shortcut: MessageShortcut): Promise<void> {
  await logFailure(slack, "shortcut", async () => {
    const { channel, message, response_url: url } = shortcut;
    const asker = askerOf(slack, shortcut);
    const thread: unknown = message["thread_ts"];
    const inThread = typeof thread === "string" ? { thread } : {};
    const address = { url, since: slack.now(), used: 0 };
    const shared = isShared(channel.id, channel.name === "directmessage");
    const request: RequestContext = {
      caller: await callerOf(slack, asker, WHY_COMMAND),
      workspace: asker.workspace,
      channel: channel.id,
      ...inThread,
      responder: buttonResponder(slack, { address, user: asker.id, shared, ...inThread }),
    };
    const blocks = Array.isArray(message["blocks"]) ? (message["blocks"] as KnownBlock[]) : [];
    const ask = await whyAsk(pressablesIn(blocks), async ({ value }) => {
      const press = await readValue(slack, value);
      return "kind" in press && press.kind === "ask" ? press.ask : undefined;
    });
    if (ask === undefined) await respondWith(slack, noAlertNotice(), undefined, request, "caller");
    else await respond(slack, ask, { ...request, audience: "caller" });
  });
}

/** Reads "Ask Bellwether": a typed line, or a command whose form takes its place. */
export async function handleAskForm(slack: SlackContext, view: SubmittedView, asker: Asker): Promise<FormResult> {
  const state = view.state?.values ?? {};
  const line = (state[ASK_BLOCKS.line]?.["value"]?.value ?? "").trim();
  const chosen = state[ASK_BLOCKS.command]?.["value"]?.selected_option?.value;
  if (line === "" && chosen === undefined)
    return { errors: { [ASK_BLOCKS.line]: "Type a question, or choose one below." } };
  const ask = line === "" ? { command: chosen ?? "", options: {} } : parseTypedLine(slack, line);
  const command = ask && commandOf(slack, ask);
  const incomplete = ask && command && (line === "" || wantsForm(command, ask));
  if (incomplete) return { view: await formOf(slack, command, ask, { command: command.name, shared: false }, asker) };
  const responder = directMessageResponder(slack, asker.id);
  const place = { workspace: asker.workspace, channel: undefined };
  if (ask === undefined) {
    const here = targetOf(place);
    const reply = await slack.bot.runLine(line, { here, caller: plainCaller(asker), signal: slack.stopping });
    return { errors: { [ASK_BLOCKS.line]: errorText(slack, reply) } };
  }
  const request: RequestContext = { caller: await callerOf(slack, asker, ask.command), ...place, responder };
  const prepared = prepare(slack, ask, request);
  if (!prepared.ok) return { errors: { [ASK_BLOCKS.line]: errorText(slack, prepared.reply) } };
  return answerInView(slack, ask, request, view.id);
}
