import { field, type Field } from "../../reply/block.ts";
import { code, id, joinText, strong, text, type Text, type TextPart, toText } from "../../reply/text.ts";
import { formatDuration, type Milliseconds, toMillis } from "../../units/time.ts";
import { timeFromText } from "../judge/kinds/kind.ts";
import { type ConditionKind, KINDS } from "../judge/kinds/kinds.ts";
import type { Reading } from "../judge/kinds/reading.ts";
import { type Episode, isDrill } from "../judge/rules/episode.ts";
import { MARKET_WORDS } from "./market-words.ts";
import { timeField } from "./phrases.ts";
import { groupedNumber } from "./subscription-words.ts";

/** The words for one condition. */
export interface ConditionWords {
  /** Sentences that `since` continues while it lasts, and `for` and its length once it is over. */
  readonly now: Text;
  readonly past: Text;
  /** Once it is resolved; `after` continues it. */
  readonly good: Text;
  /** The one or two figures that say how bad it is; no figure that the next minute makes wrong. */
  readonly figures: readonly TextPart[];
  /** All figures behind it. */
  readonly fields: readonly Field[];
}

type ReadingOf = { readonly [K in ConditionKind]: Extract<Reading, { kind: K }> };

/**
 * Given the last reading of a rule's episode, and its network's name. While an episode `recovers`, its last reading is
 * one that is good.
 */
export type WordsOf<K extends ConditionKind> = {
  readonly [L in K]: (reading: ReadingOf[L], network: TextPart, rule: string, recovers: boolean) => ConditionWords;
};

const CONDITION_WORDS: WordsOf<ConditionKind> = {
  "network.stalled": (reading, network) => {
    const { frontier, height, doubted = [] } = reading.facts;
    // Where clocks are right, the stall began with the last block.
    const differs = frontier !== undefined && !isSoonAfter(frontier, reading.since);
    return {
      now: text`${network} makes no block`,
      past: text`${network} made no block`,
      good: text`${network} makes blocks again`,
      figures: [
        ...(doubted.length === 0 ? agreement(reading) : doubted.map((one) => doubtWords(one))),
        ...(height === undefined ? [] : [`last block ${groupedNumber(height)}`]),
      ],
      fields: [
        ...(differs ? timeField("Last block's time", frontier) : []),
        ...(height === undefined ? [] : [field("Last block", BigInt(height))]),
      ],
    };
  },
  "network.disagree": (reading, network) => {
    const { advancing, standing, votes = [] } = reading.facts;
    const positions = new Map(votes.map(({ node, height }) => [node, height]));
    const quarrels = standing.length === 0 && advancing.length > 0;
    return {
      now: text`The nodes of ${network} disagree`,
      past: text`The nodes of ${network} disagreed`,
      good: text`The nodes of ${network} agree again`,
      figures: quarrels
        ? [`${advancing.length} nodes contradict each other`]
        : [
            standing.length === 1 ? "1 node stands still" : `${standing.length} nodes stand still`,
            advancing.length === 1 ? "1 goes on" : `${advancing.length} go on`,
          ],
      fields: [
        field("Going on", nodeList(advancing, positions), { wide: true }),
        ...(quarrels ? [] : [field("Standing still", nodeList(standing, positions), { wide: true })]),
      ],
    };
  },
  "network.time-back": (reading, network) => {
    const { from, to } = reading.facts;
    return {
      now: text`${code(reading.subject)} on ${network} says an earlier time than before`,
      past: text`${code(reading.subject)} on ${network} said an earlier time than before`,
      good: text`Time goes forward again at ${code(reading.subject)} on ${network}`,
      figures:
        from === undefined || to === undefined
          ? []
          : [`${formatDuration(toMillis(timeFromText(from)) - toMillis(timeFromText(to)))} earlier than before`],
      fields: [...timeField("It said before", from), ...timeField("It says now", to)],
    };
  },
  "network.clock": (reading, network) => {
    const drift = reading.facts.driftMillis;
    const way = (drift ?? 0) < 0 ? "ahead of" : "behind";
    const off = drift === undefined ? "far from" : way;
    return {
      now: text`The time of ${network} is ${off} the bot's clock`,
      past: text`The time of ${network} was far from the bot's clock`,
      good: text`The time of ${network} agrees with the bot's clock again`,
      figures: [
        ...agreement(reading),
        ...(drift === undefined ? [] : [`${formatDuration(Math.abs(drift))} ${way} the bot's clock`]),
      ],
      fields:
        drift === undefined
          ? []
          : [field("Drift", text`${strong(formatDuration(Math.abs(drift)))} ${way} the bot's clock`)],
    };
  },
  "watch.blind": (reading, network) => ({
    now: text`Bellwether does not see ${network}`,
    past: text`Bellwether did not see ${network}`,
    good: text`Bellwether sees ${network} again`,
    figures: blindWords(reading.facts.nodes),
    fields: reading.facts.nodes.map(({ node, why }) => field(code(node), why ?? "answers", { wide: true })),
  }),
  "node.lagging": (reading, network) => {
    const { behindMillis, behindBlocks } = reading.facts;
    return {
      now: text`${code(reading.subject)} lags behind ${network}`,
      past: text`${code(reading.subject)} lagged behind ${network}`,
      good:
        behindMillis === undefined && behindBlocks === undefined
          ? text`${code(reading.subject)} no longer counts as late on ${network}`
          : text`${code(reading.subject)} has caught up on ${network}`,
      figures: [
        ...(behindMillis === undefined ? [] : [`${formatDuration(behindMillis)} behind`]),
        ...(behindBlocks === undefined ? [] : [`${groupedNumber(behindBlocks)} blocks behind`]),
      ],
      fields: [
        ...(behindMillis === undefined ? [] : [field("Behind", strong(formatDuration(behindMillis)))]),
        ...(behindBlocks === undefined ? [] : [field("Blocks behind", BigInt(behindBlocks))]),
      ],
    };
  },
  "node.down": (reading, network) => {
    // The node of a drill has a key for a name, and its network is none.
    const node = isDrill(reading) ? "A made-up node" : text`${code(reading.subject)} on ${network}`;
    return {
      now: text`${node} does not answer`,
      past: text`${node} did not answer`,
      good: text`${node} answers again`,
      figures: reading.why === undefined ? [] : [reading.why],
      fields: [],
    };
  },
  "node.lying": (reading, network) => ({
    now: text`${code(reading.subject)} on ${network} gives answers that cannot be right`,
    past: text`${code(reading.subject)} on ${network} gave answers that cannot be right`,
    good: text`${code(reading.subject)} on ${network} gives credible answers again`,
    figures: reading.why === undefined ? [] : [reading.why],
    fields: [],
  }),
  "node.diverges": (reading, network) => {
    const { what, block, blocks = 1, field: name = "", of, says = [], others = [], by = [] } = reading.facts;
    return {
      now: text`${code(reading.subject)} on ${network} tells another history than the others`,
      past: text`${code(reading.subject)} on ${network} told another history than the others`,
      good: text`The history of ${code(reading.subject)} is that of the others again on ${network}`,
      figures:
        what === undefined || block === undefined ? [] : [text`${name} of block ${groupedNumber(block)} differs`],
      fields:
        what === undefined || block === undefined
          ? []
          : [
              field("Differs in", text`${name}${of === undefined ? [] : text` of ${id(of)}`} (${what})`),
              field("At block", text`${BigInt(block)}${blocks === 1 ? [] : ` and ${blocks - 1} more`}`),
              field("It says", idList(says)),
              field(by.length === 0 ? "Said before" : "Others say", idList(others)),
            ],
    };
  },
  "node.refuses": (reading, network) => ({
    now: text`${code(reading.subject)} on ${network} refuses to answer`,
    past: text`${code(reading.subject)} on ${network} refused to answer`,
    good: text`${code(reading.subject)} on ${network} gives answers again`,
    figures: reading.why === undefined ? [] : [reading.why],
    fields: [],
  }),
  "node.slow": (reading, network) => {
    const { answers, late, limitMillis } = reading.facts;
    const isKnown = answers !== undefined && late !== undefined && limitMillis !== undefined;
    return {
      now: text`${code(reading.subject)} on ${network} answers slowly`,
      past: text`${code(reading.subject)} on ${network} answered slowly`,
      good: text`${code(reading.subject)} on ${network} answers in time again`,
      figures: isKnown ? [`${late} of ${answers} answers took more than ${formatDuration(limitMillis)}`] : [],
      fields: isKnown ? [field(`Above ${formatDuration(limitMillis)}`, `${late} of ${answers} answers`)] : [],
    };
  },
  "network.slow": (reading, network) => {
    const { blockMillis, usualMillis } = reading.facts;
    return {
      now: text`${network} makes blocks slowly`,
      past: text`${network} made blocks slowly`,
      good: text`${network} makes blocks at its usual pace again`,
      figures: [
        ...(blockMillis === undefined ? [] : [`a block every ${formatDuration(blockMillis)}`]),
        ...(usualMillis === undefined ? [] : [`usually every ${formatDuration(usualMillis)}`]),
      ],
      fields: [
        ...(blockMillis === undefined ? [] : [field("A block every", strong(formatDuration(blockMillis)))]),
        ...(usualMillis === undefined ? [] : [field("Usually every", formatDuration(usualMillis))]),
      ],
    };
  },
  "checkpoint.overdue": (reading, network) => overdueWords("checkpoint", reading, network),
  "snapshot.overdue": (reading, network) => overdueWords("snapshot", reading, network),
  ...MARKET_WORDS,
};

function overdueWords(
  what: "checkpoint" | "snapshot",
  { facts: { sinceMillis, usualMillis, lastBlock } }: ReadingOf["checkpoint.overdue" | "snapshot.overdue"],
  network: TextPart,
): ConditionWords {
  return {
    now: text`A ${what} of ${network} is overdue`,
    past: text`A ${what} of ${network} was overdue`,
    good: text`${what === "checkpoint" ? "Checkpoints" : "Snapshots"} come again on ${network}`,
    figures: [
      ...(lastBlock === undefined ? [] : [`last one at block ${groupedNumber(lastBlock)}`]),
      ...(usualMillis === undefined ? [] : [`usually one every ${formatDuration(usualMillis)}`]),
    ],
    fields: [
      ...(sinceMillis === undefined ? [] : [field("Since the last one", strong(formatDuration(sinceMillis)))]),
      ...(usualMillis === undefined ? [] : [field("Usual spacing", formatDuration(usualMillis))]),
      ...(lastBlock === undefined ? [] : [field("Last at block", lastBlock)]),
    ],
  };
}

/** The words for an episode as it last was, under its rule's own thresholds. Pure and total. */
export function conditionWords({ rule, last, state }: WordedEpisode): ConditionWords {
  return wordsFor(last.kind, last, rule, state === "recovering");
}

type WordedEpisode = Pick<Episode, "rule" | "last"> & Partial<Pick<Episode, "state">>;

/** What happens, as every surface names an episode: `mainnet makes no block`, and `made` once it recovers or is over. */
export function happening(episode: WordedEpisode): Text {
  const { now, past } = conditionWords(episode);
  return (episode.state ?? "firing") === "firing" ? now : past;
}

function wordsFor<K extends ConditionKind>(kind: K, reading: ReadingOf[K], rule: string, recovers: boolean) {
  return CONDITION_WORDS[kind](reading, strong(reading.network), rule, recovers);
}

/** Who says that the network went on, and why that does not count. */
function doubtWords({ node, why }: { readonly node: string; readonly why: string }): Text {
  return text`${code(node)} says a later time and is not believed: ${why}`;
}

/** How many nodes show it, for one line. */
function agreement({ seenBy, nodes }: Reading): string[] {
  if (nodes === 1) return ["seen from one node"];
  return seenBy.length === 0 ? [] : [`${seenBy.length} of ${nodes} nodes agree`];
}

/** Which nodes show it, of how many. */
export function seenBy({ kind, seenBy, nodes }: Reading): Text {
  if (seenBy.length === 0 && KINDS[kind].seenByBot === true) return text`Bellwether itself`;
  if (seenBy.length === 0) return nodes === 1 ? text`no node (one is configured)` : text`none of ${nodes} nodes`;
  return nodes === 1
    ? text`${nodeList(seenBy)}, the one node there is`
    : text`${nodeList(seenBy)} (${seenBy.length} of ${nodes})`;
}

/** With the block of each, where that is known. */
export function nodeList(nodes: readonly string[], heights?: ReadonlyMap<string, string | undefined>): Text {
  const said = nodes.map((node) => {
    const height = heights?.get(node);
    return height === undefined ? toText(code(node)) : text`${code(node)} at block ${BigInt(height)}`;
  });
  return joinText(said, ", ");
}

/** Hashes or addresses, several where checkpoints share a block. */
export function idList(ids: readonly string[]): Text {
  return joinText(
    ids.map((one) => toText(id(one))),
    ", ",
  );
}

/** How many nodes say nothing that counts, and why, where all of them have one reason. */
function blindWords(nodes: readonly { readonly node: string; readonly why?: string }[]): string[] {
  const silent = nodes.flatMap(({ why }) => why ?? []);
  const [only, ...others] = new Set(silent);
  if (only === undefined) return [];
  const count = `${silent.length} of ${nodes.length} nodes`;
  return [others.length === 0 ? `${count}: ${only}` : `no usable answer from ${count}`];
}

/** How soon two moments count as one in what people read. */
const ONE_MOMENT: Milliseconds = 10_000;

function isSoonAfter(moment: string, other: string | undefined): boolean {
  if (other === undefined) return false;
  return Math.abs(toMillis(timeFromText(moment)) - toMillis(timeFromText(other))) <= ONE_MOMENT;
}
