// The bot turns an invocation into a reply; adapters call it. command.ts declares commands, invocation.ts describes
// caller and target, audience-settings.ts who sees answers. setup.ts names the dependencies of a bot, suggestions.ts
// completes, error-reply.ts turns errors into replies, form.ts words the faults of a form, openly.ts offers a press in place
// of an answer that is not for everybody. options/ describes and parses option values, grammar/ the typed line.

import { UserError } from "../errors.ts";
import type { Ask, Reply } from "../reply/reply.ts";
import { presetAudience } from "./audience-settings.ts";
import type { AnyCommand } from "./command.ts";
import { type Asked, errorReply } from "./error-reply.ts";
import { findCommand, lineTokens } from "./grammar/find-command.ts";
import { faultsOf, otherMistakes, valueMistakes } from "./form.ts";
import {
  fillExample,
  formatLine,
  parseLine,
  questionInstead,
  shortQuestion,
  withoutCodeMarks,
} from "./grammar/grammar.ts";
import { withRightLine } from "./grammar/offered-line.ts";
import {
  type CommonButtons,
  type Fault,
  type Invocation,
  managerRemedy,
  type Prepared,
  type Submitted,
  type Target,
  type Visibility,
} from "./invocation.ts";
import { isForEverybody, pressInstead, telling } from "./openly.ts";
import type { OptionValue } from "./options/options.ts";
import { missingOption, type ParseContext, parseOptions } from "./options/parse-options.ts";
import { neededParty, withSavedParties } from "./options/saved-parties.ts";
import { type Asker, type BotDependencies, type BotSetup, finished, marked, report, setUp } from "./setup.ts";
import { createSuggestions, SUGGEST_MILLIS, type Suggestions } from "./suggestions.ts";
import { withoutUndefined } from "../units/without-undefined.ts";

export type Bot = ReturnType<typeof createBot>;

type Mistakes = ReturnType<typeof createMistakes>;

/** Creates the bot from commands and their dependencies. It never rejects: every error becomes a reply. */
export function createBot(dependencies: BotDependencies) {
  const setup = setUp(dependencies);
  const { commands, networks, byName, chosen, now } = setup;
  const suggestions = createSuggestions(setup);
  const { present, suggest, completions } = suggestions;
  const mistakes = createMistakes(setup, suggestions);

  function prepare(invocation: Invocation): Prepared {
    const press = invocation.openly === true ? pressInstead(invocation, setup) : undefined;
    const client = setup.clientOf(invocation.options["network"]);
    if (press !== undefined) return { ok: true, visibility: "channel", run: async () => marked(setup, press, client) };
    try {
      const { command, options, visibility } = check(invocation, setup, mistakes);
      const run = async (): Promise<Reply> =>
        (await execute({ command, options, visibility }, invocation, { setup, mistakes, asker })).reply;
      return { ok: true, visibility, run };
    } catch (thrown) {
      const reply = marked(setup, mistakes.toReply(thrown, invocation, invocation.signal));
      report(setup, invocation.command, invocation.here, reply, 0);
      const option = thrown instanceof UserError ? thrown.option : undefined;
      if (option === undefined) return { ok: false, run: async () => reply };
      const run = async (): Promise<Reply> =>
        marked(setup, await mistakes.ofCommand(thrown, invocation, true), client, true);
      return { ok: false, option, run };
    }
  }

  async function submit(invocation: Invocation): Promise<Submitted> {
    const asked = setup.byName.get(invocation.command);
    const faultsFrom = async (mistake: UserError): Promise<Fault[]> =>
      faultsOf(mistake.beside(await mistakes.others(mistake, invocation)), asked?.options ?? {});
    const [first, ...others] =
      asked === undefined ? [] : valueMistakes(asked, invocation.options, parseContext(invocation, setup));
    if (first !== undefined) return { ok: false, faults: await faultsFrom(first.beside(others)) };
    try {
      const { command, options, visibility } = check(invocation, setup, mistakes);
      const run = async () => {
        const { reply, thrown } = await execute(
          { command, options, visibility },
          { ...invocation, form: true },
          { setup, mistakes, asker },
        );
        return { reply, faults: thrown instanceof UserError ? await faultsFrom(thrown) : [] };
      };
      return { ok: true, visibility, run };
    } catch (thrown) {
      if (!(thrown instanceof UserError)) throw thrown;
      return { ok: false, faults: await faultsFrom(thrown) };
    }
  }

  const run = (invocation: Invocation): Promise<Reply> => prepare(invocation).run();

  /** Runs what a command asks of another one, for the same caller. */
  function asker(invocation: Invocation): (ask: Ask) => Promise<Reply> {
    return (ask) => run({ ...invocation, ...ask });
  }

  return {
    present,
    suggest,
    completions,
    commands,
    /** The configured networks, the default one first. */
    networks,
    /**
     * The audience of a command that announces a change, or that the server or workspace chose; undefined if the default
     * of the command or platform applies. The option `private` has precedence.
     */
    audience: (name: string, here: Target): Visibility | undefined => {
      const command = byName.get(name);
      return command === undefined ? undefined : presetAudience(command, here, chosen);
    },
    /** Whether everybody in a channel may see the answer to who asks there by a message. */
    isForEverybody: (invocation: Invocation): boolean => isForEverybody(invocation, setup),
    /** The buttons that an adapter may add to an answer of this command, beside the reply's own. */
    commonButtons: (name: string): CommonButtons => {
      const command = byName.get(name);
      return { refresh: command?.changes !== true, share: command?.personal !== true };
    },
    /** The time zone of whoever asks. */
    zoneOf: setup.zoneOf,
    /** Parses and checks without asking the network; never throws. */
    prepare,
    /** The same for a form: all its wrong values at once, and those that show only while it runs. */
    submit,
    /** Prepares and runs. Never rejects: every error is a Reply. */
    run,
    /** The same for a typed line (`market show BTC/USDT`); `network`: where it names none. Never rejects. */
    runLine: async (typed: string, asker: Asker, network?: string): Promise<Reply> => {
      const line = withoutCodeMarks(typed);
      const on = network === undefined ? {} : { network };
      let ask: Ask;
      try {
        ask = parseLine(line, commands, now(), networks);
      } catch (refused) {
        const question = shortQuestion(line, commands);
        if (question !== undefined && refused instanceof UserError)
          return run({ ...asker, ...question, options: { ...on, ...question.options }, slip: refused });
        const reply = marked(setup, await mistakes.ofLine(refused, asker), undefined, asker.openly !== true);
        report(setup, "unknown", asker.here, reply, 0);
        return reply;
      }
      return run({ ...asker, ...ask, options: { ...on, ...ask.options } });
    },
  };
}

/** @throws UserError for an unknown command, a wrong value, and for somebody who may not do this. */
function check(invocation: Invocation, setup: BotSetup, mistakes: Mistakes) {
  const { commands, platforms, chosen } = setup;
  const command = setup.byName.get(invocation.command);
  // A button of an older version may name a removed command: the nearest match helps there, too.
  if (command === undefined) {
    findCommand(lineTokens(invocation.command, commands, true), commands);
    throw new UserError(`There is no command “${invocation.command}”.`, { suggestion: "help" });
  }
  if (invocation.again === true && command.changes === true) {
    const { options } = invocation;
    const fillIn = { label: "Fill in the form", command: command.name, options, form: true } as const;
    throw new UserError("Nothing was done yet.", {
      remedy: `No link and no old button changes anything by itself. If you want ${command.name}:`,
      suggestion: formatLine(invocation),
      starts: command.fields === undefined ? [] : [fillIn],
    });
  }
  const fill = mistakes.filler(command);
  const options = parseOptions(command, invocation.options, { ...parseContext(invocation, setup), fill });
  if (command.access === "channel-manager" && !invocation.caller.mayManageChannel) {
    throw new UserError(`Only people who manage this channel can use ${command.name}.`, {
      remedy: managerRemedy(invocation, platforms),
    });
  }
  const preset = presetAudience(command, invocation.here, chosen);
  const audience = audienceOf(command, invocation.options, options["private"], invocation.within ?? preset);
  const isForAll = (invocation.openly ?? invocation.taken) === true;
  return { command, options, visibility: isForAll ? "channel" : audience };
}

function parseContext({ openFile }: Invocation, { now, networks }: BotSetup): ParseContext {
  return { now: now(), networks, openFile };
}

/**
 * The audience of an answer. The option `private` has precedence. @throws UserError if an announced change is requested
 * privately.
 */
function audienceOf(
  command: AnyCommand,
  given: { readonly private?: unknown },
  parsed: OptionValue | undefined,
  preset: Visibility | undefined,
): Visibility {
  if (given.private === undefined) return preset ?? command.audience;
  if (parsed !== true) return "channel";
  if (command.announced === true) {
    throw new UserError(`${command.name} always tells the whole channel.`, {
      option: "private",
      remedy: "Leave private out.",
    });
  }
  return "caller";
}

async function execute(
  { command, options, visibility }: ReturnType<typeof check>,
  invocation: Invocation,
  {
    setup,
    mistakes,
    asker,
  }: { setup: BotSetup; mistakes: Mistakes; asker: (by: Invocation) => (ask: Ask) => Promise<Reply> },
): Promise<{ readonly reply: Reply; readonly thrown?: unknown }> {
  const { here, caller, signal, openly, pressed, slip } = invocation;
  const { networks, exports, alerts, platforms, chosen, commands, past, now } = setup;
  const shared = { networks, exports, alerts, platforms, chosen, commands, past, now };
  const client = setup.clientOf(options["network"]);
  const started = performance.now();
  const told = telling(invocation);
  let answer: Reply;
  let failed: { readonly thrown?: unknown } = {};
  try {
    signal.throwIfAborted();
    const parties = setup.partiesOf(invocation);
    const mayLack = setup.takesParty(command);
    const values = mayLack ? await withSavedParties(command.options, options, parties) : options;
    const missed = mayLack ? neededParty(command.options, values) : undefined;
    if (missed !== undefined) throw missingOption(command, missed, invocation.options, mistakes.filler(command));
    answer = await command.run({
      options: values,
      parties,
      here,
      caller,
      audience: visibility,
      askedPrivately: options["private"] === true && invocation.options["private"] !== undefined,
      network: client.network,
      api: client,
      seen: setup.seenBy(here),
      ...shared,
      managed: async () => (await invocation.managed?.()) ?? new Set(),
      zone: () => setup.zoneOf(invocation),
      signal,
      isForm: invocation.form === true,
      ...withoutUndefined({ openly, pressed, slip, tellHere: told.tellHere }),
      progress: (reply) => invocation.progress?.(marked(setup, reply, client)),
      run: asker({ ...invocation, within: visibility }),
    });
  } catch (thrown) {
    const mistake = thrown instanceof UserError && slip === undefined && !invocation.form ? thrown : undefined;
    const question = questionInstead(invocation, mistake?.option, commands);
    if (mistake !== undefined && question !== undefined) {
      const asked = { ...invocation, ...question, slip: mistake };
      // Counted by its mistake, or by the command that answers.
      const { onOutcome: _, ...uncounted } = setup;
      const checked = { ...check(asked, setup, mistakes), visibility };
      const other = await execute(checked, asked, { setup: uncounted, mistakes, asker });
      if (other.thrown === undefined) return other;
    }
    // Only here is it known that a party is missing: the caller may have saved one.
    const asks = thrown instanceof UserError && thrown.asks === true;
    answer =
      thrown === slip
        ? await mistakes.ofLine(thrown, invocation)
        : await mistakes.ofCommand(thrown, invocation, asks || setup.takesParty(command));
    failed = { thrown };
  }
  const reply = await finished(told.by(answer), client, { here, isAlone: visibility === "caller" }, setup);
  report(setup, command.name, here, reply, performance.now() - started);
  return { reply, ...failed };
}

/** The replies to errors. No function rejects. */
function createMistakes(setup: BotSetup, { suggest, context }: Suggestions) {
  const { commands, networks, log, now } = setup;

  /** The reply to an error, at once; a line that it offers is not checked. */
  function toReply(thrown: unknown, asked: Asked, signal: AbortSignal): Reply {
    return errorReply(thrown, { log, ...asked, signal });
  }

  /** An example of the command with the values that were given. */
  function filler(command: AnyCommand): (example: string, given: Ask["options"]) => string {
    return (example, given) => fillExample(example, given, command, now());
  }

  /** A mistake with a line that may be typed, as far as that is known in time; anything else as it is. */
  function withRight(thrown: unknown, asker: Asker, refused: "command" | "placeholder"): Promise<unknown> {
    return withRightLine(thrown, {
      commands,
      networks,
      now: now(),
      openFile: asker.openFile,
      limit: { millis: SUGGEST_MILLIS, signal: asker.signal },
      refused,
      suggest: (offered, option, typed) => suggest({ ...asker, ...offered, option, typed }),
      suggestContext: (offered) => context({ ...asker, ...offered }),
    });
  }

  /** The mistake of a caller who has saved no party and names none where the command needs one: it precedes others. */
  async function missedParty(invocation: Invocation): Promise<UserError | undefined> {
    const { options } = invocation;
    const command = setup.byName.get(invocation.command);
    if (command === undefined || !setup.takesParty(command)) return undefined;
    const values = await withSavedParties(command.options, options, setup.partiesOf(invocation));
    const missed = neededParty(command.options, values);
    return missed === undefined ? undefined : missingOption(command, missed, options, filler(command));
  }

  /** The mistakes in the other values that were given, where a saved party may be named. */
  async function others(thrown: unknown, invocation: Invocation): Promise<readonly UserError[]> {
    const command = setup.byName.get(invocation.command);
    if (command === undefined || !(thrown instanceof UserError)) return [];
    const given = await withSavedParties(command.options, invocation.options, setup.partiesOf(invocation));
    const parse = parseContext(invocation, setup);
    return otherMistakes(thrown, command, given, { parse, find: context(invocation), millis: SUGGEST_MILLIS });
  }

  return {
    toReply,
    filler,
    others,
    /** The reply to a line that cannot be read; the line that it offers can be read. */
    async ofLine(thrown: unknown, asker: Asker): Promise<Reply> {
      return toReply(await withRight(thrown, asker, "command"), { command: "unknown" }, asker.signal);
    },
    /**
     * The reply to an error of a command. The line that it offers may be typed; with `offers`, the reply about a missing
     * value has the values to choose from.
     */
    async ofCommand(thrown: unknown, invocation: Invocation, offers: boolean): Promise<Reply> {
      const option = thrown instanceof UserError ? thrown.option : undefined;
      const misses = offers && option !== undefined && invocation.options[option] === undefined;
      const error = misses ? ((await missedParty(invocation)) ?? thrown) : thrown;
      const needed = misses && error instanceof UserError ? error.option : undefined;
      const [right, more, values] = await Promise.all([
        withRight(error, invocation, "placeholder"),
        others(error, invocation),
        needed === undefined ? [] : suggest({ ...invocation, option: needed, typed: "" }),
      ]);
      if (!(right instanceof UserError)) return toReply(right, invocation, invocation.signal);
      const meant = values.length > 0 ? right.meaning({ typed: "", values }) : right;
      return toReply(meant.beside(more), invocation, invocation.signal);
    },
  };
}
