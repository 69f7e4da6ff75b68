import { type APIModalSubmitInteraction, InteractionType } from "discord-api-types/v10";
import { DiscordAPIError } from "discord.js";

import type { Bot } from "../../../bot/bot.ts";
import type { AnyCommand } from "../../../bot/command.ts";
import { fieldLabel } from "../../../bot/form.ts";
import type { Choice } from "../../../bot/options/options.ts";
import type { Fault, Invocation, Prepared } from "../../../bot/invocation.ts";
import { type Ask, reply, type Reply } from "../../../reply/reply.ts";
import { strong, text } from "../../../reply/text.ts";
import { COMMON_OPTIONS, formOptions } from "../../chat/form.ts";
import { KEPT_MILLIS, type Press, storePresses } from "../../chat/press.ts";
import { MAX_SELECT_OPTIONS } from "../limits.ts";
import { changedOptions, type FormValues, formValues, readModal, renderModal, typedValues } from "../render/modal.ts";
import { storedPressId } from "../render/press.ts";
import { errorForLog } from "../transport/rest.ts";
import { callerOf, type InteractionContext, targetOf } from "./interaction.ts";
import { formNotOpenedNotice } from "./notices.ts";
import { pressOf, replyPrivately } from "./read-press.ts";

// The form of a command that changes a thing, or of a button that asks for one. It opens only as the first answer, and
// closes when it is sent: what is wrong in it is answered with a button that opens it again.

type FormPress = Extract<Press, { kind: "form" }>;

/** Whether a form can answer: the command changes a thing, and nothing but this thing is named. */
export function takesForm({ bot, interaction }: InteractionContext, ask: Ask): boolean {
  const edits = commandOf(bot, ask)?.edits;
  const named = Object.keys(ask.options);
  const namesThing = edits !== undefined && named.length === 1 && named[0] === edits.option;
  return namesThing && interaction.type !== InteractionType.ModalSubmit;
}

/** Opens the form of a typed command that lacks a value; false where it lacks none, or the form does not open. */
export async function openLackingForm(context: InteractionContext, ask: Ask): Promise<boolean> {
  const lacks = commandOf(context.bot, ask)?.lacks?.(ask.options) === true;
  return lacks && openForm(context, { kind: "form", ask }, {});
}

/** Opens the form of a pressed button; a notice says what to type where it does not open. */
export async function openPressedForm(context: InteractionContext, press: FormPress): Promise<void> {
  const { ask } = press;
  const { bot, interaction, signal } = context;
  const thing = commandOf(bot, ask)?.edits?.option;
  const options = thing === undefined ? {} : { [thing]: ask.options[thing] ?? "" };
  const asked = { command: ask.command, options, here: targetOf(interaction), caller: callerOf(interaction), signal };
  const present = thing === undefined ? {} : await bot.present(asked);
  if (present !== undefined && (await openForm(context, press, present))) return;
  await replyPrivately(context, formNotOpenedNotice(ask));
}

/**
 * Opens a form with the present values of the thing, and over them what was typed before; false where the store or Discord
 * does not take it.
 */
export async function openForm(
  context: InteractionContext,
  press: FormPress,
  present: Ask["options"],
): Promise<boolean> {
  const { api, bot, interaction, signal } = context;
  const { ask } = press;
  const command = commandOf(bot, ask);
  if (command === undefined) return false;
  const before = formValues(command, present);
  const keys = await storePresses("discord", [["form", { ...press, before }]], { ...context, ttlMillis: KEPT_MILLIS });
  const key = keys.get("form");
  if (key === undefined) return false;
  const typed = typedValues(command, ask.options);
  const asked = { ...ask, here: targetOf(interaction), caller: callerOf(interaction), signal };
  const [checked, choices] = await Promise.all([
    press.effect === "replace" ? bot.submit(asked) : undefined,
    menusOf(bot, command, asked),
  ]);
  const faults = checked === undefined || checked.ok ? [] : checked.faults;
  const modal = renderModal(
    command,
    { ...before, ...typed },
    {
      networks: bot.networks,
      customId: storedPressId({ key }, 0),
      choices,
      faults: new Map(faults.flatMap(({ option, sentence }) => (option === undefined ? [] : [[option, sentence]]))),
      first: command.edits === undefined ? [] : Object.keys(typed),
      held: before,
      hints: press.hints,
    },
  );
  try {
    await api.showForm(modal);
    return true;
  } catch (error) {
    if (!(error instanceof DiscordAPIError) || api.acknowledged) throw error;
    context.log.error({ ...errorForLog(error), platform: "discord", command: ask.command }, "form not opened");
    return false;
  }
}

/** What there is to choose from: the usual values of an option, or all where it takes nothing else and a menu holds them. */
async function menusOf(
  bot: Bot,
  { edits, options }: AnyCommand,
  asked: Omit<Parameters<Bot["suggest"]>[0], "option" | "typed">,
): Promise<ReadonlyMap<string, readonly Choice[]>> {
  // No form has a field for the thing that it changes.
  const offered = Object.entries(options).filter(
    ([name, option]) => name !== edits?.option && option.kind === "text" && (option.closed ?? option.usual) === true,
  );
  const menus = await Promise.all(
    offered.map(async ([name, option]) => {
      const choices = await bot.suggest({ ...asked, option: name, typed: "" });
      // One place is left for a value that was typed before.
      return [name, "usual" in option ? choices.slice(0, MAX_SELECT_OPTIONS - 1) : choices] as const;
    }),
  );
  return new Map(menus.filter(([, { length }]) => length > 0 && length < MAX_SELECT_OPTIONS));
}

/**
 * What a submitted form asks, and the press that opened it; undefined for one that is no longer known. What was typed for
 * a field that the form did not show is asked as well.
 */
export async function submittedAsk(
  context: InteractionContext<APIModalSubmitInteraction>,
): Promise<{ readonly ask: Ask; readonly press: FormPress; readonly typed: Ask["options"] } | undefined> {
  const { data } = context.interaction;
  const press = await pressOf(context, data.custom_id);
  const command = press?.kind === "form" ? commandOf(context.bot, press.ask) : undefined;
  if (press?.kind !== "form" || command === undefined) return undefined;
  const sent = readModal(data);
  const hidden = Object.entries(press.ask.options).filter(([name, value]) => !(name in sent) && value !== "");
  const filled =
    command.edits === undefined
      ? Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ""))
      : changedOptions(command, press.before ?? {}, sent);
  const options = { ...Object.fromEntries(hidden), ...filled };
  const isTyped = (name: string): boolean =>
    command.edits === undefined ? name in sent : name !== command.edits.option;
  const typed = Object.fromEntries(Object.entries(options).filter(([name]) => isTyped(name)));
  return { ask: { ...press.ask, options }, press, typed };
}

/** What somebody sent in a form, as far as it can be read. */
export function typedIn({ data }: APIModalSubmitInteraction): FormValues {
  try {
    return readModal(data);
  } catch {
    return {};
  }
}

/** Opens a form again with what was typed, and takes the place of what was wrong. */
const BACK = { label: "Back to the form", effect: "replace", form: true } as const;

/** A refusal of a typed command, with the form of the command where it has a field for what is wrong. */
export function withForm(bot: Bot, { command: name, options }: Ask, given: Reply): Reply {
  const { wrong, actions } = given;
  const command = commandOf(bot, { command: name, options });
  const answers = given.asks === true && actions.length > 0;
  if (wrong === undefined || answers || command === undefined || command.edits !== undefined) return given;
  const hasField = formOptions(command, options, true).some(([field]) => field === wrong);
  if (!hasField || COMMON_OPTIONS.includes(wrong)) return given;
  return { ...given, actions: [...actions, { ...BACK, invocation: { command: name, options } }] };
}

/** A submitted form, in which this was typed: where it is wrong, or fails, a button opens it again with all of that. */
export async function prepareForm(bot: Bot, invocation: Invocation, typed: Ask["options"]): Promise<Prepared> {
  const submitted = await bot.submit(invocation);
  const { command: name, options } = invocation;
  const command = commandOf(bot, invocation);
  const back = { ...BACK, invocation: { command: name, options } };
  const refusal = (faults: readonly Fault[]): Reply => {
    // What is missing has a field in the form.
    const missing = faults.flatMap(({ option }) => (option === undefined || option in options ? [] : [[option, ""]]));
    const invocation = { command: name, options: { ...options, ...Object.fromEntries(missing) } };
    return { ...faultsReply(command, typed, faults), actions: [{ ...back, invocation }] };
  };
  if (!submitted.ok) return { ok: false, run: async () => refusal(submitted.faults) };
  return {
    ok: true,
    visibility: submitted.visibility,
    async run() {
      const { reply: given, faults } = await submitted.run();
      if (faults.length > 0) return refusal(faults);
      return given.failure === undefined ? given : { ...given, actions: [...given.actions, back] };
    },
  };
}

/** Names every wrong field, and what else was typed. */
function faultsReply(command: AnyCommand | undefined, typed: Ask["options"], faults: readonly Fault[]): Reply {
  const labelOf = (option: string): string => fieldLabel(option, command?.options[option] ?? {});
  const wrong = new Set(faults.flatMap(({ option }) => option ?? []));
  const [first] = wrong;
  const others = Object.entries(typed).filter(([option]) => !wrong.has(option));
  return reply({
    tone: "warning",
    title:
      first === undefined
        ? "Nothing was done"
        : wrong.size === 1
          ? `Nothing was done: “${labelOf(first)}” needs another value`
          : `Nothing was done: ${wrong.size} fields need other values`,
    blocks: [
      {
        kind: "list",
        items: faults.map(({ option, sentence }) =>
          option === undefined || sentence.includes(`“${labelOf(option)}”`)
            ? text`${sentence}`
            : text`${strong(labelOf(option))}: ${sentence}`,
        ),
      },
      ...(others.length === 0
        ? []
        : [
            {
              kind: "list" as const,
              title: text`Also typed`,
              items: others.map(([option, value]) => text`${strong(labelOf(option))}: ${String(value)}`),
            },
          ]),
    ],
    failure: "caller",
  });
}

function commandOf({ commands }: Bot, { command }: Ask): AnyCommand | undefined {
  return commands.find(({ name }) => name === command);
}
