// Forms: the fields of a button that is to be filled in.
import { Hono } from "hono";

import type { Bot } from "../../../bot/bot.ts";
import { fieldLabel } from "../../../bot/form.ts";
import type { Choice, Option } from "../../../bot/options/options.ts";
import type { Ask } from "../../../reply/reply.ts";
import { refuse } from "../access/guard.ts";
import { type InvocationDependencies, readBody } from "./invocations.ts";
import { ButtonQuestion, CONSOLE_CONTEXT } from "./question.ts";

/** The answer of POST /api/form; null where nothing can be filled in. */
export interface FormJson {
  readonly title: string;
  /** The label of the button that sends it. */
  readonly verb: string;
  /** What it is about, which is settled. */
  readonly about: readonly { readonly label: string; readonly value: string }[];
  readonly fields: readonly FieldJson[];
}

interface FieldJson {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  /** What a thing that is changed has now. */
  readonly before?: string;
  /** What is sent where nothing is left in it. */
  readonly none?: string;
  /** All there is to choose from. */
  readonly choices?: readonly Choice[];
}

/** Of what a command needs most, a form has so many fields, beside the value with which its button ends. */
const MOST_NEEDED = 2;
/** So many where it changes a thing of which nothing is named yet. */
const OF_A_THING = 5;

/**
 * The form of a button; undefined where nothing in it can be filled in. `present`: what the thing has that it changes.
 */
function formOf(
  { commands }: Pick<Bot, "commands">,
  { command: name, options: asked }: Ask,
  present: Ask["options"] = {},
): FormJson | undefined {
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return undefined;
  const { edits, fields = () => [], options, summary, verb = "Ask", title = summary } = command;
  const given = edits === undefined ? asked : { ...present, ...asked };
  const namesThing = edits !== undefined && Object.keys(asked).join() === edits.option;
  const most = fields(given).filter((one) => namesThing || isTyped(options[one]));
  const needed = namesThing ? most.slice(0, OF_A_THING) : edits === undefined ? most.slice(0, MOST_NEEDED) : [];
  const last = namesThing ? [] : Object.keys(asked).slice(-1);
  const names = [...new Set([...needed, ...last])].filter(
    (one) => options[one]?.kind === "choice" || isTyped(options[one]),
  );
  if (names.length === 0) return undefined;
  const valueOf = (one: string): string => String(given[one] ?? "");
  const labelOf = (one: string): string => fieldLabel(one, options[one] ?? {});
  const about = Object.keys(given).flatMap((one) => {
    const option = options[one];
    const several = option?.kind === "text" ? option.several : undefined;
    if (names.includes(one) || (one !== edits?.option && several === undefined)) return [];
    const choices = typeof several === "object" ? several.flatMap((group) => group.choices) : [];
    // What can be chosen is said as its choice says it.
    const chosen = choices.find(({ value }) => value === valueOf(one));
    return [{ label: labelOf(one), value: chosen?.label ?? valueOf(one) }];
  });
  const typed = names.map((one) => ({
    name: one,
    label: labelOf(one),
    hint: options[one]?.hint ?? "",
    value: valueOf(one),
    ...(edits === undefined ? {} : { before: String(present[one] ?? ""), ...noneOf(options[one]) }),
    ...(options[one]?.kind === "choice" ? { choices: options[one].choices } : {}),
  }));
  return { title, verb, about, fields: typed };
}

function noneOf(option: Option | undefined): Pick<FieldJson, "none"> {
  return option?.kind === "text" && option.none !== undefined ? { none: option.none } : {};
}

function isTyped(option: Option | undefined): boolean {
  return option?.kind === "text" || option?.kind === "integer";
}

/** POST /form gives the fields of a button. */
export function formRoutes({ bot, stopping }: Pick<InvocationDependencies, "bot" | "stopping">): Hono {
  const app = new Hono();

  app.post("/form", async (c) => {
    const asked = await readBody(c, ButtonQuestion);
    if (asked === undefined)
      return refuse(c, 400, 'Send {"command":"alerts add","options":{"kinds":"market.price"}}; nothing else.');
    const { command, options } = asked;
    const signal = AbortSignal.any([c.req.raw.signal, stopping]);
    return c.json(formOf(bot, asked, await bot.present({ ...CONSOLE_CONTEXT, command, options, signal })) ?? null);
  });

  return app;
}
