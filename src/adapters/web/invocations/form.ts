// Forms: the fields of a button that is to be filled in.
import { Hono } from "hono";

import type { Bot } from "../../../bot/bot.ts";
import { fieldLabel } from "../../../bot/form.ts";
import type { Option } from "../../../bot/options/options.ts";
import type { Ask } from "../../../reply/reply.ts";
import { refuse } from "../access/guard.ts";
import { type InvocationDependencies, readBody } from "./invocations.ts";
import { ButtonQuestion } from "./question.ts";

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
}

/** Of what a command needs most, a form has so many fields, beside the value with which its button ends. */
const MOST_NEEDED = 2;

/** The form of a button; undefined where nothing in it can be typed. */
function formOf({ commands }: Pick<Bot, "commands">, { command: name, options: given }: Ask): FormJson | undefined {
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return undefined;
  const { edits, fields = () => [], options, summary, verb = "Ask", title = summary } = command;
  const needed = edits === undefined ? fields(given).slice(0, MOST_NEEDED) : [];
  const names = [...new Set([...needed, ...Object.keys(given).slice(-1)])].filter((one) => isTyped(options[one]));
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
  }));
  return { title, verb, about, fields: typed };
}

function isTyped(option: Option | undefined): boolean {
  return option?.kind === "text" || option?.kind === "integer";
}

/** POST /form gives the fields of a button. */
export function formRoutes({ bot }: Pick<InvocationDependencies, "bot">): Hono {
  const app = new Hono();

  app.post("/form", async (c) => {
    const asked = await readBody(c, ButtonQuestion);
    if (asked === undefined)
      return refuse(c, 400, 'Send {"command":"alerts add","options":{"kinds":"market.price"}}; nothing else.');
    return c.json(formOf(bot, asked) ?? null);
  });

  return app;
}
