import { z } from "zod";

import type { HistoryName } from "../../../api/histories.ts";
import { DamagedRow } from "../../../errors.ts";
import type { AlertsConfig, WatcherName } from "../../alerts-config.ts";
import type { Decimal } from "../../../units/decimal.ts";

export { timeFromText, timeToText } from "../../../units/time.ts";

/** How bad it is, in rising order. One word and one colour each. */
export const SEVERITIES = ["info", "warning", "critical"] as const;
export const Severity = z.enum(SEVERITIES);
export type Severity = z.infer<typeof Severity>;

/** Negative, zero or positive, as a is milder than, as bad as or worse than b. */
export function compareSeverity(a: Severity, b: Severity): number {
  return SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b);
}

// Alerts are stored as plain JSON, in which numbers of 64 bits are decimal text.

/** An integer of any size, in decimal. */
export const IntegerText = z.string().regex(/^-?\d+$/u);
/** A point in time: Unix nanoseconds, in decimal. */
export const TimeText = IntegerText.describe("Unix nanoseconds");
/** An exact decimal number, such as `61250.5`. */
export const DecimalText = z.string().regex(/^-?\d+(?:\.\d+)?$/u);
/** A span of time in milliseconds, 0 or more. */
export const MillisField = z.number().nonnegative();
/** For another schema to check. */
export const AnyJson = z.unknown();
/** The name of a list of the network. */
export const HistoryField = z.enum(["checkpoints", "snapshots", "rotations"] satisfies HistoryName[]);

/** The JSON in a stored row. Throws DamagedRow where it is none, or has another shape. */
export function parseRow<T>(schema: z.ZodType<T>, data: string, ...[table, key]: RowName): T {
  const json = parseJson(data);
  if (json === undefined) throw new DamagedRow(table, key, "it is no whole JSON");
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw new DamagedRow(table, key, "its JSON has a shape that this version does not know");
  return parsed.data;
}

type RowName = [table: ConstructorParameters<typeof DamagedRow>[0], key: Readonly<Record<string, string>>];

/** Undefined for what is no JSON. */
export function parseJson(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return undefined;
  }
}

/** Several kinds under one word, and what each covers. */
export const GROUP_WORDS = {
  ops: "what ops channels need",
  network: "whether the network goes on",
  nodes: "the data nodes, one by one",
  checkpoints: "checkpoints, new and overdue",
  markets: "auctions, price bounds and states of markets",
  conditions: "everything that is true for a while, but prices",
  events: "everything that happens once",
  all: "everything but prices and personal ones",
} as const;
export type KindGroup = keyof typeof GROUP_WORDS;

/** The type of a kind's subjects. */
export type SubjectFamily = "market" | "node" | "validator" | "order" | "party" | "bundle";

/** What conditions and events have in common. */
interface Kind {
  /** A short description. */
  readonly words: string;
  /** What an operator does about it, as one instruction; absent where there is nothing to do. */
  readonly remedy?: string;
  /** Beside `conditions`, `events` and `all`, which follow from what it is. */
  readonly groups: readonly Exclude<KindGroup, "conditions" | "events" | "all">[];
  /** The worst severity: a subscription with a higher floor never gets it. */
  readonly worst: Severity;
  /** Absent if it has no subjects but the network. */
  readonly about?: SubjectFamily;
  /** The watchers that find it. */
  readonly watchers: readonly [WatcherName, ...WatcherName[]];
}

export type Shape = Readonly<Record<string, z.ZodType>>;
/** The parameters that a subscription sets for a kind, and those that are configured. */
export type GivenParameters = Readonly<Record<string, string | number>>;

/** What most conditions of a node, of its network and of a market have in common. */
export const OF_NODE = { groups: ["ops", "nodes"], worst: "warning", about: "node", watchers: ["sources"] } as const;
export const OF_NETWORK = { groups: ["ops", "network"], worst: "warning", watchers: ["sources"] } as const;
export const OF_MARKET = { groups: ["markets"], worst: "warning", about: "market", watchers: ["markets"] } as const;

/** True for a while, with an episode from firing to resolved. */
export interface Condition<S extends Shape = Shape, P extends z.ZodObject = z.ZodObject> extends Kind {
  /** What it means, in one or two sentences; `threshold` is its rule's own in words, such as `above 70,000`. */
  meaning(reading: { readonly nodes: number }, threshold: string): string;
  /** Its thresholds. Spans in milliseconds, prices in the market's units. */
  readonly parameters: P;
  /** Of the thresholds that a subscription does not set. */
  defaults?(config: AlertsConfig): GivenParameters;
  /** It has no default threshold: a subscription names one, and no group contains it. */
  readonly needsThreshold?: true;
  /** The parameters of the rules that those of a subscription make, where they are several; each has its own episodes. */
  readonly split?: (given: GivenParameters) => readonly GivenParameters[];
  /** Versions before judged by one rule what is split now. */
  readonly wasWhole?: true;
  /** The bot itself, not a node, observes it. */
  readonly seenByBot?: true;
  /** The fields of its readings beside the common ones. */
  readonly reading: S;
  /** How bad it is when it begins; absent = always the worst. */
  begins?(reading: z.output<z.ZodObject<S>>, parameters: z.output<P>): Severity;
  /**
   * Whether it is bad under these parameters, where its reading alone does not say so; `near` a threshold it neither
   * begins nor ends; undefined if the facts that it takes are missing. `isTold`: an alert of it fires already.
   */
  isBad?(
    parameters: z.output<P>,
    reading: z.output<z.ZodObject<S>> & { readonly state: string },
    isTold: boolean,
  ): boolean | "near" | undefined;
  /** How far beyond its threshold it is, where that is a figure: a far move is told however often it comes and goes. */
  beyond?(parameters: z.output<P>, reading: z.output<z.ZodObject<S>>): Decimal | undefined;
}

/** It happens once. */
export interface Event<S extends Shape = Shape> extends Kind {
  /** What it means for the reader, if its line does not say that by itself. */
  meaning?(event: z.output<z.ZodObject<S>>): string | undefined;
  /** For counting: one, many. */
  readonly nouns: readonly [one: string, many: string];
  /** It goes into one rolling message a day, unless a subscription says otherwise. */
  readonly frequent?: true;
  /** It ends the personal subscription that waited for it. */
  readonly final?: true;
  /** The fields of its events beside the common ones. */
  readonly fields: S;
  /** How much one matters; absent = as much as its kind ever does. */
  severity?(event: z.output<z.ZodObject<S>>): Severity;
}

/** Checks the record of a condition. */
export function condition<S extends Shape, P extends z.ZodObject>(record: Condition<S, P>): Condition<S, P> {
  return record;
}

/** Checks the record of an event. */
export function event<S extends Shape>(record: Event<S>): Event<S> {
  return record;
}
