import { QUESTION } from "../../../bot/grammar/grammar.ts";
import { type Ask, disposeReply } from "../../../reply/reply.ts";
import type { SlackContext } from "../context.ts";
import { ASK_BLOCKS, readAskForm, renderAskForm, wantsForm } from "../render/form.ts";
import { showView } from "./answer-view.ts";
import { parseTypedLine } from "./command-handler.ts";
import { answerInView, errorText, formOf, type FormResult, type SubmittedView } from "./form-handler.ts";
import { type Asker, callerOf, commandOf, plainCaller, prepare, targetOf } from "./invocation.ts";
import type { RequestContext } from "./request-context.ts";
import { directMessageResponder } from "./responders.ts";
import { startForm } from "./start-form.ts";

/** Opens the form of "Ask Bellwether", wherever it was chosen. Never rejects. */
export async function openAskForm(slack: SlackContext, trigger: string): Promise<void> {
  const { commands, networks } = slack.bot;
  await showView(slack, trigger, "shortcut", () => renderAskForm(slack.command, commands, networks));
}

/** Reads "Ask Bellwether": a typed line, or a command whose form takes its place. */
export async function handleAskForm(slack: SlackContext, view: SubmittedView, asker: Asker): Promise<FormResult> {
  const since = performance.now();
  const { line, chosen, channel, network } = readAskForm(view.state?.values ?? {});
  if (line === "" && chosen === undefined) return refused("Type a question, or choose one below.");
  const read = line === "" ? { command: chosen ?? "", options: {} } : parseTypedLine(slack, line);
  const place = { workspace: asker.workspace, channel };
  if (read === undefined) {
    const here = targetOf(place);
    const reply = await slack.bot.runLine(line, { here, caller: plainCaller(asker), signal: slack.stopping });
    await disposeReply(reply);
    if (reply.failure !== undefined) return refused(errorText(slack, reply));
  }
  // A line that is no command, and has an answer all the same, is a question.
  const typed = read ?? { command: QUESTION, options: { question: line } };
  // The network that a question is asked of anyway needs no field.
  const where = network === undefined || network === slack.bot.networks[0] ? {} : { network };
  const ask: Ask = { ...typed, options: { ...where, ...typed.options } };
  const command = commandOf(slack, ask);
  if (command !== undefined && (line === "" || wantsForm(command, ask)))
    return { view: await formOf(slack, command, ask, { command: command.name, shared: false, channel }, asker) };
  const caller = await callerOf(slack, asker, ask.command);
  return answerLine(slack, ask, { caller, ...place, responder: directMessageResponder(slack, asker.id) }, view, since);
}

/** Answers a whole line in place of the form, or says at its field what is wrong with it. */
async function answerLine(
  slack: SlackContext,
  ask: Ask,
  request: RequestContext,
  { id }: SubmittedView,
  since: number,
): Promise<FormResult> {
  const prepared = prepare(slack, ask, request);
  if (!prepared.ok) return refused(errorText(slack, await prepared.run()));
  const form = await startForm(slack, ask, request, since);
  if ("started" in form) return answerInView(slack, ask, { ...request, started: form.started }, id);
  const { faults, reply } = form;
  return refused(reply === undefined ? faults.map(({ sentence }) => sentence).join(" ") : errorText(slack, reply));
}

function refused(words: string): FormResult {
  return { errors: { [ASK_BLOCKS.line]: words } };
}
