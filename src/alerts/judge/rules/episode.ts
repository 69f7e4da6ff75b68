import { z } from "zod";

import type { EpisodeRow, MachineRow } from "../../../store/alert-tables/alert-tables.ts";
import { toMillis } from "../../../units/time.ts";
import { DecimalText, MillisField, parseRow, Severity, timeFromText, TimeText } from "../kinds/kind.ts";
import { CONDITION_KINDS, type ConditionKind } from "../kinds/kinds.ts";
import { Reading } from "../kinds/reading.ts";
import { type Destination, tokenKey } from "../../destination.ts";

/** Somebody by their platform's id; with the workspace, where destinations name it. */
export const Person = z.object({ platform: z.string(), workspace: z.string().exactOptional(), id: z.string() });
export type Person = z.infer<typeof Person>;

/** The name of who acknowledged an episode; with the id, where it is known. */
export const Acknowledgement = z.object({ by: z.string(), at: TimeText, person: Person.exactOptional() });
export type Acknowledgement = z.infer<typeof Acknowledgement>;

/** One firing of a rule for one subject, from its beginning to its end, as it is stored. */
export const Episode = z.object({
  /** `rule|network|subject|number`. */
  id: z.string(),
  rule: z.string(),
  kind: z.enum(CONDITION_KINDS),
  network: z.string(),
  subject: z.string(),
  number: z.int().positive(),
  /** `withdrawn`: nobody is subscribed any more; `gone`: its subject is gone. Its end is then not observed. */
  state: z.enum(["firing", "recovering", "resolved", "withdrawn", "gone"]),
  severity: Severity,
  /** When it became bad, as far as is known. */
  began: TimeText,
  /** It was bad already when it was first observed, or observed again: it began then or earlier. */
  beganBefore: z.literal(true).exactOptional(),
  /** When it fired. */
  detected: TimeText,
  /** When the watcher had last seen it good. */
  lastGood: TimeText.exactOptional(),
  escalated: TimeText.exactOptional(),
  /** The first good reading of the recovery that held. */
  recovered: TimeText.exactOptional(),
  /** When it was closed. */
  ended: TimeText.exactOptional(),
  /** Of a clock that was wrong, once it is over: how long it was seen to be so, by the monotonic clock. */
  seenMillis: MillisField.exactOptional(),
  /** The reading by which it fired, and the last known one. */
  first: Reading,
  last: Reading,
  acknowledged: Acknowledgement.exactOptional(),
  /** Where many workspaces are served: it was acknowledged for the places of one alone, by its token's key. */
  acknowledgedIn: z.record(z.string(), Acknowledgement).exactOptional(),
});
export type Episode = z.infer<typeof Episode>;

/** Of a stored row. Throws DamagedRow. */
export function parseEpisode({ id, data }: Pick<EpisodeRow, "id" | "data">): Episode {
  return parseRow(Episode, data, "alert_episodes", { id });
}

/**
 * The episode as one place sees it: what was acknowledged for other workspaces alone is left out. The same object where
 * nothing was, so that one message about it serves all places.
 */
export function seenFrom<E extends Pick<Episode, "acknowledged" | "acknowledgedIn">>(
  episode: E,
  place: Pick<Destination, "platform" | "workspace">,
): Omit<E, "acknowledgedIn"> {
  if (episode.acknowledgedIn === undefined) return episode;
  const { acknowledgedIn, ...rest } = episode;
  const acknowledged = rest.acknowledged ?? acknowledgedIn[tokenKey(place)];
  return acknowledged === undefined ? rest : { ...rest, acknowledged };
}

export function isOpen(episode: Episode): boolean {
  return episode.state === "firing" || episode.state === "recovering";
}

/** Where one rule stands for one subject, as it is stored. */
export const Machine = z.object({
  rule: z.string(),
  kind: z.enum(CONDITION_KINDS),
  network: z.string(),
  subject: z.string(),
  phase: z.enum(["ok", "pending", "firing", "recovering"]),
  /** The number of the last episode; 0 before the first. */
  number: z.int().nonnegative(),
  /** How long, and for how many rounds, it has been bad (pending) or good (recovering), blind time left out. */
  heldMillis: MillisField,
  rounds: z.int().nonnegative(),
  /** How long it has been bad since pending, blind time left out. */
  badMillis: MillisField,
  /** Whether its last reading was known; while rounds are counted, how many in a row were not; absent = none. */
  known: z.boolean(),
  unseen: z.int().positive().optional(),
  /** When it became pending, and the first good reading while recovering. */
  began: TimeText.optional(),
  beganBefore: z.literal(true).optional(),
  recovering: TimeText.optional(),
  lastGood: TimeText.optional(),
  /** Which watcher reads it, and for how many good rounds in a row there was no reading; absent = none. */
  watcher: z.string().optional(),
  absent: z.int().positive().optional(),
  /** When the last episodes fired, in Unix milliseconds, as far back as counts for flapping. */
  firings: z.array(z.number()),
  /** Its critical episodes that are over, where the last one was recent enough to count for flapping. */
  critical: z
    .object({
      times: z.int().positive(),
      /** How long the longest was bad, of those that were told. */
      longestMillis: MillisField,
      /** When the last one resolved, in Unix milliseconds. */
      lastMillis: z.number(),
    })
    .optional(),
  /** How far beyond its threshold the last episode went that was told, where that is a figure. */
  furthest: DecimalText.optional(),
  /** The open episode goes more than three times as far: it is told though it flaps. */
  surpasses: z.literal(true).optional(),
  flapping: z
    .object({
      since: TimeText,
      /** The number of the last episode before it was called flapping. */
      before: z.int().nonnegative(),
      /** When it last fired or resolved, in Unix milliseconds. */
      lastMillis: z.number(),
    })
    .optional(),
});
export type Machine = z.infer<typeof Machine>;

/** Of a stored row. Throws DamagedRow. */
export function parseMachine({ network, rule, subject, data }: Omit<MachineRow, "flapping">): Machine {
  return parseRow(Machine, data, "alert_machines", { network, rule, subject });
}

/** A machine that has never seen anything bad. */
export function freshMachine(of: Pick<Machine, "rule" | "kind" | "network" | "subject">): Machine {
  const { rule, kind, network, subject } = of;
  const counters = { number: 0, heldMillis: 0, rounds: 0, badMillis: 0, known: true, firings: [] };
  return { rule, kind, network, subject, phase: "ok", ...counters };
}

/**
 * Resets a machine to ok; numbers and firings stay. As everywhere, what a machine does not have any more is undefined: to
 * leave it out would take ten times as long, and trials go through hundreds of thousands of rounds.
 */
export function resetMachine(machine: Machine): Machine {
  return {
    ...machine,
    phase: "ok",
    heldMillis: 0,
    rounds: 0,
    badMillis: 0,
    began: undefined,
    beganBefore: undefined,
    recovering: undefined,
    lastGood: undefined,
    unseen: undefined,
    surpasses: undefined,
  };
}

export function episodeId(of: Pick<Machine, "rule" | "network" | "subject">, number: number): string {
  return `${of.rule}|${of.network}|${of.subject}|${number}`;
}

/** An id as people read and type it: `node.down mainnet a:1 3`; of a hexadecimal subject its beginning. Pure and total. */
export function episodeName(id: string): string {
  const parts = id.split("|").map((part) => (/^[0-9a-f]{32,}$/iu.test(part) ? part.slice(0, 8) : part));
  return parts.filter((part) => part !== "").join(" ");
}

/** The id that a name stands for, where the name has all of it: but for a hexadecimal subject. Pure and total. */
export function idOfName(name: string): string {
  const parts = name.trim().split(/\s+/u);
  return (parts.length === 3 ? parts.toSpliced(2, 0, "") : parts).join("|");
}

export function machineKey(rule: string, subject: string): string {
  return `${rule}|${subject}`;
}

export function machineRow(machine: Machine) {
  const { rule, network, subject } = machine;
  const flapping = machine.flapping === undefined ? (0 as const) : (1 as const);
  return { rule, network, subject, flapping, data: JSON.stringify(machine) };
}

export function episodeRow(episode: Episode) {
  const { id, network, detected } = episode;
  const open = isOpen(episode) ? (1 as const) : (0 as const);
  return { id, network, open, opened_at: toMillis(timeFromText(detected)), data: JSON.stringify(episode) };
}

/** Drills have a network of their own, which no data node serves: they touch no real one. */
export const DRILL_NETWORK = "drill";

/** The condition of a drill: one node of that network, made up for it, goes down and comes up again. */
export const DRILL_KIND: ConditionKind = "node.down";

/** Part of every message of a drill. */
export const DRILL_NOTICE = "This is a drill: there is no such node, and nothing is wrong.";

/** Whether it belongs to a drill. */
export function isDrill({ network }: { readonly network: string }): boolean {
  return network === DRILL_NETWORK;
}

/** The one episode of a drill. */
export function drillEpisode(drill: string): string {
  return episodeId({ rule: DRILL_KIND, network: DRILL_NETWORK, subject: drill }, 1);
}
