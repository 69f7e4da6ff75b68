import {
  type Guess,
  guesses,
  isClosed,
  isSlip,
  lacking,
  runs,
  saidNetwork,
  sureGuess,
  takesFile,
  unreadByAll,
} from "../src/answers/questions/questions.ts";
import { absentNames } from "../src/answers/alerts/alert-subjects.ts";
import { valueWords } from "../src/answers/export-range.ts";
import { formActions } from "../src/answers/answer.ts";
import { command, type CommandContext, type OfferedChange } from "../src/bot/command.ts";
import { fieldLabel } from "../src/bot/form.ts";
import { nearStarts } from "../src/bot/grammar/find-command.ts";
import { isContentWord, plainWords, withoutException } from "../src/bot/grammar/plain-words.ts";
import { stem } from "../src/bot/grammar/stem.ts";
import { quoteTyped } from "../src/bot/nearest.ts";
import { aloneInstead } from "../src/bot/openly.ts";
import { type Choice, type Options, plainChoices } from "../src/bot/options/options.ts";
import { parseOptions, sentenceOf } from "../src/bot/options/parse-options.ts";
import { neededParty, SAVE_PARTY_ACTION } from "../src/bot/options/saved-parties.ts";
import { UserError } from "../src/errors.ts";
import { asButtons } from "../src/reply/fold.ts";
import { type Block, facts, field, type Field, paragraph } from "../src/reply/block.ts";
import {
  type Action,
  type Ask,
  askedBack,
  choiceActions,
  commandAction,
  reply,
  type Reply,
} from "../src/reply/reply.ts";
import { commandLine, joinText, text } from "../src/reply/text.ts";

/** Questions that the bot answers, for completion, too. */
const EXAMPLES = [
  "is the network healthy?",
  "what happened last night?",
  "why was my order rejected?",
  "spread of BTC",
  "subscribe this channel",
  "silence node 2 for two hours",
  "export last week and check it",
];

const THANKS = /^(?:thanks?|cheers)$/u;

export const ask = command({
  name: "ask",
  asked: ["ask question"],
  summary: "Ask in plain words",
  verb: "Answer",
  title: "Ask a question",
  // The console begins with these.
  examples: EXAMPLES.map((question) => `ask ${question}`),
  personal: true,
  options: {
    question: {
      kind: "text",
      required: true,
      description: "In English: is the network healthy, spread of BTC, what happened last night",
      example: "is the network healthy",
      maxLength: 400,
      rest: true,
      suggest: (typed) =>
        Promise.resolve(plainChoices(EXAMPLES.filter((one) => one.includes(typed.trim().toLowerCase())))),
      takes: () => true,
    },
  },
  run: async (context) => {
    const { networks, options, askedPrivately, slip } = context;
    const { question } = options;
    const words = plainWords(question);
    if (words.some((word) => THANKS.test(word)) && !words.some(isContentWord))
      return reply({ title: "You are welcome" });
    if (words.some((word) => /^un-?ack/u.test(word)))
      return reply({ title: "An acknowledgement cannot be taken back: the end of the alert is told all the same" });
    const named = saidNetwork(withoutException(words).words, networks)?.value ?? context.network;
    if (named !== context.network) {
      return context.run({ command: "ask", options: { ...options, network: named, private: askedPrivately } });
    }
    const absent = absentNames(question, context);
    if (absent !== undefined) return absent;
    const found = await guesses(question, {
      ...context,
      commands: context.commands.filter(({ name }) => name !== "ask"),
    });
    if (slip !== undefined && isSlip(slip, found, question)) throw slip;
    if (found.length === 0) {
      throw new UserError(`No command answers ${quoteTyped(question)}.`, {
        remedy:
          "Ask in English about a network, a market, an order, an export or alerts. The commonest commands are below; help shows all of them.",
        suggestion: "help",
        starts: nearStarts(question, context.commands),
      });
    }
    const sure = sureGuess(found);
    if (sure === undefined || !runs(sure)) return offer(sure === undefined ? found : [sure], question, context);
    // What is for the asker alone is not shown in an answer that others see.
    const isShown = context.audience === "channel" && context.openly !== true;
    const seen = askedPrivately ? { private: true } : isShown ? { private: false } : {};
    const said = await context.run({ ...askOf(sure), options: { ...sure.options, ...seen } });
    // A line that calls a command has a wrong value then.
    return slip?.option === undefined ? withoutMistake(said) : said;
  },
});

type Context = CommandContext<Options>;

/** Nobody was wrong who said what may be one of several things: they are asked which one. */
function withoutMistake(answered: Reply): Reply {
  const { failure, wrong, ...rest } = answered;
  const isOpen = failure === "caller" && wrong !== undefined && asButtons(rest.actions).length > 1;
  return isOpen ? { ...rest, asks: true, tone: "neutral" } : answered;
}

function askOf({ command: { name }, options }: Guess): Ask {
  return { command: name, options };
}

/** One press for each command that may be meant; of a value that it lacks, those that may be meant. */
async function offer(all: readonly Guess[], question: string, context: Context): Promise<Reply> {
  // A press beside others would not ask what the words narrow that none of them reads.
  const unread = unreadByAll(all);
  const asks = (one: Guess): boolean => narrowed({ ...one, unread }) !== undefined;
  const [first] = all;
  const found = first !== undefined && asks(first) ? [first] : all.filter((one) => !asks(one));
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) {
    const names = found.map(({ command: { name } }) => commandLine(name));
    const items = found.map(({ command: one, options }) => {
      const said = sentenceOf(one, options);
      return text`${one.summary.startsWith(said) ? "" : `${said} · `}${one.summary}`;
    });
    return askedBack(
      text`Did you mean ${joinText(names, " or ")}?`,
      [{ kind: "list", items }, ...notesOf(found)],
      found.map((one) => actionOf(one, context)),
    );
  }
  if (await asksAlone(only, context))
    return aloneInstead(only.command, only.options, { command: "ask", options: { question } });
  const { also, ...one } = only;
  if (also === undefined) return offerOne(one, question, context);
  const { [also.option]: value, ...options } = only.options;
  const choices = plainChoices([String(value), also.value]);
  return offerValues({ ...one, options }, { option: also.option, choices, others: [], stands: undefined }, context);
}

/** Its next value where one is lacking, else the command as it stands, with what it would change. */
async function offerOne(said: Guess, question: string, context: Context): Promise<Reply> {
  const { change, stands, lacks, meant } = await prospectOf(said, context);
  const only: Guess = { ...said, options: { ...said.options, ...change?.options } };
  const narrower = lacks === undefined ? narrowed(only) : narrowing(only);
  if (stands !== undefined && narrower === undefined)
    return { ...stands, blocks: [...stands.blocks, ...notUnderstood([only])] };
  const next = await askedNext(only, context);
  const option = meant?.option ?? narrower ?? lacks ?? next.find((name) => isShown(only, name, context));
  const takesForm = isTyped(only, lacks, context);
  const whole: Action = takesForm ? { ...actionOf(only, context), form: true } : actionOf(only, context, change);
  // A choice of one value would leave the other lacking: a form asks for both.
  if (option === undefined || (takesForm && narrower !== undefined))
    return offerWhole(only, context, [whole], option, change);
  const choices = meant?.values ?? (await choicesOf(only, option, question, context));
  const others = takesForm ? [{ ...whole, label: "Another time" }] : [];
  if (choices.length > 0 || isClosed(only, option))
    return offerValues(only, { option, choices, others, stands }, context);
  return narrower === undefined
    ? offerWhole(only, context, [whole], option, change)
    : offerWhole(only, context, [], option);
}

/** Whether a form asks for a value that is lacking: it is none of those that exist. */
function isTyped(only: Guess, lacks: string | undefined, { here, platforms }: Context): boolean {
  return lacks !== undefined && !isClosed(only, lacks) && platforms.chat(here.platform) !== undefined;
}

/** The command as it stands, with what it would change. */
function offerWhole(only: Guess, context: Context, presses: Action[], option?: string, change?: OfferedChange): Reply {
  const next = option ?? lacking(only)[0];
  const about =
    change === undefined ? readOf(only, context, next) : [...facts(change.facts), ...(change.details ?? [])];
  return askedBack(change?.question ?? titleOf(only, next), [...about, ...notesOf([only])], presses);
}

/** A press for each value that would change something; then what else may be done. */
async function offerValues(
  only: Guess,
  {
    option,
    choices,
    others,
    stands,
  }: { stands: Reply | undefined; option: string; choices: readonly Choice[]; others: readonly Action[] },
  context: Context,
): Promise<Reply> {
  const label = fieldLabel(option, only.command.options[option] ?? {});
  if (choices.length === 0)
    return reply({ title: `There is no ${label.toLowerCase()} here`, blocks: notUnderstood([only]) });
  const askWith = (value: string): Ask => ({ ...askOf(only), options: { ...only.options, [option]: value } });
  const tried = stands === undefined ? [] : choices.map(({ value }) => askWith(value).options);
  const standing = await Promise.all(tried.map((options) => prospectOf({ ...only, options }, context)));
  const open = choices.filter((_, at) => standing[at]?.stands === undefined);
  if (stands !== undefined && open.length === 0) return stands;
  const before = stands === undefined ? [] : [paragraph(stands.title)];
  return askedBack(
    titleOf(only, option),
    [...before, ...readOf(only, context, option), ...notesOf([only])],
    [
      ...choiceActions(option === "id" ? "Choose one" : `Choose: ${label.toLowerCase()}`, open, askWith),
      ...others,
      ...partyActions(only, option, context),
    ],
  );
}

/** What was read of the question, in the words of the fields, and what the command is about. */
function readOf(guess: Guess, context: Context, chosen?: string): Block[] {
  const [read, flags]: [Field[], Block[]] = [[], []];
  for (const [name, value] of Object.entries(guess.options)) {
    const option = guess.command.options[name];
    if (option?.kind === "flag") flags.push(...(value === "no" ? [] : [paragraph(`${option.description}.`)]));
    else read.push(field(fieldLabel(name, option ?? {}), valueWords(option, String(value), context.now())));
  }
  const about = aboutOf(guess, chosen);
  const isSaid = about === "" || about === sentenceOf(guess.command);
  return [...facts(read), ...flags, ...(isSaid ? [] : [paragraph(about.endsWith("?") ? about : `${about}.`)])];
}

/** Where a party is chosen: to type its id where the place has forms, and last to save one's own. */
function partyActions({ command, options }: Guess, option: string, context: Context): Action[] {
  if (neededParty(command.options, options) !== option) return [];
  return [SAVE_PARTY_ACTION, ...formActions(context, "By its id", command.name, options)];
}

function notesOf(found: readonly Guess[]): Block[] {
  const mayChange = found.some(({ command }) => command.changes === true);
  return [...(mayChange ? [paragraph("Nothing is done yet.")] : []), ...notUnderstood(found)];
}

function notUnderstood(found: readonly Guess[]): Block[] {
  const words = unreadByAll(found);
  return words.length === 0 ? [] : [paragraph(`Not understood: ${words.map(quoteTyped).join(", ")}.`)];
}

/** What is asked back, in the words of a person: which value, or whether this is to be done. */
function titleOf({ command, options }: Guess, asksFor: string | undefined): string {
  if (asksFor === undefined) return `${sentenceOf(command, options)}?`;
  const which = command.title === undefined ? "Which" : `${command.title}: which`;
  return command.options[asksFor]?.question ?? `${which} ${asksFor === "id" ? "one" : asksFor}?`;
}

/** The value that a question may have said in words that nobody understands: without it, the command is about everything. */
function narrowed(guess: Guess): string | undefined {
  return guess.unread.length === 0 ? undefined : narrowing(guess);
}

function narrowing({ command, options }: Guess): string | undefined {
  return Object.entries(command.options).find(
    ([name, option]) => option.kind === "text" && option.narrows === true && !Object.hasOwn(options, name),
  )?.[0];
}

interface Prospect {
  readonly change?: OfferedChange;
  readonly stands?: Reply;
  readonly lacks?: string | undefined;
  readonly meant?: { readonly option: string; readonly values: readonly Choice[] };
}

/**
 * What a command would change, as it says itself, or its answer where that stands already, or the value without which it
 * refuses, or those that may be meant by one.
 * @throws UserError for a value that is wrong.
 */
async function prospectOf({ command, options }: Guess, context: Context): Promise<Prospect> {
  try {
    const values = parseOptions(command, options, { now: context.now(), networks: context.networks });
    const change = await command.offers?.({ ...context, options: values });
    return change === undefined ? {} : "question" in change ? { change } : { stands: change };
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    const { option, meanings } = thrown;
    if (option !== undefined && meanings !== undefined && meanings.typed === options[option])
      return { meant: { option, values: meanings.values } };
    if (command.offers === undefined || option === undefined) return {};
    if (Object.hasOwn(options, option)) throw thrown;
    return { lacks: option };
  }
}

/**
 * What is lacking is asked for by a form, where the place has forms and no list of values would do; and a file by its own
 * choice of files.
 */
function actionOf(guess: Guess, { here, platforms }: Context, change?: OfferedChange): Action {
  const { changes, name, options } = guess.command;
  const action = commandAction(change?.label ?? sentenceOf(guess.command), name, guess.options);
  const takesText = (one: string): boolean => changes === true || !("suggest" in (options[one] ?? {}));
  const opens = takesFile(guess) || (lacking(guess).some(takesText) && platforms.chat(here.platform) !== undefined);
  return opens ? { ...action, form: true } : action;
}

/** `chosen`: the value that is chosen from those below it, which says what the command is about. */
function aboutOf(guess: Guess, chosen?: string): string {
  const needs = lacking(guess).filter((name) => name !== chosen);
  const next = needs.map((name) => (name === "id" ? "its id" : `the ${name}`)).join(" and ");
  if (chosen !== undefined) return next === "" ? "" : `Choose the ${chosen}, then ${next}`;
  return [guess.command.summary, ...(next === "" ? [] : [`Next: ${next}`])].join(". ");
}

/** The values that are asked for next by those they may have, in turn. */
async function askedNext(guess: Guess, { parties }: Context): Promise<string[]> {
  const { changes, options } = guess.command;
  const isAllowed = (name: string): boolean => changes !== true || isClosed(guess, name);
  const saved = neededParty(options, guess.options) === undefined ? [] : await parties.list().catch(() => []);
  const party = saved.length > 0 ? undefined : neededParty(options, guess.options);
  return [...(party === undefined ? [] : [party]), ...lacking(guess)].filter(isAllowed);
}

/** Whether others would see values that are not everybody's, were the next one asked for here. */
async function asksAlone(guess: Guess, context: Context): Promise<boolean> {
  if (context.openly !== true || guess.command.changes === true) return false;
  const [next] = await askedNext(guess, context);
  return next !== undefined && !isShown(guess, next, context);
}

/** Whether whoever sees the answer may see which values there are. */
function isShown({ command: { options } }: Guess, name: string, { audience }: Context): boolean {
  const option = options[name];
  return audience === "caller" || (option?.kind === "text" && option.isPublic === true);
}

/** The values that the caller may mean, those that a word of the question describes first. */
async function choicesOf(guess: Guess, name: string, question: string, context: Context): Promise<readonly Choice[]> {
  const option = guess.command.options[name];
  if (option?.kind !== "text") return [];
  const choices = (await option.suggest?.("", { ...context, options: guess.options }).catch(() => [])) ?? [];
  const words = guess.unread.length === 0 ? plainWords(question) : guess.unread;
  const said = new Set(words.filter(isContentWord).map(stem));
  const isSaid = ({ label }: Choice): boolean =>
    plainWords(label.replaceAll("/", " ")).some((word) => said.has(stem(word)));
  return choices.toSorted((a, b) => Number(isSaid(b)) - Number(isSaid(a)));
}
