import { plainText } from "../../../reply/plain-text.ts";
import type { Ask, Reply } from "../../../reply/reply.ts";
import { withTimeout } from "../../timeout.ts";
import type { SlackContext } from "../context.ts";
import { MAX_OPTIONS, TRIGGER_LIFETIME_MILLIS } from "../limits.ts";
import {
  blockIdOf,
  type FormMetadata,
  type FormState,
  optionNameOf,
  optionObject,
  readForm,
  readFormMetadata,
  renderForm,
} from "../render/form.ts";
import { describeError } from "../transport/api-error.ts";
import { ResponseUrl } from "../transport/response-url.ts";
import { editableDirectMessage } from "./editable-message.ts";
import { type Asker, callerOf, commandOf, plainCaller, prepare, targetOf } from "./invocation.ts";
import type { RequestContext, Responder } from "./request-context.ts";
import { respond } from "./respond.ts";
import { ButtonResponder, CommandResponder, DirectMessageResponder } from "./responders.ts";

/** Opens the form of a command; false when there is none, or Slack does not open it. Never rejects. */
export async function openForm(
  desk: SlackContext,
  trigger: string,
  ask: Ask,
  place: FormMetadata,
  workspace: string | undefined,
): Promise<boolean> {
  const command = commandOf(desk, ask);
  if (command === undefined) return false;
  try {
    const view = renderForm(command, valuesFor(desk, ask, place, workspace), desk.bot.networks, place);
    // Later Slack opens nothing any more: whoever waits is told at once what to type instead.
    await withTimeout(
      desk.web.views.open({ trigger_id: trigger, view }),
      desk.triggerMillis ?? TRIGGER_LIFETIME_MILLIS,
    );
    return true;
  } catch (error) {
    desk.log.warn({ platform: "slack", command: ask.command, why: describeError(error) }, "a form could not be opened");
    return false;
  }
}

/** What is known already: who sees the answer, too, where that is settled. */
function valuesFor(
  desk: SlackContext,
  ask: Ask,
  { channel }: FormMetadata,
  workspace: string | undefined,
): Ask["options"] {
  const openly = desk.bot.audience(ask.command, targetOf({ workspace, channel })) === "channel";
  return openly ? { private: "no", ...ask.options } : ask.options;
}

/** The parts of a view that answering takes, as Slack sends them. */
export interface SubmittedView {
  readonly private_metadata: string;
  readonly blocks: readonly { readonly block_id?: string }[];
  readonly state?: { readonly values: FormState };
}

/** What to do with a form that was sent: say what is wrong, by block; or close it and answer. */
type FormResult = { readonly errors: Readonly<Record<string, string>> } | { readonly answer: () => Promise<void> };

/** An error below a field; longer ones are hard to read there. */
const FIELD_ERROR_LENGTH = 400;

/** Checks a form without asking the network, so that Slack can be told in time. */
export async function handleForm(desk: SlackContext, view: SubmittedView, sender: Asker): Promise<FormResult> {
  const place = readFormMetadata(view.private_metadata);
  if (place === undefined) {
    return {
      errors: errorAt(view, undefined, `This form is from another version. Close it and type ${desk.command} again.`),
    };
  }
  const ask: Ask = { command: place.command, options: readForm(view.state?.values ?? {}) };
  const origin = await requestContextOf(desk, place, sender);
  const prepared = prepare(desk, ask, origin);
  if (!prepared.ok) return { errors: errorAt(view, prepared.option, sentence(prepared.reply)) };
  return { answer: () => respond(desk, ask, origin) };
}

async function requestContextOf(desk: SlackContext, place: FormMetadata, sender: Asker): Promise<RequestContext> {
  return {
    caller: await callerOf(desk, sender, place.command),
    workspace: sender.workspace,
    channel: place.channel,
    thread: place.thread,
    surface: responderOf(desk, place, sender.id),
  };
}

function responderOf(desk: SlackContext, { response, button, thread, shared }: FormMetadata, user: string): Responder {
  if (response === undefined) return new DirectMessageResponder(desk, user);
  const url = new ResponseUrl(response, desk);
  const note = editableDirectMessage(desk, user);
  return button === true
    ? new ButtonResponder(url, { replaces: false, shared, thread, note })
    : new CommandResponder(url, { shared, note });
}

function errorAt(view: SubmittedView, option: string | undefined, words: string): Record<string, string> {
  const blocks = view.blocks.flatMap(({ block_id: id }) =>
    id !== undefined && optionNameOf(id) !== undefined ? [id] : [],
  );
  const wanted = option === undefined ? undefined : blockIdOf(option);
  const at = blocks.find((id) => id === wanted) ?? blocks[0] ?? blockIdOf("network");
  return { [at]: words };
}

/** What a reply that is an error says, on one line. */
function sentence(reply: Reply): string {
  const more = reply.blocks.flatMap((block) =>
    block.kind === "paragraph" ? [plainText(block.text)] : block.kind === "code" ? [block.text] : [],
  );
  const said = [plainText(reply.title), ...more].join(" ").replaceAll(/\s+/gu, " ").trim().toWellFormed();
  if (said === "") return "This is not right.";
  return said.length <= FIELD_ERROR_LENGTH ? said : `${said.slice(0, FIELD_ERROR_LENGTH - 1).toWellFormed()}…`;
}

/** Values for a field while somebody types, in time or none; what is typed is always among them, since any value may be meant. */
export async function suggestOptions(
  desk: SlackContext,
  view: SubmittedView | undefined,
  block: string,
  typed: string,
  sender: Asker,
): Promise<NonNullable<ReturnType<typeof optionObject>>[]> {
  const place = view === undefined ? undefined : readFormMetadata(view.private_metadata);
  const option = optionNameOf(block);
  if (place === undefined || option === undefined) return [];
  const signal = AbortSignal.any([desk.stopping, AbortSignal.timeout(desk.suggestMillis)]);
  const { promise: late, resolve } = Promise.withResolvers<[]>();
  signal.addEventListener("abort", () => resolve([]), { once: true });
  const found = await Promise.race([
    desk.bot.suggest({
      command: place.command,
      options: readForm(view?.state?.values ?? {}),
      option,
      typed,
      here: targetOf({ workspace: sender.workspace, channel: place.channel }),
      caller: plainCaller(sender),
      signal,
    }),
    late,
  ]);
  const given = typed.trim();
  const own = found.some(({ value }) => value === given) ? undefined : optionObject(`Use “${given}”`, given);
  const offered = found.map(({ label, value }) => optionObject(label, value)).filter((one) => one !== undefined);
  return (given === "" || own === undefined ? offered : [...offered.slice(0, MAX_OPTIONS - 1), own]).slice(
    0,
    MAX_OPTIONS,
  );
}
