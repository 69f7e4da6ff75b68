import { type Guess, guesses, lacking, saidNetwork, sureGuess } from "../src/answers/questions/questions.ts";
import { command, type CommandContext } from "../src/bot/command.ts";
import type { Options } from "../src/bot/options/options.ts";
import { startsOf } from "../src/bot/grammar/find-command.ts";
import { formatLine } from "../src/bot/grammar/grammar.ts";
import { plainWords } from "../src/bot/grammar/plain-words.ts";
import { quoteTyped } from "../src/bot/nearest.ts";
import { UserError } from "../src/errors.ts";
import { paragraph } from "../src/reply/block.ts";
import { type Action, type Ask, buttonsOrChoice, commandAction, reply, type Reply } from "../src/reply/reply.ts";
import { commandLine, joinText, text } from "../src/reply/text.ts";

export const ask = command({
  name: "ask",
  asked: ["ask question"],
  summary: "Ask in plain words",
  verb: "Answer",
  title: "Ask a question",
  examples: ["ask is the network healthy", "ask spread of BTC", "ask what happened last night"],
  personal: true,
  options: {
    question: {
      kind: "text",
      required: true,
      description: "In English: is the network healthy, spread of BTC, what happened last night",
      example: "is the network healthy",
      maxLength: 400,
      rest: true,
    },
  },
  run: async (context) => {
    const { networks, options, askedPrivately } = context;
    const { question } = options;
    const named = saidNetwork(plainWords(question), networks)?.value ?? context.network;
    if (named !== context.network) {
      return context.run({ command: "ask", options: { ...options, network: named, private: askedPrivately } });
    }
    const found = await guesses(question, {
      ...context,
      commands: context.commands.filter(({ name }) => name !== "ask"),
    });
    // What is no command and no sentence is a question where every word of it is known.
    if (context.slip !== undefined && !(found[0] !== undefined && found[0].share === 1)) throw context.slip;
    if (found.length === 0) {
      throw new UserError(`No command answers ${quoteTyped(question)}.`, {
        remedy:
          "Ask in English about a network, a market, an order, an export or alerts. The commonest commands are below; help shows all of them.",
        suggestion: "help",
        starts: startsOf(context.commands),
      });
    }
    const sure = sureGuess(found);
    if (sure === undefined || !runs(sure)) return offer(sure === undefined ? found : [sure], context);
    return context.run(askedPrivately ? { ...askOf(sure), options: { ...sure.options, private: true } } : askOf(sure));
  },
});

type Context = CommandContext<Options>;

/** Whether a guess may run by itself: what only reads, and lacks nothing. */
function runs(guess: Guess): boolean {
  const { changes, askedFirst } = guess.command;
  return changes !== true && askedFirst !== true && lacking(guess).length === 0;
}

function askOf({ command: { name }, options }: Guess): Ask {
  return { command: name, options };
}

/** One press for each command that may be meant; of a value that it lacks, those that may be meant. */
async function offer(found: readonly Guess[], context: Context): Promise<Reply> {
  const [only, ...others] = found;
  const notes = found.some((one) => !runs(one)) ? [paragraph("Nothing is done before you press it.")] : [];
  if (only === undefined || others.length > 0) {
    const names = found.map(({ command: { name } }) => commandLine(name));
    const items = found.map((one) => text`${commandLine(formatLine(askOf(one)))} · ${aboutOf(one)}`);
    return reply({
      title: text`Did you mean ${joinText(names, " or ")}?`,
      blocks: [{ kind: "list", items }, ...notes],
      actions: found.map((one) => actionOf(one, context)),
    });
  }
  const values = await valuesOf(only, context);
  const isChosen = values.length > 0;
  return reply({
    title: text`Did you mean ${commandLine(formatLine(askOf(only)))}?`,
    blocks: isChosen ? [paragraph(only.command.summary)] : [paragraph(aboutOf(only)), ...notes],
    actions: isChosen ? values : [actionOf(only, context)],
  });
}

/** What is lacking is asked for by a form, where the place has forms. */
function actionOf(guess: Guess, { here, platforms }: Context): Action {
  const { name, title, verb } = guess.command;
  const action = commandAction(title ?? verb ?? name, name, guess.options);
  const opens = lacking(guess).length > 0 && platforms.chat(here.platform) !== undefined;
  return opens ? { ...action, form: true } : action;
}

function aboutOf(guess: Guess): string {
  const needs = lacking(guess);
  return needs.length === 0 ? guess.command.summary : `${guess.command.summary}; it asks for ${needs.join(" and ")}`;
}

/** The question with each value that the caller may mean for the only one that is lacking, where nobody else sees them. */
async function valuesOf(guess: Guess, context: Context): Promise<readonly Action[]> {
  const [name, ...more] = lacking(guess);
  const { askedFirst, changes } = guess.command;
  // Those have forms.
  if (askedFirst === true || changes === true) return [];
  const option = guess.command.options[name ?? ""];
  if (context.audience === "channel" || name === undefined || more.length > 0 || option?.kind !== "text") return [];
  const choices = (await option.suggest?.("", { ...context, options: guess.options }).catch(() => [])) ?? [];
  const prepared = choices.map(({ label, value }) => ({
    label,
    invocation: { command: guess.command.name, options: { ...guess.options, [name]: value } },
  }));
  return choices.length === 0 ? [] : buttonsOrChoice("Which one?", prepared, "reply");
}
