import { parseBundleSubject } from "../../alerts/judge/kinds/event.ts";
import type { SubjectFamily } from "../../alerts/judge/kinds/kind.ts";
import { type AlertKind, KINDS } from "../../alerts/judge/kinds/kinds.ts";
import type { ChosenKinds } from "../../alerts/route/subscription.ts";
import type { MarketNames } from "../../api/model/names.ts";
import { isContentWord, plainWords } from "../../bot/grammar/plain-words.ts";
import { stem } from "../../bot/grammar/stem.ts";
import { didYouMean, nearest, quoteTyped } from "../../bot/nearest.ts";
import {
  type Choice,
  MAX_CHOICE_LENGTH,
  plainChoices,
  type Said,
  type SuggestContext,
  type TextOption,
} from "../../bot/options/options.ts";
import { saidRun } from "../../bot/options/said.ts";
import { inFigures } from "../../bot/options/time-span.ts";
import { passes, UserError } from "../../errors.ts";
import { paragraph } from "../../reply/block.ts";
import { type Ask, askedBack, choiceActions, type Reply } from "../../reply/reply.ts";
import {
  ASSET,
  type IdKind,
  MARKET,
  marketsById,
  type NamesContext,
  nodesById,
  ORDER,
  PARTY,
  PROPOSAL,
  VALIDATOR,
} from "../ids/ids.ts";
import { findOrder } from "../ids/party-orders.ts";
import { lookUp, type ResolveContext, resolveId, saidId, suggestIds } from "../ids/typed-ids.ts";
import { findKind, kindsCalled, parseKinds, suggestKinds } from "./alert-kinds.ts";

/** The most subjects of one subscription; without any it covers all. */
const MAX_SUBJECTS = 20;

const ID_KINDS = {
  market: MARKET,
  validator: VALIDATOR,
  order: ORDER,
  party: PARTY,
} as const satisfies Partial<Record<SubjectFamily, IdKind>>;

/**
 * Typed subjects of these kinds, as the ids that alerts use.
 * @throws UserError for a kind without subjects, and for an unknown subject.
 */
export async function resolveSubjects(
  kinds: readonly AlertKind[],
  typed: string,
  context: ResolveContext,
  option = "subjects",
): Promise<string[]> {
  const words = typed
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  const families = new Map<SubjectFamily, AlertKind>();
  for (const kind of kinds) {
    const family = KINDS[kind].about;
    if (family !== undefined && !families.has(family)) families.set(family, kind);
  }
  const [first, second] = [...families];
  if (first === undefined) {
    throw new UserError(`${kinds.join(", ")} is about the whole network, not about ${quoteTyped(typed)}.`, {
      option,
      remedy: "Leave the subjects out, or name a kind that has them, such as market.price, node.down or order.final.",
    });
  }
  if (second !== undefined) {
    throw new UserError(`${first[1]} is about ${first[0]}s and ${second[1]} about ${second[0]}s.`, {
      option,
      remedy: "Add them one by one, each with its own subjects, or leave the subjects out.",
    });
  }
  if (words.length > MAX_SUBJECTS) {
    throw new UserError(`${words.length} subjects are too many: one subscription takes ${MAX_SUBJECTS}.`, {
      option,
      remedy: "Add the rest in another one, or leave the subjects out to be told of all.",
    });
  }
  const resolved: string[] = [];
  for (const word of words) resolved.push(await resolveSubject(first[0], word, context, option));
  return [...new Set(resolved)].toSorted();
}

/** One subject of a family, as the id that alerts use. Throws UserError for an unknown one. */
async function resolveSubject(
  family: SubjectFamily,
  typed: string,
  context: ResolveContext,
  option: string,
): Promise<string> {
  if (family === "node") return resolveNode(typed, context, option);
  if (family === "bundle") {
    const { bundle, id } = parseBundleSubject(typed);
    const resolved = await resolveId(bundle === "list-asset" ? ASSET : PROPOSAL, id, context, option);
    return `${bundle}:${resolved}`;
  }
  const named = family === "market" ? await MARKET.names(context) : [];
  const ended = new Set(named.filter((one) => one.ended === true).map(({ id }) => id));
  return resolveId(ID_KINDS[family], typed, context, option, { prefer: (id) => !ended.has(id) });
}

/** A data node by its name or a unique prefix of it; undefined where none or several match. */
export function findNode(typed: string, { nodes }: Pick<ResolveContext["api"], "nodes">): string | undefined {
  const found = matchingNodes(typed, nodes);
  return found.length === 1 ? found[0] : undefined;
}

const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"];

/** The data node that a question says: by its name, or by its number, which is the end of its name or its place. */
export function saidNode(words: readonly string[], { api }: Pick<SuggestContext, "api">): Said | undefined {
  const names = api.nodes.map(({ name }) => name);
  const named = words.find((word) => names.some((name) => name.toLowerCase() === word));
  if (named !== undefined) return { value: named, words: [named] };
  const apart = words.findIndex((word, at) => names.includes(`${word}-${words[at + 1]}`));
  if (apart !== -1) return { value: `${words[apart]}-${words[apart + 1]}`, words: words.slice(apart, apart + 2) };
  const at = words.findIndex((word) => /^nodes?$/u.test(word));
  if (at === -1) {
    const joined = words.find((word) => /^n(?:odes?)?-?\d+$/u.test(word));
    const numbered = joined === undefined ? undefined : saidNode(["node", joined.replace(/^\D+/u, "")], { api });
    return numbered && { ...numbered, words: [joined ?? ""] };
  }
  const [before = "", node = "", behind = ""] = [words[at - 1], words[at], words[at + 1]];
  const ordinal = ORDINALS.indexOf(before) + 1;
  const number = ordinal > 0 ? ordinal : Number(inFigures(behind));
  const value =
    names.find((name) => name.endsWith(String(number)) && !/\d/u.test(name.at(-2) ?? "")) ?? names[number - 1];
  return value === undefined ? undefined : { value, words: [node, ordinal > 0 ? before : behind] };
}

/** What networks are called, here or elsewhere. */
const NETWORK_NAME = /^(?:(?:main|test|dev|stag)net\d*|fairground)$/u;

/** A network or a node that a question names and that is not here: those that are, each with the same question. */
export function absentNames(
  question: string,
  { api, network, networks }: Pick<ResolveContext, "api" | "network"> & { readonly networks: readonly string[] },
): Reply | undefined {
  const words = plainWords(question);
  const isHere = (word: string): boolean => networks.some((name) => name.toLowerCase().includes(word));
  const other = words.find((word) => NETWORK_NAME.test(word) && !isHere(word));
  const isAbsent = (word: string, at: number): boolean =>
    word === "node" &&
    /^\d+$/u.test(words[at + 1] ?? "") &&
    saidNode([word, words[at + 1] ?? ""], { api }) === undefined;
  const node = other === undefined ? words[words.findIndex(isAbsent) + 1] : undefined;
  if (other === undefined && !words.some(isAbsent)) return undefined;
  const names = other === undefined ? api.nodes.map(({ name }) => name) : networks;
  const typed = other ?? new RegExp(`node\\W*${node}\\b|\\b${node}\\w* node`, "iu");
  const askWith = (name: string): Ask => ({ command: "ask", options: { question: question.replace(typed, name) } });
  return askedBack(
    other === undefined ? `There is no node ${node} on ${network}` : `There is no ${other} here`,
    [paragraph(`${other === undefined ? "Its nodes" : "Networks here"}: ${names.join(", ")}.`)],
    choiceActions(other === undefined ? "Choose the node" : "Choose the network", plainChoices(names), askWith),
  );
}

/** One data node; chats have it in their words and buttons alone. */
export const NODE_OPTION = {
  kind: "text",
  operatorsOnly: true,
  isPublic: true,
  phrase: "of …",
  description: "Only this data node; left out = all of them",
  example: "sim-2",
  suggest: (typed, context) => suggestOne("node", typed, context),
  said: saidNode,
} as const satisfies TextOption;

function matchingNodes(typed: string, nodes: ResolveContext["api"]["nodes"]): readonly string[] {
  const names = nodes.map(({ name }) => name);
  const wanted = typed.trim().toLowerCase();
  const exact = names.filter((name) => name.toLowerCase() === wanted);
  return exact.length > 0 ? exact : names.filter((name) => wanted !== "" && name.toLowerCase().startsWith(wanted));
}

/** A data node by its name or a unique prefix of it. @throws UserError where none or several match. */
export function resolveNode(
  typed: string,
  { api, network }: Pick<ResolveContext, "api" | "network">,
  option: string,
): string {
  const only = findNode(typed, api);
  if (only !== undefined) return only;
  const found = matchingNodes(typed, api.nodes);
  const names = api.nodes.map(({ name }) => name);
  const near = nearest(typed, names);
  throw new UserError(
    found.length > 1
      ? `${quoteTyped(typed)} could be ${found.length} data nodes.`
      : `There is no data node ${quoteTyped(typed)} on ${network} here.`,
    {
      option,
      ...didYouMean(typed, found.length > 0 ? found : near, `There are ${names.join(", ")}.`),
    },
  );
}

/** The families of subjects that have names, and where a node gives them. */
const NAMED_FAMILIES = [
  ["market", marketsById],
  ["validator", nodesById],
] as const;

/** Names of subjects, by id; asks the node only where a subject may have one. */
export async function subjectLabels(
  subjects: readonly { readonly kinds: readonly AlertKind[]; readonly ids: readonly string[] }[],
  context: NamesContext,
): Promise<Readonly<Record<string, string>>> {
  const labels: Record<string, string> = {};
  for (const [family, namesById] of NAMED_FAMILIES) {
    const wanted = subjects.flatMap(({ kinds, ids }) =>
      kinds.some((kind) => KINDS[kind].about === family) ? ids : [],
    );
    if (wanted.length === 0) continue;
    const names: ReadonlyMap<string, Partial<MarketNames>> = await namesById(context);
    for (const id of wanted) {
      const label = names.get(id)?.code ?? names.get(id)?.name;
      if (label !== undefined) labels[id] = label;
    }
  }
  return labels;
}

/** Where no kind says what the subjects are: markets, data nodes or validators. */
const ANY_FAMILY = ["market", "node", "validator"] as const;

/** @throws UserError for a subject that these kinds do not have; without a right kind, for the name of nothing. */
export async function findSubjects(option: string, typed: string, context: SuggestContext): Promise<void> {
  const { kinds = context.options["what"] } = context.options;
  const chosen = typeof kinds === "string" && passes(() => parseKinds(kinds)) ? parseKinds(kinds).kinds : [];
  if (chosen.includes("order.final")) return findOrder(option, typed, context);
  if (chosen.length > 0) return void (await resolveSubjects(chosen, typed, lookUp(context), option));
  for (const word of typed.split(",").filter((one) => one.trim() !== "" && !ALL_SUBJECTS.test(one.trim()))) {
    const sought = ANY_FAMILY.map((family) => resolveSubject(family, word.trim(), lookUp(context), option));
    const [first, ...others] = await Promise.allSettled(sought);
    if (first?.status === "rejected" && others.every(({ status }) => status === "rejected")) throw first.reason;
  }
}

/** The kinds that were named; without any, those of a price or else of the market or node that was; of nothing, `ops`. */
export function chosenKinds(
  { kinds, subjects, high, low }: Readonly<Partial<Record<"kinds" | "subjects" | "high" | "low", string | undefined>>>,
  { api }: Pick<ResolveContext, "api">,
  line?: string,
): ChosenKinds {
  const [subject] = subjects?.split(",") ?? [];
  const ofMarket = high === undefined && low === undefined ? "markets" : "market.price";
  const usual = subject === undefined ? "ops" : findNode(subject, api) === undefined ? ofMarket : "nodes";
  return parseKinds(kinds ?? usual, line);
}

/** Completion of kinds: only those of the market or node that is named already. */
export async function suggestKindsOf(
  typed: string,
  { api, options: { subjects } }: SuggestContext,
): Promise<readonly Choice[]> {
  const all = await suggestKinds(typed);
  const isNode = typeof subjects === "string" && findNode(subjects, api) !== undefined;
  const family = isNode ? "node" : typeof subjects === "string" && subjects.includes("/") ? "market" : undefined;
  const fits = ({ value }: Choice): boolean => parseKinds(value).kinds.every((kind) => KINDS[kind].about === family);
  return family === undefined ? all : all.filter((one) => passes(() => parseKinds(one.value)) && fits(one));
}

/** The node or market that a question says. */
export async function saidSubject(words: readonly string[], context: SuggestContext): Promise<Said | undefined> {
  return saidNode(words, context) ?? (await saidId(MARKET)(words, context));
}

/** The kinds that a question names, in everyday words, too; beside a market or node those of it: `auctions on AAVE`. */
export async function saidKinds(words: readonly string[], context: SuggestContext): Promise<Said | undefined> {
  const named = saidRun(words, (typed) => findKind(typed) !== undefined);
  if (named !== undefined) return named;
  const subject = await saidSubject(words, context);
  const of = new Set(subject?.words);
  const first = words.findIndex((word) => of.has(word));
  const about = findNode(subject?.value ?? "", context.api) === undefined ? "market" : "node";
  const isBeside = (at: number): boolean => at < first || of.has(words[at - 1] ?? "");
  const called = words.map((word, at) =>
    kindsCalled(isStopped(words, at, context.api.network) ? "stall" : word).filter(
      (kind) => subject === undefined || (isBeside(at) && KINDS[kind].about === about),
    ),
  );
  const kinds = [...new Set(called.flat())];
  const isCalled = (at: number): boolean => called[at]?.[0] !== undefined;
  const own = words.filter((word, at) => isCalled(at) || (FAMILY.test(word) && isCalled(at + 1)));
  return kinds.length === 0 ? undefined : { value: kinds.join(","), words: own };
}

const STOPPED = /^(?:stop|stuck|fr[eo]z|freez|frozen|hang|hung)$/u;

/** Whether a word says that blocks stopped: before it, past words that say nothing, stands the network. */
function isStopped(words: readonly string[], at: number, network: string): boolean {
  const before = words.slice(0, at).map(stem).findLast(isContentWord) ?? "";
  const isNetwork = /^(?:network|net|chain|block|blockchain)$/u.test(before) || before === stem(network.toLowerCase());
  return isNetwork && STOPPED.test(stem(words[at] ?? ""));
}

/** What stands before the noun of a kind, and says no more than it. */
const FAMILY = /^(?:network|chain|node|market)s?$/u;

/** Removes the subjects, so that all are meant. */
export const ALL_SUBJECTS = /^(?:all|off|none|any)$/iu;

/** Completion of a list of subjects, by the kinds typed before it; markets where nothing says otherwise. */
export async function suggestSubjects(typed: string, context: SuggestContext): Promise<readonly Choice[]> {
  const cut = typed.lastIndexOf(",") + 1;
  const [before, word] = [typed.slice(0, cut), typed.slice(cut).trimStart()];
  const choices = await suggestOne(familyTyped(context.options["kinds"]), word, context);
  return choices
    .map(({ label, value }) => ({ label, value: `${before}${value}` }))
    .filter(({ value }) => value.length <= MAX_CHOICE_LENGTH);
}

/** Completion of the subject of a silence, by the kind in `what`; nodes and markets where it names none. */
export async function suggestSilencedSubjects(typed: string, context: SuggestContext): Promise<readonly Choice[]> {
  const { what } = context.options;
  if (typeof what === "string") return suggestOne(familyTyped(what), typed, context);
  return [...(await suggestOne("node", typed, context)), ...(await suggestOne("market", typed, context))];
}

function familyTyped(kinds: unknown): SubjectFamily {
  if (typeof kinds !== "string" || !passes(() => parseKinds(kinds))) return "market";
  const families = parseKinds(kinds).kinds.map((kind) => KINDS[kind].about);
  return families.find((family) => family !== undefined) ?? "market";
}

async function suggestOne(family: SubjectFamily, word: string, context: SuggestContext): Promise<readonly Choice[]> {
  if (family !== "node") return suggestIds(family === "bundle" ? ASSET : ID_KINDS[family])(word, context);
  const names = context.api.nodes.map(({ name }) => name);
  return plainChoices(names.filter((name) => name.toLowerCase().includes(word.toLowerCase())));
}
