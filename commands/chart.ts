import { seenHere, findEpisode, suggestEpisodes } from "../src/answers/alerts/episodes/episodes.ts";
import { findKind, parseKinds } from "../src/answers/alerts/alert-kinds.ts";
import { resolveSubjects, saidNode, subjectLabels } from "../src/answers/alerts/alert-subjects.ts";
import { parseThresholds } from "../src/answers/alerts/subscriptions/thresholds.ts";
import { callerZone, isSpan, suggestSpans } from "../src/answers/alerts/alert-times.ts";
import { alertPicture, pictureAbout } from "../src/answers/charts/alert-chart.ts";
import { ALL, isLast, looksSpan, parseLast } from "../src/answers/charts/chart-span.ts";
import {
  blocksPicture,
  chartReply,
  type ChartSpan,
  marketPicture,
  ownLimits,
  type Picture,
  spacingPicture,
} from "../src/answers/charts/charts.ts";
import { networkPicture } from "../src/answers/charts/network-chart.ts";
import { stakePicture } from "../src/answers/charts/stake-chart.ts";
import { askFor, refreshAction } from "../src/answers/answer.ts";
import { MARKET, marketsById, PARTY } from "../src/answers/ids/ids.ts";
import { idOption, lookUp, resolveId, saidId, suggestIds } from "../src/answers/ids/typed-ids.ts";
import { Severity } from "../src/alerts/judge/kinds/kind.ts";
import { isConditionKind } from "../src/alerts/judge/kinds/kinds.ts";
import { roughly, timesWords } from "../src/answers/alerts/subscriptions/trial-reply.ts";
import { lengthOf, type Tried, tryAll } from "../src/answers/alerts/subscriptions/try-subscription.ts";
import { command, type CommandContext } from "../src/bot/command.ts";
import { type Choice, plainChoices, type Said, type SuggestContext } from "../src/bot/options/options.ts";
import { saidRun } from "../src/bot/options/said.ts";
import { stem } from "../src/bot/grammar/stem.ts";
import { saidNetwork } from "../src/answers/questions/questions.ts";
import { MAX_CHOICES } from "../src/bot/options/suggest-values.ts";
import { SAVE_PARTY } from "../src/bot/options/saved-parties.ts";
import { UserError } from "../src/errors.ts";
import { paragraph } from "../src/reply/block.ts";
import { reply } from "../src/reply/reply.ts";
import { shortenId } from "../src/reply/text.ts";
import { type Milliseconds, toMillis } from "../src/units/time.ts";

/** What is drawn beside markets and alerts. */
const NAMED = ["network", "blocks", "checkpoints", "snapshots", "stake"];
const USUAL = "24h";

const options = {
  what: {
    kind: "text",
    label: "What",
    required: true,
    description: "network, blocks, checkpoints, snapshots, stake, a market, or an alert by its name",
    example: "blocks",
    maxLength: 400,
    words: NAMED,
    suggest: suggestWhat,
    said: saidWhat,
    finds: async (option: string, typed: string, context: SuggestContext) => {
      if (!NAMED.includes(typed.trim().toLowerCase()) && !isAlert(typed) && !TRIAL.test(typed))
        await resolveId(MARKET, typed, lookUp(context), option, { asSaid: true });
    },
  },
  last: {
    kind: "text",
    label: "How long back",
    description: "How long back: 1h, 7d, all; left out = 24h, of a stake all",
    example: USUAL,
    suggest: async (typed: string) => {
      const fits = [ALL, USUAL, ...(await suggestSpans(typed)).map(({ value }) => value)];
      return plainChoices([...new Set(fits)].filter((one) => one.startsWith(typed.trim())));
    },
    takes: isLast,
    said: (words: readonly string[]) =>
      saidRun(words, isLast, /^(?:last|past|for|over|of)$/u) ?? saidRun(words, isSpan),
    reads: (option: string, typed: string) => void parseLast(option, typed),
  },
  party: idOption(PARTY, {
    description: "Whose stake: an id or a saved name; left out = the party you saved",
    saved: "party",
  }),
} as const;
type Context = CommandContext<typeof options>;

export const chart = command({
  name: "chart",
  alsoCalled: ["graph", "plot", "picture", "lane", "band"],
  asked: ["chart|graph|plot|picture|draw", "chart|graph|plot|picture|draw {what}|price|spread"],
  summary: "A picture: the network, blocks, a market, an alert",
  verb: "Draw",
  title: "Draw a picture",
  examples: ["chart what:network", "chart BTC/USDT last:7d", "chart node.down"],
  audience: "channel",
  options,
  run: async (context) => {
    const { what, last, party } = context.options;
    const now = toMillis(context.now());
    const zone = await callerZone(context);
    // A wrong one is named, whatever is drawn.
    const id = party === undefined ? undefined : await resolveId(PARTY, party, context, "party");
    const isStake = what.trim().toLowerCase() === "stake";
    const ask = askFor(context, "chart", {
      what,
      last: last === (isStake ? ALL : USUAL) ? undefined : last,
      party: isStake ? party : undefined,
      private: context.askedPrivately || undefined,
    });
    const {
      picture,
      nothing,
      why,
      spans = [],
    } = isStake
      ? await ofStake(context, id, now, zone)
      : await (TRIAL.test(what) ? ofTrial : isAlert(what) ? ofAlert : ofWhat)(context, now, zone);
    if (picture !== undefined) return chartReply(picture, ask, spans);
    return reply({ title: nothing, blocks: [paragraph(why)], actions: [refreshAction(ask)] });
  },
});

interface Drawn {
  readonly picture: Picture | undefined;
  /** What is said where there is none. */
  readonly nothing: string;
  readonly why: string;
  /** Other times that it may be drawn of. */
  readonly spans?: readonly string[];
}

const KEPT = "Pictures are made of what was seen and kept since this bot watches the network.";

async function ofAlert(context: Context, now: Milliseconds, zone: string): Promise<Drawn> {
  const found = await findEpisode(context.alerts, context.options.what);
  const picture = await alertPicture(context, seenHere(found, context), { now, zone });
  return { picture, nothing: "Nothing is kept that could be drawn of this alert", why: KEPT };
}

/** As a trial's button writes it: `try node.lagging behind:2m`. */
const TRIAL = /^try\s+(?=\S)/iu;

async function ofTrial(context: Context, to: Milliseconds, zone: string): Promise<Drawn> {
  const { what, last = USUAL } = context.options;
  const [named = "", ...given] = what.replace(TRIAL, "").split(/\s+(?=[a-z-]+:)/iu);
  const typed: Readonly<Record<string, string>> = Object.fromEntries(
    given.map((one) => [one.slice(0, one.indexOf(":")).toLowerCase(), one.slice(one.indexOf(":") + 1)]),
  );
  const { kinds } = parseKinds(named);
  const subjects = typed["subjects"] === undefined ? [] : await resolveSubjects(kinds, typed["subjects"], context);
  const tried = {
    network: context.network,
    kinds,
    subjects,
    parameters: parseThresholds(kinds, typed),
    floor: Severity.catch("info").parse(typed["severity"]),
  };
  const span = await looksSpan(context, "sources", last, { to, zone });
  return {
    picture: await trialPicture(context, span, tried),
    nothing: "Nothing is kept that could be drawn of this trial",
    why: KEPT,
    spans: span.others,
  };
}

/** At most so many alerts are marked: the newest. */
const MAX_TOLD = 40;

async function trialPicture(context: Context, span: ChartSpan, tried: Tried): Promise<Picture | undefined> {
  const { kinds, subjects, parameters } = tried;
  const [kind, [subject = ""]] = [kinds.find(isConditionKind), subjects];
  if (kind === undefined) return undefined;
  const label = (await subjectLabels([{ kinds, ids: subjects }], context))[subject];
  const [picture, { results }] = await Promise.all([
    pictureAbout(context, span, { kind, subject, label, parameters: parameters[kind] }),
    tryAll([tried], span, context),
  ]);
  if (picture === undefined) return undefined;
  const told = results[0]?.told ?? [];
  const longest = Math.max(0, ...told.map((one) => lengthOf(one, span.to)));
  const title =
    told.length === 0
      ? "This would have told you nothing"
      : `This would have told you ${timesWords(told.length)}, ${roughly(longest)} at most`;
  const bands = told
    .slice(-MAX_TOLD)
    .flatMap(({ began, fired, ended = span.to }) => [
      ...(began < fired ? [{ from: Math.max(began, span.from), to: fired, name: "pending" }] : []),
      { from: fired, to: Math.max(fired, ended), name: "firing", strong: true as const },
    ]);
  const note = told.length > MAX_TOLD ? { note: `the last ${MAX_TOLD} are marked` } : {};
  return { ...picture, scene: { ...picture.scene, title, bands, ...note } };
}

/** A stake is no look: the network itself keeps its linkings. */
async function ofStake(context: Context, id: string | undefined, to: Milliseconds, zone: string): Promise<Drawn> {
  const { last = ALL } = context.options;
  if (id === undefined) {
    throw new UserError("Whose stake?", {
      option: "party",
      remedy: "Name the party, or save yours.",
      suggestion: "chart stake party:<party>",
      starts: [SAVE_PARTY],
    });
  }
  const millis = parseLast("last", last);
  const picture = await stakePicture(context, { from: millis === undefined ? undefined : to - millis, to, zone }, id);
  const why = "It never linked any, or the network does not know it.";
  return { picture, nothing: `Party ${shortenId(id)} has no stake that could be drawn`, why };
}

async function ofWhat(context: Context, now: Milliseconds, zone: string): Promise<Drawn> {
  const { network, options: given } = context;
  const wanted = given.what.trim().toLowerCase();
  const market = NAMED.includes(wanted) ? undefined : await marketOf(context);
  const list = wanted === "checkpoints" || wanted === "snapshots" ? wanted : undefined;
  const watcher = market === undefined ? (list ?? "sources") : "markets";
  const span = await looksSpan(context, watcher, given.last ?? USUAL, { to: now, zone });
  const name = market?.label ?? (wanted === "network" ? network : `${wanted} of ${network}`);
  const isBeyond =
    market !== undefined && context.alerts.marketsWithoutLooks?.(network).includes(market.label) === true;
  return {
    picture: await pictureOf(context, span, market ?? wanted),
    nothing: `Nothing is kept that could be drawn of ${name} in that time`,
    why: isBeyond
      ? "This market is beyond those of which looks are kept; a subscription that names it changes that."
      : KEPT,
    spans: span.others,
  };
}

async function pictureOf(context: Context, span: ChartSpan, what: string | Market): Promise<Picture | undefined> {
  if (typeof what !== "string") return marketPicture(context, span, what, await ownLimits(context, what.id));
  if (what === "checkpoints" || what === "snapshots") return spacingPicture(context, span, what);
  if (what === "blocks") return blocksPicture(context, span);
  return networkPicture(context, span);
}

type Market = Parameters<typeof marketPicture>[2];

async function marketOf(context: Context): Promise<Market> {
  const id = await resolveId(MARKET, context.options.what, context, "what", { asSaid: true });
  const names = await marketsById(context);
  return { id, label: names.get(id)?.code ?? id };
}

/** Names of alerts begin with their kind. */
function isAlert(typed: string): boolean {
  const [word = ""] = typed.trim().split(/[\s|{]/u);
  return findKind(word) !== undefined;
}

/** A market or an alert; else what is named so, and of a node its network. */
async function saidWhat(words: readonly string[], context: SuggestContext): Promise<Said | undefined> {
  const named = words.find((word) => NAMED.some((one) => stem(one) === stem(word)));
  const value = NAMED.find((one) => stem(one) === stem(named ?? ""));
  if (named !== undefined && value !== undefined) return { value, words: [named] };
  const kind = saidRun(words, (typed) => findKind(typed) !== undefined);
  const other = kind ?? (await saidId(MARKET)(words, context));
  if (other !== undefined) return other;
  const node = saidNode(words, context) ?? saidNetwork(words, [context.api.network]);
  return node && { value: "network", words: node.words };
}

async function suggestWhat(typed: string, context: SuggestContext): Promise<readonly Choice[]> {
  const low = typed.trim().toLowerCase();
  const named = plainChoices(NAMED.filter((one) => one.startsWith(low)));
  const [markets, alerts] = await Promise.all([suggestIds(MARKET)(typed, context), suggestEpisodes(typed, context)]);
  return [...named, ...markets, ...alerts].slice(0, MAX_CHOICES);
}
