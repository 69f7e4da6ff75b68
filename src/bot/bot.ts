// The bot turns an invocation into a reply; adapters call it. command.ts declares commands, invocation.ts describes
// caller and target, audience.ts decides who sees the answer. options/ describes and parses option values, grammar/ the
// typed line. error-reply.ts turns every error into a reply.

import type { Platforms } from "../alerts/platform.ts";
import type { AlertService } from "../alerts/service/service.ts";
import type { ApiClient } from "../api/api-client.ts";
import { UserError } from "../errors.ts";
import type { ExportJobs } from "../export/jobs/jobs.ts";
import { inTime } from "../in-time.ts";
import type { Log } from "../log.ts";
import type { Ask, Reply } from "../reply/reply.ts";
import type { SavedParties, SeenIds } from "../store/store.ts";
import { fromMillis, type Nanoseconds } from "../units/nanoseconds.ts";
import { type AudienceSettings, NO_AUDIENCE_SETTINGS } from "./audience-settings.ts";
import { audienceOf, presetAudience } from "./audience.ts";
import { type AnyCommand, withCommonOptions } from "./command.ts";
import { errorReply } from "./error-reply.ts";
import { completions, type LineCompletion } from "./grammar/complete-line.ts";
import { findCommand, lineTokens } from "./grammar/find-command.ts";
import { fillExample, formatLine, parseLine } from "./grammar/grammar.ts";
import { withRightLine } from "./grammar/offered-line.ts";
import {
  type CommonButtons,
  type Invocation,
  type InvocationOutcome,
  managerRemedy,
  type Prepared,
  type Target,
  type Visibility,
} from "./invocation.ts";
import type { Choice, SuggestContext } from "./options/options.ts";
import { missingOption, parseOptions } from "./options/parse-options.ts";
import {
  neededParty,
  type OwnParties,
  ownParties,
  suggestSavedParties,
  takesParty,
  withSavedParties,
} from "./options/saved-parties.ts";
import { MAX_CHOICES, suggestValues } from "./options/suggest-values.ts";
import { markSimulated } from "./simulated.ts";
import { workspaceSeenIds } from "./workspace-seen-ids.ts";

/** A request for completion: the values so far and the option being typed. */
export type SuggestRequest = Omit<Invocation, "progress"> & { readonly option: string; readonly typed: string };

/** Who asks, and where, without the question. */
type Asker = Omit<Invocation, "command" | "options">;

export interface Bot {
  readonly commands: readonly AnyCommand[];
  /** The configured networks, the default one first. */
  readonly networks: readonly string[];
  /**
   * The audience of a command that announces a change, or that the server or workspace chose; undefined if the default
   * of the command or platform applies. The option `private` has precedence.
   */
  audience(command: string, here: Target): Visibility | undefined;
  /** The buttons that an adapter may add to an answer of this command, beside the reply's own. */
  commonButtons(command: string): CommonButtons;
  /** Parses and checks without asking the network; never throws. */
  prepare(invocation: Invocation): Prepared;
  /** Prepares and runs. Never rejects: every error is a Reply. */
  run(invocation: Invocation): Promise<Reply>;
  /** The same for a typed line (`market show BTC/USDT network:testnet`). Never rejects. */
  runLine(line: string, invocation: Asker): Promise<Reply>;
  /**
   * What the thing has now that a command would change, for a form that begins with it. Undefined where the command changes
   * no such thing, the question names none, or it is not known in time. Never rejects, nor takes long.
   */
  present(asked: Omit<Invocation, "progress">): Promise<Ask["options"] | undefined>;
  /** Never rejects, nor takes long; an empty list where there is nothing to offer in time. */
  suggest(request: SuggestRequest): Promise<readonly Choice[]>;
  /** Completion of a typed line: whole lines to offer, best first. Never rejects. */
  completeLine(line: string, invocation: Asker): Promise<readonly string[]>;
  /** The same with what each line stands for. Never rejects. */
  completions(line: string, invocation: Asker): Promise<readonly LineCompletion[]>;
}

export interface BotDependencies {
  readonly commands: readonly AnyCommand[];
  /** One per network, the default one first; at least one. */
  readonly clients: readonly ApiClient[];
  readonly seen: SeenIds;
  readonly parties: SavedParties;
  readonly exports: ExportJobs;
  readonly alerts: AlertService;
  readonly platforms: Platforms;
  /** Audiences chosen by servers and workspaces; default: none. */
  readonly chosen?: AudienceSettings | undefined;
  readonly log: Log;
  readonly now?: () => Nanoseconds;
  readonly onOutcome?: (outcome: InvocationOutcome) => void;
}

/** Discord and Slack close the list of suggestions after 3 s. */
const SUGGEST_MILLIS = 1500;

/** Creates the bot from commands and their dependencies. It never rejects: every error becomes a reply. */
export function createBot(dependencies: BotDependencies): Bot {
  const { platforms } = dependencies;
  const commands = dependencies.commands.map((command) => withCommonOptions(command, platforms));
  const partyCommands = new Set(commands.filter(({ options }) => Object.values(options).some(takesParty)));
  const byName = new Map(commands.map((command) => [command.name, command]));
  const clients = new Map(dependencies.clients.map((client) => [client.network, client]));
  const networks = [...clients.keys()];
  const [first] = dependencies.clients;
  if (first === undefined) throw new RangeError("a bot needs at least one network");
  const fallback: ApiClient = first;
  const chosen = dependencies.chosen ?? NO_AUDIENCE_SETTINGS;
  const now = dependencies.now ?? (() => fromMillis(Date.now()));
  const clientOf = (name: unknown): ApiClient => (typeof name === "string" ? clients.get(name) : undefined) ?? fallback;
  const mark = (reply: Reply, client: ApiClient): Reply => (client.simulated ? markSimulated(reply) : reply);
  const toErrorReply = (thrown: unknown, ask: Pick<Ask, "command"> & Partial<Ask>, signal: AbortSignal): Reply =>
    errorReply(thrown, { log: dependencies.log, ...ask, signal });

  const filler =
    (command: AnyCommand) =>
    (example: string, given: Ask["options"]): string =>
      fillExample(example, given, command, now());
  const partiesOf = ({ here, caller }: Asker): OwnParties => ownParties(dependencies.parties, here, caller, platforms);

  function prepare(invocation: Invocation): Prepared {
    try {
      const command = byName.get(invocation.command);
      // A button of an older version may name a removed command: the nearest match helps there, too.
      if (command === undefined) {
        findCommand(lineTokens(invocation.command, commands, true), commands);
        throw new UserError(`There is no command “${invocation.command}”.`, { suggestion: "help" });
      }
      if (invocation.again === true && command.changes === true) {
        throw new UserError(`Nothing was done: ${command.name} changes something, and this button would do it again.`, {
          remedy: "If you want that, type it:",
          suggestion: formatLine(invocation),
        });
      }
      const options = parseOptions(command, invocation.options, {
        now: now(),
        networks,
        openFile: invocation.openFile,
        fill: filler(command),
      });
      if (command.access === "channel-manager" && !invocation.caller.mayManageChannel) {
        throw new UserError(`Only people who manage this channel can use ${command.name}.`, {
          remedy: managerRemedy(invocation, platforms),
        });
      }
      const preset = presetAudience(command, invocation.here, chosen);
      const visibility = audienceOf(command, invocation.options, options["private"], preset);
      const client = clientOf(options["network"]);
      return { ok: true, visibility, run: () => execute(command, options, client, invocation) };
    } catch (thrown) {
      const reply = mark(toErrorReply(thrown, invocation, invocation.signal), fallback);
      report(invocation.command, invocation.here, reply, 0);
      const option = thrown instanceof UserError ? thrown.option : undefined;
      if (!(thrown instanceof UserError) || option === undefined) return { ok: false, reply, run: async () => reply };
      const run = async (): Promise<Reply> => mark(await mistake(thrown, invocation, true), fallback);
      return { ok: false, reply, option, run };
    }
  }

  /**
   * The reply to what a command throws, its line such that it may be typed; with `offers`, to one without a value that it
   * needs, with what the value may be.
   */
  async function mistake(thrown: unknown, invocation: Invocation, offers: boolean): Promise<Reply> {
    const { option } = thrown instanceof UserError ? thrown : {};
    const misses = offers && option !== undefined && invocation.options[option] === undefined;
    const error = misses ? ((await missedParty(invocation)) ?? thrown) : thrown;
    const needed = misses && error instanceof UserError ? error.option : undefined;
    const [right, values] = await Promise.all([
      withRight(error, invocation, "placeholder"),
      needed === undefined ? [] : suggest({ ...invocation, option: needed, typed: "" }),
    ]);
    const meant = right instanceof UserError && values.length > 0 ? right.meaning({ typed: "", values }) : right;
    return toErrorReply(meant, invocation, invocation.signal);
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
      suggestContext: (offered) => suggestContext({ ...asker, ...offered }),
    });
  }

  /** The mistake of somebody who names no party, though the command needs one and none is saved: it comes before others. */
  async function missedParty(invocation: Invocation): Promise<UserError | undefined> {
    const { options } = invocation;
    const command = byName.get(invocation.command);
    if (command === undefined || !partyCommands.has(command)) return undefined;
    const values = await withSavedParties(command.options, options, partiesOf(invocation));
    const missed = neededParty(command.options, values);
    return missed === undefined ? undefined : missingOption(command, missed, options, filler(command));
  }

  function report(command: string, here: Target, reply: Reply, millis: number): void {
    dependencies.onOutcome?.({
      // Typing errors must not create metric labels.
      command: byName.has(command) ? command : "unknown",
      platform: here.platform,
      outcome: reply.failure ?? "answered",
      millis,
    });
  }

  async function execute(
    command: AnyCommand,
    options: ReturnType<typeof parseOptions>,
    client: ApiClient,
    invocation: Invocation,
  ): Promise<Reply> {
    const { here, caller, signal } = invocation;
    const started = performance.now();
    let answer: Reply;
    try {
      signal.throwIfAborted();
      const parties = partiesOf(invocation);
      const values = partyCommands.has(command) ? await withSavedParties(command.options, options, parties) : options;
      const missed = neededParty(command.options, values);
      if (missed !== undefined) throw missingOption(command, missed, invocation.options, filler(command));
      answer = await command.run({
        options: values,
        parties,
        here,
        caller,
        askedPrivately: options["private"] === true && invocation.options["private"] !== undefined,
        network: client.network,
        networks,
        api: client,
        seen: workspaceSeenIds(dependencies.seen, here, platforms),
        exports: dependencies.exports,
        alerts: dependencies.alerts,
        platforms,
        chosen,
        commands,
        now,
        signal,
        ...(invocation.pressed === undefined ? {} : { pressed: invocation.pressed }),
        progress: (reply) => invocation.progress?.(mark(reply, client)),
      });
    } catch (thrown) {
      // A party is missed only here: the caller may have saved one.
      answer = await mistake(thrown, invocation, partyCommands.has(command));
    }
    const reply = mark(answer, client);
    report(command.name, here, reply, performance.now() - started);
    return reply;
  }

  function run(invocation: Invocation): Promise<Reply> {
    return prepare(invocation).run();
  }

  async function runLine(line: string, rest: Asker): Promise<Reply> {
    let ask: Ask;
    try {
      ask = parseLine(line, commands, now(), networks);
    } catch (refused) {
      const reply = mark(
        toErrorReply(await withRight(refused, rest, "command"), { command: "unknown" }, rest.signal),
        fallback,
      );
      report("unknown", rest.here, reply, 0);
      return reply;
    }
    return run({ ...rest, ...ask });
  }

  function suggestContext({ caller, here, options, signal }: Omit<Invocation, "progress">): SuggestContext {
    const { alerts, exports } = dependencies;
    const seen = workspaceSeenIds(dependencies.seen, here, platforms);
    const api = clientOf(networks.find((network) => network === options["network"]));
    return { api, seen, alerts, exports, platforms, here, caller, options, commands, signal };
  }

  async function present(asked: Omit<Invocation, "progress">): Promise<Ask["options"] | undefined> {
    const edits = byName.get(asked.command)?.edits;
    const named = edits === undefined ? undefined : asked.options[edits.option];
    if (edits === undefined || named === undefined) return undefined;
    try {
      const values = edits.values(String(named).trim(), suggestContext(asked));
      return await inTime(values, { millis: SUGGEST_MILLIS, signal: asked.signal }, () => undefined);
    } catch (thrown) {
      dependencies.log.debug({ err: thrown, command: asked.command }, "completion failed");
      return undefined;
    }
  }

  async function suggest(request: SuggestRequest): Promise<readonly Choice[]> {
    const option = byName.get(request.command)?.options[request.option];
    if (option === undefined) return [];
    try {
      const offer = (choices: Promise<readonly Choice[]>): Promise<readonly Choice[]> =>
        inTime(choices, { millis: SUGGEST_MILLIS, signal: request.signal }, () => []);
      const context = suggestContext(request);
      const [saved, others] = await Promise.all([
        takesParty(option) ? offer(suggestSavedParties(request.typed, partiesOf(request))) : [],
        offer(suggestValues(option, request.typed, networks, context)),
      ]);
      const values = new Set(saved.map((choice) => choice.value));
      return [...saved, ...others.filter((choice) => !values.has(choice.value))].slice(0, MAX_CHOICES);
    } catch (thrown) {
      dependencies.log.debug({ err: thrown, command: request.command, option: request.option }, "completion failed");
      return [];
    }
  }

  const completed: Bot["completions"] = async (line, rest) => {
    try {
      return await completions(line, commands, now(), (ask, option, typed) =>
        suggest({ ...rest, ...ask, option, typed }),
      );
    } catch {
      // A line that cannot be parsed cannot be completed; running it says why.
      return [];
    }
  };

  return {
    commands,
    networks,
    audience: (name, here) => {
      const command = byName.get(name);
      return command === undefined ? undefined : presetAudience(command, here, chosen);
    },
    commonButtons: (name) => {
      const command = byName.get(name);
      return { refresh: command?.changes !== true, share: command?.personal !== true };
    },
    prepare,
    run,
    runLine,
    present,
    suggest,
    completeLine: async (line, rest) => (await completed(line, rest)).map((one) => one.line),
    completions: completed,
  };
}
