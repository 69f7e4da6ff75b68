import type { ModalView } from "@slack/types";

import type { AnyCommand } from "../../../bot/command.ts";
import type { Fault } from "../../../bot/invocation.ts";
import { withCommandPrefix } from "../../../reply/command-prefix.ts";
import { plainText } from "../../../reply/plain-text.ts";
import type { Ask, Reply } from "../../../reply/reply.ts";
import type { Milliseconds } from "../../../units/time.ts";
import type { SlackContext } from "../context.ts";
import { MAX_OPTIONS } from "../limits.ts";
import { type FormMetadata, readFormMetadata, readQuestion, renderForm } from "../render/form.ts";
import {
  type FormBlock,
  type FormState,
  heldIn,
  optionNameOf,
  optionObject,
  readFields,
  readForm,
} from "../render/form-fields.ts";
import { describeError } from "../transport/api-error.ts";
import { publishHome } from "../home/home.ts";
import { type AnswerView, showView, viewResponder, waitingView } from "./answer-view.ts";
import { type Asker, callerOf, commandOf, plainCaller, targetOf } from "./invocation.ts";
import { startForm } from "./start-form.ts";
import type { RequestContext, Responder } from "./request-context.ts";
import { respond } from "./respond.ts";
import { isMention, resolveMention } from "./typed-mention.ts";
import { buttonResponder, commandResponder, directMessageResponder } from "./responders.ts";
import { cutLabel } from "../../chat/bounds.ts";

/**
 * Opens the form of a command, in place of an answer's modal where it was asked for there; false when the command is
 * unknown, or Slack does not open it in time: the caller then says what to type instead. Never rejects.
 */
export async function openForm(
  slack: SlackContext,
  trigger: string | AnswerView,
  ask: Ask,
  metadata: FormMetadata,
  asker: Asker,
): Promise<boolean> {
  const command = commandOf(slack, ask);
  if (command === undefined) return false;
  const view = await showView(slack, trigger, ask.command, () => formOf(slack, command, ask, metadata, asker));
  return view !== undefined;
}

/** The form of a question, with what is known: what was typed, and what the thing has that it would change. */
export async function formOf(
  slack: SlackContext,
  command: AnyCommand,
  ask: Ask,
  metadata: FormMetadata,
  asker: Asker,
): Promise<ModalView> {
  const here = targetOf({ workspace: asker.workspace, channel: metadata.channel });
  const openly = slack.bot.audience(ask.command, here) === "channel";
  const given = openly ? { private: "no", ...ask.options } : ask.options;
  const present = await presentOf(slack, ask, metadata, asker);
  const { edits } = command;
  if (present === undefined || edits === undefined || !(edits.option in ask.options))
    return renderForm(command, { ...present, ...given }, slack.bot.networks, metadata);
  // A value that was typed already is a change, too.
  const changed = Object.keys(ask.options).filter((name) => name !== edits.option);
  const begins = String(given[edits.option]).trim();
  return renderForm(command, { ...present, ...given }, slack.bot.networks, { ...metadata, begins, changed });
}

/** What a thing has now, as it would be typed. */
function presentOf(slack: SlackContext, ask: Ask, { channel }: FormMetadata, asker: Asker) {
  const { id, workspace } = asker;
  const here = targetOf({ workspace, channel });
  const zone = () => slack.managers.zoneOf({ id, workspace });
  return slack.bot.present({ ...ask, here, caller: plainCaller(asker), zone, signal: slack.stopping });
}

/**
 * Shows the fields of an open form anew, with what is filled in: those that make a difference now, and those under a
 * heading that is opened. Never rejects.
 */
export async function showFields(
  slack: SlackContext,
  open: SubmittedView,
  asker: Asker,
  section?: string,
): Promise<void> {
  await updateForm(slack, open, async (command, metadata) => {
    const { changed } = readQuestion(command, metadata, open);
    const held = Object.fromEntries(
      [...readFields(open.state?.values ?? {})].map(([name, { value }]) => [name, value]),
    );
    const shown = { ...metadata, open: [...(metadata.open ?? []), ...(section === undefined ? [] : [section])] };
    const { begins } = metadata;
    // What a thing has is not in the fields that are not shown yet.
    if (begins !== undefined && command.edits !== undefined) {
      const present = await presentOf(
        slack,
        { command: command.name, options: { [command.edits.option]: begins } },
        metadata,
        asker,
      );
      return renderForm(command, { ...present, ...held }, slack.bot.networks, { ...shown, changed });
    }
    return renderForm(command, held, slack.bot.networks, { ...shown, changed });
  });
}

/** Something was chosen on which a form depends: shows what the thing has that it changes, or its fields anew. Never rejects. */
export async function showChosen(slack: SlackContext, open: SubmittedView, block: string, asker: Asker): Promise<void> {
  const metadata = readFormMetadata(open.private_metadata);
  const { edits } = (metadata && commandOf(slack, { command: metadata.command, options: {} })) ?? {};
  if (edits === undefined || optionNameOf(block) !== edits.option) return showFields(slack, open, asker);
  await updateForm(slack, open, (command, { begins: _begins, changed: _changed, open: _open, ...rest }) => {
    const chosen = readForm(open.state?.values ?? {})[edits.option];
    const options = chosen === undefined ? {} : { [edits.option]: chosen };
    return formOf(slack, command, { command: command.name, options }, rest, asker);
  });
}

async function updateForm(
  slack: SlackContext,
  open: SubmittedView,
  viewOf: (command: AnyCommand, metadata: FormMetadata) => Promise<ModalView>,
): Promise<void> {
  const metadata = readFormMetadata(open.private_metadata);
  const command = metadata && commandOf(slack, { command: metadata.command, options: {} });
  if (metadata === undefined || command === undefined) return;
  try {
    await slack.web.views.update({ view_id: open.id, view: await viewOf(command, metadata) });
  } catch (error) {
    slack.log.warn({ platform: "slack", command: command.name, why: describeError(error) }, "form not opened");
  }
}

/** The members of a submitted view in use. */
export interface SubmittedView {
  readonly id: string;
  readonly private_metadata: string;
  readonly blocks: readonly FormBlock[];
  readonly state?: { readonly values: FormState };
}

/**
 * The result of a submitted form: errors by block, or what to do after the acknowledgement, which shows `view` in its place
 * or closes it.
 */
export type FormResult =
  | { readonly errors: Readonly<Record<string, string>> }
  | { readonly view?: ModalView; readonly answer?: () => Promise<void> };

/** The maximum length of a field's error; longer ones are hard to read there. */
const FIELD_ERROR_LENGTH = 400;

/** Takes a form. Whatever is wrong in it, as far as that is known in time, is named at its fields, and it stays open. */
export async function handleForm(slack: SlackContext, view: SubmittedView, sender: Asker): Promise<FormResult> {
  const since = performance.now();
  const metadata = readFormMetadata(view.private_metadata);
  if (metadata === undefined) {
    return {
      errors: errorAt(view, undefined, `This form is from another version. Close it and type ${slack.command} again.`),
    };
  }
  const question = questionIn(slack, metadata, view);
  if ("errors" in question) return question;
  const resolved = await resolveMention(slack, { command: metadata.command, options: question.options }, sender);
  if ("refusal" in resolved) return { errors: errorAt(view, resolved.option, errorText(slack, resolved.refusal)) };
  const { ask } = resolved;
  const request = await requestContextOf(slack, metadata, sender);
  const form = await startForm(slack, ask, request, since);
  if ("faults" in form) return { errors: errorsAt(view, form.faults) };
  const running = { ...request, started: form.started };
  if (metadata.response !== undefined) return { answer: () => respond(slack, ask, running) };
  return answerInView(slack, ask, running, view.id);
}

/** After an acknowledgement Slack shows what came with it; an update before that would be undone by it. */
const SETTLE_MILLIS: Milliseconds = 250;

/** Answers in the modal that was submitted. */
export function answerInView(slack: SlackContext, ask: Ask, request: RequestContext, id: string): FormResult {
  const { caller, channel, workspace } = request;
  return {
    view: waitingView(slack, ask, channel),
    async answer() {
      const responder = viewResponder(slack, { id, channel }, slack.sleep(SETTLE_MILLIS, slack.signal));
      await respond(slack, ask, { ...request, responder });
      // The home tab may show what was changed.
      if (commandOf(slack, ask)?.changes === true) await publishHome(slack, { id: caller.id, workspace });
    },
  };
}

function questionIn(
  slack: SlackContext,
  metadata: FormMetadata,
  view: SubmittedView,
): { readonly errors: Readonly<Record<string, string>> } | { readonly options: Ask["options"] } {
  const command = commandOf(slack, { command: metadata.command, options: {} });
  // The bot answers for a command that is gone.
  if (command === undefined) return { options: readForm(view.state?.values ?? {}) };
  const { options, twice } = readQuestion(command, metadata, view);
  const [picker] = twice;
  if (picker !== undefined) {
    const what = isMention(command, optionNameOf(picker)) ? "A group is chosen" : "Another time is typed";
    return { errors: { [picker]: `${what} above: empty one of the two.` } };
  }
  const { edits } = command;
  if (metadata.begins !== undefined && edits !== undefined && options[edits.option] !== metadata.begins)
    return { errors: errorAt(view, edits.option, "Wait a moment, until the form shows what this one has.") };
  return { options };
}

async function requestContextOf(slack: SlackContext, metadata: FormMetadata, sender: Asker): Promise<RequestContext> {
  return {
    caller: await callerOf(slack, sender, metadata.command),
    workspace: sender.workspace,
    channel: metadata.channel,
    thread: metadata.thread,
    taken: metadata.taken === true,
    responder: responderOf(slack, metadata, sender.id),
  };
}

function responderOf(slack: SlackContext, metadata: FormMetadata, user: string): Responder {
  const { response: address, button, replaces, thread, shared } = metadata;
  if (address === undefined) return directMessageResponder(slack, user);
  return button === true
    ? buttonResponder(slack, { address, user, replaces, shared, thread })
    : commandResponder(slack, { address, user, shared });
}

/** The faults by the blocks of their fields: of two, that which is filled in. What has no field stands at the first. */
function errorsAt(view: SubmittedView, faults: readonly Fault[]): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { option, sentence } of faults) {
    const [at] = Object.keys(errorAt(view, option, sentence));
    if (at === undefined) continue;
    errors[at] = fieldError(`${errors[at] ?? ""} ${sentence}`);
  }
  return errors;
}

function errorAt(view: SubmittedView, option: string | undefined, words: string): Record<string, string> {
  const blocks = view.blocks.flatMap(({ block_id: id }) =>
    id !== undefined && optionNameOf(id) !== undefined ? [id] : [],
  );
  const own = blocks.filter((id) => optionNameOf(id) === option);
  const at = own.find((id) => heldIn(view.state?.values[id]) !== "") ?? own[0] ?? blocks[0] ?? "option:network";
  return { [at]: words };
}

/** The text of an error reply, on one line. */
export function errorText({ command }: Pick<SlackContext, "command">, given: Reply): string {
  const reply = withCommandPrefix(given, command);
  const details = reply.blocks.flatMap((block) =>
    block.kind === "paragraph"
      ? [plainText(block.text)]
      : block.kind === "code"
        ? [block.text]
        : block.kind === "list"
          ? [`${block.items.map(plainText).join(", ")}.`]
          : [],
  );
  return fieldError([plainText(reply.title), ...details].join(" "));
}

function fieldError(words: string): string {
  const text = words.replaceAll(/\s+/gu, " ").trim().toWellFormed();
  return text === "" ? "This is not right." : cutLabel(text, FIELD_ERROR_LENGTH).text;
}

/** Suggestions while typing, empty on time-out; the typed value is always included, since any value may be valid. */
export async function suggestOptions(
  slack: SlackContext,
  view: SubmittedView | undefined,
  block: string,
  typed: string,
  sender: Asker,
): Promise<NonNullable<ReturnType<typeof optionObject>>[]> {
  const metadata = view === undefined ? undefined : readFormMetadata(view.private_metadata);
  const option = optionNameOf(block);
  if (metadata === undefined || option === undefined) return [];
  const command = commandOf(slack, { command: metadata.command, options: {} });
  const found = isMention(command, option)
    ? await slack.userGroups.suggest(typed, sender)
    : await slack.bot.suggest({
        command: metadata.command,
        options: readForm(view?.state?.values ?? {}),
        option,
        typed,
        here: targetOf({ workspace: sender.workspace, channel: metadata.channel }),
        caller: plainCaller(sender),
        signal: AbortSignal.any([slack.stopping, AbortSignal.timeout(slack.suggestMillis)]),
      });
  const given = typed.trim();
  const own = found.some(({ value }) => value === given) ? undefined : optionObject(`Use “${given}”`, given);
  const offered = found.map(({ label, value }) => optionObject(label, value)).filter((one) => one !== undefined);
  return (given === "" || own === undefined ? offered : [...offered.slice(0, MAX_OPTIONS - 1), own]).slice(
    0,
    MAX_OPTIONS,
  );
}
