import type { ChainLists } from "./data-nodes.ts";
import { OUTAGES } from "./outages.ts";
import type { Transcript, ChannelMessage } from "./transcript.ts";

// The messages that must have been delivered, derived from the network alone and not from the bot's own records.

/** Messages marked as possible repeats; an unmarked repeat is a fault. */
export interface Repeats {
  readonly marked: number;
  readonly faults: readonly string[];
}

/** Each delivery once, with one picture at most; again only marked. */
export function judgeRepeats({ name, messages }: Transcript): Repeats {
  const faults: string[] = [];
  let marked = 0;
  for (const { title, pictures = 0 } of messages) {
    if (pictures > 1) faults.push(`${name}: ${pictures} pictures at: ${title}`);
  }
  for (const [delivery, [first, ...again]] of Map.groupBy(messages, (one) => one.delivery)) {
    if (delivery === "") faults.push(`${name}: a message without a delivery: ${first?.title}`);
    for (const one of again) {
      if (one.isMarked === true) marked += 1;
      else faults.push(`${name}: told twice: ${one.title}`);
    }
  }
  return { marked, faults };
}

/** The first message of each delivery, in order. */
export function firstOf({ messages }: Transcript): readonly ChannelMessage[] {
  const seen = new Set<string>();
  return messages.filter(({ delivery }) => !seen.has(delivery) && seen.add(delivery));
}

const OVER_ALREADY = "Over already: ";

/** The same, and the repeat of a trigger that tells its end as well: where it had arrived, that is its end. */
export function toldBy({ messages }: Transcript): readonly ChannelMessage[] {
  const isOver = new Map<string, boolean>();
  return messages.flatMap((one) => {
    const { delivery, title } = one;
    const [before, now] = [isOver.get(delivery), title.includes(OVER_ALREADY)];
    if (before === true || before === now) return [];
    isOver.set(delivery, now);
    return before === undefined ? [one] : now ? [{ ...one, title: title.replace(OVER_ALREADY, "") }] : [];
  });
}

export interface ChainTruth {
  /** The lists before the bot's first observation. */
  readonly before: ChainLists;
  /** The lists when it certainly had observed once. */
  readonly begun: ChainLists;
  /** The lists at the end, some seconds before the bot was stopped. */
  readonly end: ChainLists;
}

const LISTS = [
  { list: "checkpoints", one: "checkpoint", titled: /checkpoint/iu },
  { list: "snapshots", one: "snapshot", titled: /snapshot/iu },
] as const;

/** Every row of a list that came while the bot was installed: exactly once, alone or in a digest, in chain order. */
export function judgeLists(transcript: Transcript, truth: ChainTruth): { count: number; faults: string[] } {
  const judged = LISTS.map((one) => judgeList(transcript, truth, one));
  return { count: judged.reduce((sum, { count }) => sum + count, 0), faults: judged.flatMap(({ faults }) => faults) };
}

function judgeList(
  transcript: Transcript,
  truth: ChainTruth,
  { list, one, titled }: (typeof LISTS)[number],
): { count: number; faults: string[] } {
  const faults: string[] = [];
  const [before, begun, end] = [truth.before[list], truth.begun[list], truth.end[list]];
  const known = new Set(before.map(({ hash }) => hash));
  const owed = end.filter(({ hash }) => !begun.some((row) => row.hash === hash));
  const blocks = new Map(end.map(({ hash, block }) => [hash, block]));
  // Where there is little room, a hash is shortened to its beginning and its end.
  const hashes = new Map(
    end.flatMap(({ hash }) => [
      [hash, hash],
      [`${hash.slice(0, 8)}…${hash.slice(-4)}`, hash],
    ]),
  );
  const announced: string[] = [];
  for (const [, copies] of Map.groupBy(transcript.messages, ({ delivery }) => delivery)) {
    if (!titled.test(copies[0]?.title ?? "")) continue;
    // A digest's file follows it: where the bot was killed between the two, it came with the repeat.
    const text = copies.map((copy) => copy.text).join("\n");
    const named = text.match(/\b(?:[0-9a-f]{64}|[0-9a-f]{8}…[0-9a-f]{4})\b/giu) ?? [];
    const rows = new Set(named.flatMap((hash) => hashes.get(hash) ?? []));
    // After the database went back, another delivery may tell it again.
    const isAgain = (hash: string): boolean => copies[0]?.isMarked === true && announced.includes(hash);
    announced.push(...[...rows].filter((hash) => !isAgain(hash)));
  }
  const counts = new Map([...Map.groupBy(announced, (hash) => hash)].map(([hash, all]) => [hash, all.length]));
  for (const { hash, block } of owed) {
    const count = counts.get(hash) ?? 0;
    if (count !== 1) faults.push(`${transcript.name}: the ${one} at block ${block} was told ${count} times`);
  }
  for (const hash of announced.filter((row) => known.has(row))) {
    faults.push(`${transcript.name}: the ${one} at block ${blocks.get(hash)} is older than the bot`);
  }
  const inOrder = announced.map((hash) => blocks.get(hash) ?? 0);
  const wrong = inOrder.findIndex((block, index) => block < (inOrder[index - 1] ?? 0));
  if (wrong !== -1) faults.push(`${transcript.name}: ${one} ${inOrder[wrong]} was told after ${inOrder[wrong - 1]}`);
  return { count: owed.length, faults };
}

/** For each lasting outage there is one trigger, then one resolve, or one message for both; and nothing else. */
export function judgeOutages(transcript: Transcript, happened: readonly string[]): { count: number; faults: string[] } {
  const faults: string[] = [];
  let count = 0;
  for (const { name, bad, good } of OUTAGES) {
    const times = happened.filter((one) => one === name).length;
    let isTold = false;
    const story = withoutMarked(toldBy(transcript), good, bad).flatMap(({ title, text }) => {
      const wasTold = isTold;
      // A trigger that is sent late shows how the alert stands by then: a card has its timeline, a post that rings has not.
      const isCard = text.includes("It was told") && !title.includes(OVER_ALREADY);
      isTold = !good.test(title) || (isCard && !wasTold);
      if (!isTold) return [title.includes(OVER_ALREADY) ? "both" : "resolve"];
      if (/: act now$|^\P{L}*(?:SIMULATED · )?Still: /u.test(title)) return ["escalation"];
      return [wasTold && title.includes(" · critical since ") ? "escalation" : "trigger"];
    });
    const once = "(?:both|trigger (?:escalation )?resolve)";
    const right = new RegExp(`^${Array.from({ length: times }, () => once).join(" ")}$`, "u");
    if (!right.test(story.join(" "))) {
      faults.push(`${transcript.name}: ${times} times ${name} was told as ${story.join(", ") || "nothing"}`);
    }
    count += times;
  }
  return { count, faults };
}

/** The operators are told of each time that the database went back, once. */
export function judgeGoneBack(transcript: Transcript, failovers: number): string[] {
  const told = firstOf(transcript).filter(({ title }) => title.includes("database went back in time")).length;
  return told === failovers
    ? []
    : [`${transcript.name}: that the database went back ${failovers} times was told ${told} times`];
}

/** What tells of an outage, without what says the same as the message before, and that it may be a repeat. */
function withoutMarked(messages: readonly ChannelMessage[], good: RegExp, bad: RegExp): readonly ChannelMessage[] {
  const about = messages.filter(({ title }) => good.test(title) || bad.test(title));
  return about.filter(({ title, isMarked }, index) => {
    const before = about[index - 1];
    return isMarked !== true || before === undefined || good.test(title) !== good.test(before.title);
  });
}

/** For a reset chain there is one plain sentence for each of its lists, once the list has rows again. */
export function judgeReset(transcript: Transcript): string[] {
  const count = (list: string): number =>
    firstOf(transcript).filter(({ title }) => title.includes(`The ${list} of testnet begin anew`)).length;
  const [checkpoints, snapshots] = [count("checkpoints"), count("snapshots")];
  // The first snapshot comes some seconds after the first checkpoint, maybe after the end.
  return [
    ...(checkpoints === 1 ? [] : [`${transcript.name}: that the checkpoints began anew was told ${checkpoints} times`]),
    ...(snapshots <= 1 ? [] : [`${transcript.name}: that the snapshots began anew was told ${snapshots} times`]),
  ];
}
