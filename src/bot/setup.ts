import type { Platforms } from "../alerts/destination.ts";
import type { ApiClient } from "../api/api-client.ts";
import type { Draw } from "../chart/png.ts";
import type { ReadPast } from "../chart/thin.ts";
import { UserError } from "../errors.ts";
import { fromMillis, inTime, type Milliseconds, type Nanoseconds } from "../units/time.ts";
import type { Log } from "../log.ts";
import { paragraph } from "../reply/block.ts";
import { type Action, alsoLater, type Ask, type Reply } from "../reply/reply.ts";
import type { SavedParties, SeenIds, SeenKind } from "../store/store.ts";
import { type AudienceSettings, NO_AUDIENCE_SETTINGS } from "./audience-settings.ts";
import { type AnyCommand, withCommonOptions } from "./command.ts";
import type { Invocation, InvocationOutcome, Target } from "./invocation.ts";
import type { SuggestContext } from "./options/options.ts";
import { type OwnParties, ownParties, takesParty } from "./options/saved-parties.ts";
import { markSimulated } from "./simulated.ts";

/** Who asks, and where, without the question. */
export type Asker = Omit<Invocation, "command" | "options">;

export interface BotDependencies extends Pick<SuggestContext, "seen" | "exports" | "alerts" | "platforms"> {
  readonly commands: readonly AnyCommand[];
  /** One per network, the default one first; at least one. */
  readonly clients: readonly ApiClient[];
  readonly parties: SavedParties;
  /** Audiences chosen by servers and workspaces; default: none. */
  readonly chosen?: AudienceSettings | undefined;
  /** Draws pictures for chats; left out, they get words. */
  readonly draw?: Draw | undefined;
  /** Reads kept looks; left out, none are kept. */
  readonly past?: ReadPast | undefined;
  readonly log: Log;
  readonly now?: () => Nanoseconds;
  readonly onOutcome?: (outcome: InvocationOutcome) => void;
}

/** The dependencies with their defaults, and what is found in them by name. */
export type BotSetup = ReturnType<typeof setUp>;

/** @throws RangeError where no network is given. */
export function setUp(dependencies: BotDependencies) {
  const { platforms, parties } = dependencies;
  /** With the options that every command takes. */
  const commands = dependencies.commands.map((command) => withCommonOptions(command, platforms));
  const clients = new Map(dependencies.clients.map((client) => [client.network, client]));
  const [fallback] = dependencies.clients;
  if (fallback === undefined) throw new RangeError("a bot needs at least one network");
  const partyCommands = new Set(commands.filter(({ options }) => Object.values(options).some(takesParty)));
  return {
    ...dependencies,
    commands,
    chosen: dependencies.chosen ?? NO_AUDIENCE_SETTINGS,
    past: dependencies.past ?? NO_PAST,
    now: dependencies.now ?? (() => fromMillis(Date.now())),
    byName: new Map(commands.map((command) => [command.name, command])),
    /** The configured networks, the default one first. */
    networks: [...clients.keys()],
    /** The client of a network; the default one where there is none of this name. */
    clientOf: (network: unknown): ApiClient =>
      (typeof network === "string" ? clients.get(network) : undefined) ?? fallback,
    seenBy: (here: Target): SeenIds => workspaceSeenIds(dependencies.seen, here, platforms),
    partiesOf: ({ here, caller }: Pick<Asker, "here" | "caller">): OwnParties =>
      ownParties(parties, here, caller, platforms),
    /** The caller's time zone: the chosen one, else the platform's, else UTC. */
    zoneOf: async ({ here, caller, zone }: Pick<Asker, "here" | "caller" | "zone">): Promise<string> =>
      (await ownParties(parties, here, caller, platforms)
        .zone()
        .catch(() => undefined)) ??
      (await zone?.()) ??
      "UTC",
    /** Whether an option of the command may be filled in with a saved party. */
    takesParty: (command: AnyCommand): boolean => partyCommands.has(command),
  };
}

const NO_PAST: ReadPast = async function* noPast() {};

/** The answer as a chat gets it: with its chart as a picture. Other surfaces draw charts themselves. */
export async function withPicture(
  reply: Reply,
  { platform }: Pick<Target, "platform">,
  { draw, platforms }: Pick<BotSetup, "draw" | "platforms">,
): Promise<Reply> {
  const at = reply.blocks.findIndex(({ kind }) => kind === "chart");
  const chart = reply.blocks[at];
  if (draw === undefined || chart?.kind !== "chart" || platforms.chat(platform) === undefined) return reply;
  const picture = await draw(chart.scene, chart.alt);
  if (!("failed" in picture)) return { ...reply, blocks: reply.blocks.toSpliced(at, 1), picture };
  const words = paragraph(`${chart.alt} There is no picture: ${picture.failed}.`);
  return { ...reply, blocks: reply.blocks.with(at, words) };
}

/** The reply, marked as simulated where this client's network is; no button of an offer acts twice. `isAlone`: others do not see it. */
export function marked(
  { byName, clientOf }: BotSetup,
  reply: Reply,
  client = clientOf(undefined),
  isAlone = false,
): Reply {
  const given = takenOnce(reply, isAlone, ({ command }) => byName.get(command)?.changes === true);
  return client.simulated ? alsoLater(given, markSimulated) : given;
}

/**
 * An offer of which each change takes its place; but what its form saves for another answer leaves the question. Of a
 * question that its asker alone sees, each answer does: others would see what may be for the asker.
 */
function takenOnce(reply: Reply, isAlone: boolean, changes: (ask: Ask) => boolean): Reply {
  if (reply.asks !== true) return reply;
  const asksOf = (action: Action): readonly Ask[] =>
    "url" in action ? [] : "choices" in action ? action.choices.map((one) => one.invocation) : [action.invocation];
  const changesAll = reply.actions.every((action) => asksOf(action).every(changes));
  const once = (action: Action): Action => {
    if ("url" in action) return action;
    if ("form" in action) return changesAll ? { ...action, invalidates: true } : action;
    return isAlone || asksOf(action).some(changes) ? { ...action, invalidates: true } : action;
  };
  return { ...reply, actions: reply.actions.map(once) };
}

/** The answer as it goes to an adapter. Never rejects. */
export async function finished(
  answer: Reply,
  client: ApiClient,
  { here, isAlone }: { readonly here: Target; readonly isAlone: boolean },
  setup: BotSetup,
): Promise<Reply> {
  return inLimit(await withPicture(marked(setup, answer, client, isAlone), here, setup), setup.log);
}

/** What is added to an answer comes within this time, or not at all. */
const LATER: Milliseconds = 10_000;

/** An answer whose amendment ends in time and never rejects. */
function inLimit(answer: Reply, log: Log): Reply {
  const { later } = answer;
  if (later === undefined) return answer;
  const bounded = async (stop: AbortSignal): Promise<Reply | undefined> => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(LATER)]);
    if (signal.aborted) return undefined;
    try {
      return await inTime(later(signal), { signal }, () => undefined);
    } catch (error) {
      if (!(error instanceof UserError) && !signal.aborted) log.warn({ err: error }, "answer not amended");
      return undefined;
    }
  };
  return { ...answer, later: bounded };
}

/** Kinds that people look up for themselves; markets, assets and nodes are listed to everybody. */
const OWN_KINDS: readonly SeenKind[] = ["order", "party", "proposal"];

/**
 * The ids seen that a workspace may see: without the orders, parties and proposals of other workspaces. Each workspace
 * stores these kinds under a network name of its own.
 */
function workspaceSeenIds(
  seen: SeenIds,
  { platform, workspace }: Pick<Target, "platform" | "workspace">,
  platforms: Platforms,
): SeenIds {
  if (workspace === undefined || platforms.chat(platform)?.destinationsPerWorkspace !== true) return seen;
  const place = (network: string, kind: SeenKind): string =>
    OWN_KINDS.includes(kind) ? `${network} ${platform}/${workspace}` : network;
  return {
    note: (network, kind, ids) => seen.note(place(network, kind), kind, ids),
    find: (network, kind, typed, limit) => seen.find(place(network, kind), kind, typed, limit),
  };
}

/** Counts an answer. */
export function report(
  { byName, onOutcome }: BotSetup,
  command: string,
  here: Target,
  reply: Reply,
  millis: number,
): void {
  onOutcome?.({
    // Typing errors must not create metric labels.
    command: byName.has(command) ? command : "unknown",
    platform: here.platform,
    outcome: reply.failure ?? "answered",
    millis,
  });
}
