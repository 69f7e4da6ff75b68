import { plainText } from "../../reply/plain-text.ts";
import { field, type Field } from "../../reply/block.ts";
import { code, id, joinText, strong, text, type Text, type TextPart, time, toText } from "../../reply/text.ts";
import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import { toMillis } from "../../units/nanoseconds.ts";
import { timeFromText } from "../kinds/json-fields.ts";
import { type ConditionKind, KINDS } from "../kinds/kinds.ts";
import { priceSide } from "../kinds/price.ts";
import type { Reading } from "../kinds/reading.ts";
import type { Episode } from "../rules/episode.ts";
import { enumWord } from "./phrases.ts";
import { groupedNumber, ruleParameters, ruleWords } from "./subscription-words.ts";

/** The words for one condition. */
interface ConditionWords {
  /** The title while it fires, and once it is resolved. */
  readonly bad: Text;
  readonly good: Text;
  /** The figures behind it. */
  readonly fields: readonly Field[];
}

type ReadingOf = { readonly [K in ConditionKind]: Extract<Reading, { kind: K }> };

/** Given the last reading of a rule's episode, and its network's name. */
const CONDITION_WORDS: {
  readonly [K in ConditionKind]: (reading: ReadingOf[K], network: TextPart, rule: string) => ConditionWords;
} = {
  "network.stalled": (reading, network) => {
    const { frontier, height } = reading.facts;
    // Where clocks are right, the stall began with the last block.
    const differs = frontier !== undefined && !isSoonAfter(frontier, reading.since);
    return {
      bad: text`No new block on ${network}`,
      good: text`${network} makes blocks again`,
      fields: [
        ...(differs ? timeField("Last block's time", frontier) : []),
        ...(height === undefined ? [] : [field("Last block", strong(height))]),
      ],
    };
  },
  "network.disagree": (reading, network) => {
    const { advancing, standing, votes = [] } = reading.facts;
    const positions = new Map(votes.map(({ node, height }) => [node, height]));
    return {
      bad: text`The nodes of ${network} disagree`,
      good: text`The nodes of ${network} agree again`,
      fields: [
        field("Going on", nodeList(advancing, positions), { wide: true }),
        field("Standing still", nodeList(standing, positions), { wide: true }),
      ],
    };
  },
  "network.time-back": (reading, network) => {
    const { from, to } = reading.facts;
    return {
      bad: text`Time went back at ${code(reading.subject)} on ${network}`,
      good: text`Time goes forward again at ${code(reading.subject)} on ${network}`,
      fields: [...timeField("It said before", from), ...timeField("It says now", to)],
    };
  },
  "network.clock": (reading, network) => {
    const drift = reading.facts.driftMillis;
    const way = (drift ?? 0) < 0 ? "ahead of" : "behind";
    return {
      bad: text`The time of ${network} is far from the wall clock`,
      good: text`The time of ${network} agrees with the wall clock again`,
      fields:
        drift === undefined ? [] : [field("Drift", text`${strong(formatDuration(Math.abs(drift)))} ${way} the clock`)],
    };
  },
  "watch.blind": (reading, network) => ({
    bad: text`The watcher is blind on ${network}`,
    good: text`The watcher sees ${network} again`,
    fields: reading.facts.nodes.map(({ node, why }) => field(code(node), why ?? "answers", { wide: true })),
  }),
  "node.lagging": (reading, network) => {
    const { behindMillis, behindBlocks } = reading.facts;
    return {
      bad: text`${code(reading.subject)} lags behind on ${network}`,
      good: text`${code(reading.subject)} has caught up on ${network}`,
      fields: [
        ...(behindMillis === undefined ? [] : [field("Behind", strong(formatDuration(behindMillis)))]),
        ...(behindBlocks === undefined ? [] : [field("Blocks behind", strong(behindBlocks))]),
      ],
    };
  },
  "node.down": (reading, network) => ({
    bad: text`${code(reading.subject)} is down on ${network}`,
    good: text`${code(reading.subject)} answers again on ${network}`,
    fields: [],
  }),
  "node.lying": (reading, network) => ({
    bad: text`${code(reading.subject)} is not to be believed on ${network}`,
    good: text`${code(reading.subject)} is to be believed again on ${network}`,
    fields: [],
  }),
  "node.diverges": (reading, network) => {
    const { what, block, blocks = 1, field: name = "", of, says = [], others = [], by = [] } = reading.facts;
    return {
      bad: text`The history of ${code(reading.subject)} is not that of the others on ${network}`,
      good: text`The history of ${code(reading.subject)} is that of the others again on ${network}`,
      fields:
        what === undefined || block === undefined
          ? []
          : [
              field("Differs in", text`${name}${of === undefined ? [] : text` of ${id(of)}`} (${what})`),
              field("At block", text`${strong(block)}${blocks === 1 ? [] : ` and ${blocks - 1} more`}`),
              field("It says", idList(says)),
              field(by.length === 0 ? "Said before" : "Others say", idList(others)),
            ],
    };
  },
  "checkpoint.overdue": (reading, network) => {
    const { sinceMillis, usualMillis, lastBlock } = reading.facts;
    return {
      bad: text`A checkpoint is overdue on ${network}`,
      good: text`Checkpoints come again on ${network}`,
      fields: [
        ...(sinceMillis === undefined ? [] : [field("Since the last one", strong(formatDuration(sinceMillis)))]),
        ...(usualMillis === undefined ? [] : [field("Usual spacing", formatDuration(usualMillis))]),
        ...(lastBlock === undefined ? [] : [field("Last at block", lastBlock)]),
      ],
    };
  },
  "market.auction": (reading, network) => {
    const { tradingMode, trigger, end } = reading.facts;
    return {
      bad: text`${marketName(reading)} is in an auction on ${network}`,
      good: text`${marketName(reading)} trades again on ${network}`,
      fields: [
        ...(tradingMode === undefined ? [] : [field("Mode", enumWord(tradingMode, "TRADING_MODE"))]),
        ...(trigger === undefined ? [] : [field("Trigger", enumWord(trigger, "AUCTION_TRIGGER"))]),
        ...timeField("Ends", end),
      ],
    };
  },
  "market.price": (reading, network, rule) => {
    const { price } = reading.facts;
    const mark = price === undefined ? [] : text`: mark price ${groupedNumber(price)}`;
    return {
      bad: text`${marketName(reading)} is ${thresholdSideWords(rule, price)} on ${network}${mark}`,
      good: text`${marketName(reading)} is not ${ruleWords(rule) || "beyond its threshold"} any more on ${network}${mark}`,
      fields: [
        ...(price === undefined ? [] : [field("Mark price", strong(groupedNumber(price)))]),
        ...(ruleWords(rule) === "" ? [] : [field("Threshold", ruleWords(rule))]),
      ],
    };
  },
  "market.bound": (reading, network) => {
    const { price, bound, side, distancePercent } = reading.facts;
    return {
      bad: text`${marketName(reading)} is near a price monitoring bound on ${network}`,
      good: text`${marketName(reading)} is away from its price monitoring bounds on ${network}`,
      fields: [
        ...(price === undefined ? [] : [field("Mark price", strong(groupedNumber(price)))]),
        ...(bound === undefined
          ? []
          : [field(side === "lower" ? "Lower bound" : "Upper bound", strong(groupedNumber(bound)))]),
        ...(distancePercent === undefined ? [] : [field("Distance", `${distancePercent} %`)]),
      ],
    };
  },
};

/** The words for an episode as it last was, under its rule's own thresholds. Pure and total. */
export function conditionWords({ rule, last }: Pick<Episode, "rule" | "last">): ConditionWords {
  return wordsFor(last.kind, last, rule);
}

/** An episode by name, on one line: `No new block on mainnet (network.stalled 3)`. */
export function incidentName({ rule, last, kind, number }: Pick<Episode, "rule" | "last" | "kind" | "number">): string {
  return `${plainText(wordsFor(last.kind, last, rule).bad)} (${kind} ${number})`;
}

function wordsFor<K extends ConditionKind>(kind: K, reading: ReadingOf[K], rule: string): ConditionWords {
  return CONDITION_WORDS[kind](reading, strong(reading.network), rule);
}

/** Which side of the thresholds the price is on: `above 70,000`; all of them where it is on neither, or not known. */
export function thresholdSideWords(rule: string, price: string | undefined): string {
  const { low, high, when } = ruleParameters(rule);
  const both = low !== undefined && high !== undefined && when !== "within";
  if (both && price !== undefined) {
    const given = { low, high, when: "beyond" } as const;
    const side = priceSide(given, price);
    if (side === "above") return `above ${groupedNumber(high)}`;
    if (side === "below") return `below ${groupedNumber(low)}`;
  }
  return ruleWords(rule) || "beyond its threshold";
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
    return height === undefined ? toText(code(node)) : text`${code(node)} at block ${height}`;
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

function marketName(reading: Extract<Reading, { label?: string }>): TextPart {
  return reading.label === undefined ? id(reading.subject) : strong(reading.label);
}

/** How soon two moments count as one in what people read. */
const ONE_MOMENT: Milliseconds = 10_000;

function isSoonAfter(moment: string, other: string | undefined): boolean {
  if (other === undefined) return false;
  return Math.abs(toMillis(timeFromText(moment)) - toMillis(timeFromText(other))) <= ONE_MOMENT;
}

function timeField(name: string, moment: string | undefined): Field[] {
  return moment === undefined ? [] : [field(name, time(timeFromText(moment), "both"))];
}
