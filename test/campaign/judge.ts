import type { ChainLists } from "./data-nodes.ts";
import { OUTAGES } from "./outages.ts";
import type { Heard, Told } from "./told.ts";

// What must have been told, worked out from what the network did and from nothing that the bot says of itself.

const MARK = /may be a repeat/u;

/** Messages that say they may be repeats of one that stands there; an unmarked repeat is a fault. */
export interface Repeats {
  readonly marked: number;
  readonly faults: readonly string[];
}

/** Each delivery once; again only where the platform does not drop repeats, and then marked. */
export function judgeRepeats({ name, platform, messages }: Heard): Repeats {
  const faults: string[] = [];
  let marked = 0;
  for (const [delivery, [first, ...again]] of Map.groupBy(messages, (one) => one.delivery)) {
    if (delivery === "") faults.push(`${name}: a message without a delivery: ${first?.title}`);
    for (const one of again) {
      if (platform === "slack" && MARK.test(one.text)) marked += 1;
      else faults.push(`${name}: told twice: ${one.title}`);
    }
  }
  return { marked, faults };
}

/** The first time that each delivery was told, in order. */
export function firstOf({ messages }: Heard): readonly Told[] {
  const seen = new Set<string>();
  return messages.filter(({ delivery }) => !seen.has(delivery) && seen.add(delivery));
}

export interface ChainTruth {
  /** What was there before the bot looked for the first time. */
  readonly before: ChainLists;
  /** What was there once it certainly had. */
  readonly begun: ChainLists;
  /** What was there at the end, some seconds before the bot was stopped. */
  readonly end: ChainLists;
}

const LISTS = [
  { list: "checkpoints", one: "checkpoint", titled: /checkpoint/iu },
  { list: "snapshots", one: "snapshot", titled: /snapshot/iu },
] as const;

/** Every row of a list that came while the bot was installed: exactly once, alone or in a digest, in chain order. */
export function judgeLists(heard: Heard, truth: ChainTruth): { told: number; faults: string[] } {
  const judged = LISTS.map((one) => judgeList(heard, truth, one));
  return { told: judged.reduce((sum, { told }) => sum + told, 0), faults: judged.flatMap(({ faults }) => faults) };
}

function judgeList(
  heard: Heard,
  truth: ChainTruth,
  { list, one, titled }: (typeof LISTS)[number],
): { told: number; faults: string[] } {
  const faults: string[] = [];
  const [before, begun, end] = [truth.before[list], truth.begun[list], truth.end[list]];
  const known = new Set(before.map(({ hash }) => hash));
  const owed = end.filter(({ hash }) => !begun.some((row) => row.hash === hash));
  const blocks = new Map(end.map(({ hash, block }) => [hash, block]));
  // Where there is little room, a hash stands by its beginning and its end.
  const written = new Map(
    end.flatMap(({ hash }) => [
      [hash, hash],
      [`${hash.slice(0, 8)}…${hash.slice(-4)}`, hash],
    ]),
  );
  const told: string[] = [];
  for (const [, copies] of Map.groupBy(heard.messages, ({ delivery }) => delivery)) {
    if (!titled.test(copies[0]?.title ?? "")) continue;
    // A digest's file follows it: where the bot died between the two, it came with the repeat.
    const text = copies.map((copy) => copy.text).join("\n");
    const named = text.match(/\b(?:[0-9a-f]{64}|[0-9a-f]{8}…[0-9a-f]{4})\b/giu) ?? [];
    told.push(...new Set(named.flatMap((hash) => written.get(hash) ?? [])));
  }
  const counts = new Map([...Map.groupBy(told, (hash) => hash)].map(([hash, all]) => [hash, all.length]));
  for (const { hash, block } of owed) {
    const count = counts.get(hash) ?? 0;
    if (count !== 1) faults.push(`${heard.name}: the ${one} at block ${block} was told ${count} times`);
  }
  for (const hash of told.filter((row) => known.has(row))) {
    faults.push(`${heard.name}: the ${one} at block ${blocks.get(hash)} is older than the bot`);
  }
  const inOrder = told.map((hash) => blocks.get(hash) ?? 0);
  const wrong = inOrder.findIndex((block, index) => block < (inOrder[index - 1] ?? 0));
  if (wrong !== -1) faults.push(`${heard.name}: ${one} ${inOrder[wrong]} was told after ${inOrder[wrong - 1]}`);
  return { told: owed.length, faults };
}

/** Each outage that lasted: one trigger, then one resolve, or one message that says both; and nothing else. */
export function judgeOutages(heard: Heard, happened: readonly string[]): { told: number; faults: string[] } {
  const faults: string[] = [];
  let told = 0;
  for (const { name, bad, good } of OUTAGES) {
    const times = happened.filter((one) => one === name).length;
    const story = firstOf(heard).flatMap(({ title }) => {
      if (/FIRED AND RESOLVED/u.test(title) && good.test(title)) return ["both"];
      if (/RESOLVED/u.test(title) && good.test(title)) return ["resolve"];
      if (/NOW (?:WARNING|CRITICAL)/u.test(title) && bad.test(title)) return ["escalation"];
      return bad.test(title) ? ["trigger"] : [];
    });
    // A live message shows its end by now.
    const begin = heard.name.endsWith("live") ? "(?:trigger|resolve)" : "trigger";
    const once = `(?:both|${begin} (?:escalation )?resolve)`;
    const right = new RegExp(`^${Array.from({ length: times }, () => once).join(" ")}$`, "u");
    if (!right.test(story.join(" "))) {
      faults.push(`${heard.name}: ${times} times ${name} was told as ${story.join(", ") || "nothing"}`);
    }
    told += times;
  }
  return { told, faults };
}

/** A chain that began anew: one plain sentence for each of its lists, once there is something in it again. */
export function judgeReset(heard: Heard): string[] {
  const count = (list: string): number =>
    firstOf(heard).filter(({ title }) => title.includes(`The ${list} of testnet begin anew`)).length;
  const [checkpoints, snapshots] = [count("checkpoints"), count("snapshots")];
  // The first snapshot comes some seconds after the first checkpoint, maybe after the end.
  return [
    ...(checkpoints === 1 ? [] : [`${heard.name}: that the checkpoints began anew was told ${checkpoints} times`]),
    ...(snapshots <= 1 ? [] : [`${heard.name}: that the snapshots began anew was told ${snapshots} times`]),
  ];
}
