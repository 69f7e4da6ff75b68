import { askFor } from "../src/answers/answer.ts";
import { type AnyCommand, command, type CommandContext } from "../src/bot/command.ts";
import { isRequired, optionType, shortUsage, usageLine } from "../src/bot/grammar/usage.ts";
import { cutShort, nearest, quoteTyped } from "../src/bot/nearest.ts";
import {
  type Choice,
  MAX_CHOICE_LENGTH,
  type Options,
  plainChoices,
  type SuggestContext,
} from "../src/bot/options/options.ts";
import { UserError } from "../src/errors.ts";
import { type Block, details as inDetail, paragraph, table } from "../src/reply/block.ts";
import { type Action, choiceActions, reply, type Reply } from "../src/reply/reply.ts";
import { code, commandLine, detailText, strong, text } from "../src/reply/text.ts";

/** With more options than these the usage says only the first ones. */
const MOST_NAMES = 8;

/** The everyday commands. */
const STARTS = [
  "time",
  "market list",
  "market show",
  "order",
  "ledger export",
  "alerts add",
  "alerts silence",
  "alerts told",
];

export const help = command({
  name: "help",
  alsoCalled: ["commands", "details"],
  asked: ["help", "what can|could you|do|ask", "how use|do|work", "list|which|what|all command"],
  summary: "What you can ask, and how",
  anyNetwork: true,
  verb: "Show help",
  examples: ["help", "help market show"],
  options: {
    command: {
      kind: "text",
      description: "One command; left out = all of them",
      example: "market show",
      rest: true,
      suggest: suggestCommands,
    },
  },
  run: (context) => {
    const { commands, options } = context;
    if (options.command === undefined) return Promise.resolve(overview(context));
    const typed = options.command.trim().toLowerCase().replaceAll(/\s+/gu, " ");
    const exact = commands.find(({ name }) => name === typed);
    if (exact !== undefined) return Promise.resolve(details(context, exact));
    const group = commands.filter(({ name }) => name.startsWith(`${typed} `));
    const [only] = group;
    if (only !== undefined && group.length === 1) return Promise.resolve(details(context, only));
    if (only !== undefined) return Promise.resolve(groupOf(context, typed, group));
    return Promise.reject(unknownCommand(options.command, commands));
  },
});

type HelpContext = Pick<CommandContext<Options>, "here" | "platforms" | "network" | "networks" | "commands">;

function overview(context: HelpContext): Reply {
  const { commands, networks } = context;
  const [, second] = networks;
  const where =
    second === undefined
      ? text`All of them ask ${strong(context.network)}.`
      : text`They ask ${strong(networks[0] ?? "")}; add ${code(`network:${second}`)} for another.`;
  const starts = STARTS.flatMap((name) => commands.find((one) => one.name === name) ?? []);
  const others = commands.filter((one) => !starts.includes(one));
  return reply({
    title: "What you can ask",
    blocks: [
      { kind: "list", items: starts.map(({ name, summary }) => text`${commandLine(name)} · ${summary}`) },
      paragraph("Plain words will do: “why was my order rejected”."),
      ...inDetail(
        [{ kind: "list", title: text`Other questions`, items: others.filter(isQuestion).map(item) }],
        "Questions",
      ),
      ...inDetail(
        [
          { kind: "list", title: text`Other commands`, items: others.filter((one) => !isQuestion(one)).map(item) },
          paragraph(
            text`${where} Values go in this order, or by name: ${commandLine("order id:<id> version:1")}. ${code("private:yes")} keeps an answer to yourself. More about one: ${commandLine("help market show")}.`,
          ),
        ],
        "Alerts and more",
      ),
    ],
    actions: topics([...starts, ...others]),
  });
}

/** Whether it is about a network, and neither about alerts nor about the caller. */
function isQuestion({ name }: AnyCommand): boolean {
  return !/^(?:alerts|answers|my|ask|help)\b/u.test(name);
}

/** The first words of the commands: `help` of one lists its commands, or explains its only one. */
function topics(commands: readonly AnyCommand[]): Action[] {
  const names = new Set(commands.map(({ name }) => name.split(" ", 1)[0] ?? name));
  // Help is the same on every network.
  return choiceActions("Help about", plainChoices([...names]), (name) => ({
    command: "help",
    options: { command: name },
  }));
}

function groupOf(context: HelpContext, typed: string, group: readonly AnyCommand[]): Reply {
  return reply({
    title: text`${typed} has ${group.length} commands`,
    blocks: [{ kind: "list", items: group.map(item) }],
    actions: choiceActions("Help about", plainChoices(group.map(({ name }) => name)), (name) =>
      askFor(context, "help", { command: name }),
    ),
  });
}

function item(one: AnyCommand) {
  return text`${commandLine(shortUsage(one))} · ${one.summary}`;
}

/** Beside its examples so many fill a screen. */
const MAX_OPTIONS = 16;

function details(context: HelpContext, one: AnyCommand): Reply {
  const [first = ""] = Object.keys(one.options);
  const options = table({
    name: "options",
    title: text`Options`,
    fold: MAX_OPTIONS,
    rows: Object.entries(one.options),
    columns: [
      ["Name", ([name]) => code(name)],
      ["What", ([, { description }]) => description],
      ["Type", ([, option]) => detailText(optionType(option, context.networks)), 2],
      ["Default", ([name]) => detailText(leftOut(context, one, name)), 3],
    ],
  });
  // A phone has no room for them.
  const { chat, console } = context.platforms;
  const { platform } = context.here;
  const isOnPhones = chat(platform) !== undefined || platform === console.platform;
  return reply({
    title: text`${one.name}: ${one.summary}`,
    blocks: [
      { kind: "list", items: one.examples.map((example) => [commandLine(example)]) },
      ...(one.access === "channel-manager" ? [paragraph("Only people who may manage the channel can use it.")] : []),
      ...(isOnPhones ? [] : [options]),
      ...inDetail([
        {
          kind: "code",
          text: Object.keys(one.options).length > MOST_NAMES ? shortUsage(one) : usageLine(one),
          command: true,
        },
        ...(isOnPhones ? [options] : []),
        paragraph(text`Values go in the order shown, or by name: ${code(`${first}:…`)} or ${code(`--${first} …`)}.`),
        ...Object.entries(one.options).flatMap(([name, option]): Block[] => {
          const groups = option.kind === "text" && typeof option.several === "object" ? option.several : [];
          const items = groups.flatMap(({ choices }) => choices.map(({ label }) => text`${label}`));
          return items.length === 0 ? [] : [{ kind: "list", title: text`What ${name} may name`, items }];
        }),
      ]),
    ],
    actions: isPlain(one) ? [{ label: one.name, invocation: askFor(context, one.name), effect: "reply" }] : [],
  });
}

function leftOut(context: HelpContext, { options, workspaceChooses }: AnyCommand, name: string): string {
  const { here, networks, platforms } = context;
  const option = options[name];
  if (option === undefined) return "";
  if (name === "private" && workspaceChooses === true) {
    return `yes, unless the ${platforms.workspaceNoun(here.platform)} chose otherwise`;
  }
  if (option.kind === "flag") return option.default ? "yes" : "no";
  if (option.kind === "network") return option.narrows === true ? "everywhere" : (networks[0] ?? "");
  return option.required === true ? "required" : "";
}

/** Whether a command needs no values and no rights, and changes nothing. */
function isPlain(one: AnyCommand): boolean {
  const needs = Object.values(one.options).some(isRequired);
  return !needs && one.access === "everyone" && one.changes !== true && one.name !== "help";
}

function unknownCommand(typed: string, commands: readonly AnyCommand[]): UserError {
  const names = commands.map(({ name }) => name);
  const words = names.flatMap((name) => name.split(" "));
  const near = nearest(typed, names) ?? nearest(typed, words);
  return new UserError(`There is no command ${quoteTyped(typed)}.`, {
    option: "command",
    remedy: near === undefined ? "All commands are listed by:" : `Did you mean ${near}?`,
    suggestion: near === undefined ? "help" : `help ${near}`,
  });
}

function suggestCommands(typed: string, { commands }: SuggestContext): Promise<readonly Choice[]> {
  const low = typed.trim().toLowerCase();
  return Promise.resolve(
    commands
      .filter(({ name }) => name.includes(low))
      .toSorted((a, b) => Number(b.name.startsWith(low)) - Number(a.name.startsWith(low)))
      .map(({ name, summary }) => ({ label: cutShort(`${name} · ${summary}`, MAX_CHOICE_LENGTH), value: name })),
  );
}
