import { isDeepStrictEqual } from "node:util";

import { type ConditionKind, KINDS } from "../alerts/judge/kinds/kinds.ts";
import { CONDITION_KINDS, Reading } from "../alerts/judge/kinds/reading.ts";
import type { Json } from "../looks/look.ts";
import { withoutUndefined } from "../units/without-undefined.ts";
import type { Findings } from "./watcher.ts";

/** What a kept look says of the findings: facts by kind and subject, and events. */
type KeptFindings = { readonly facts?: Json; readonly events?: Json };

/** The facts by which thresholds are judged, and the events; empty where there is neither. */
export function keptFindings({ readings, events }: Findings): KeptFindings {
  const facts: Record<string, Record<string, Json>> = {};
  for (const reading of readings) {
    const { kind, subject, state, badForMillis, since } = reading;
    const record = KINDS[kind];
    if (Object.keys(record.parameters.shape).length === 0) continue;
    const judged = record.isBad === undefined ? {} : scalarsOf(reading.facts);
    const bySubject = (facts[kind] ??= {});
    bySubject[subject] = { state, ...judged, ...withoutUndefined({ badForMillis, since }) };
  }
  return {
    ...(Object.keys(facts).length === 0 ? {} : { facts }),
    ...(events.length === 0 ? {} : { events }),
  };
}

/** The readings of a kept look as far as thresholds are judged by them. Throws where a fact is none of its kind. */
export function keptReadings({ facts = {} }: { readonly facts?: Changes }, of: Pick<Reading, "network" | "nodes">) {
  return CONDITION_KINDS.flatMap((kind) => {
    const { [kind]: subjects = {} } = facts;
    if (!isRecord(subjects)) return [];
    return Object.entries(subjects).map(([subject, kept]) =>
      Reading.parse({ ...keptReading(kind, of.network, subject, kept), ...of }),
    );
  });
}

/** A reading as far as a threshold needs it, unchecked: `kept` is what a look has of its kind and subject. Pure. */
export function keptReading(kind: ConditionKind, network: string, subject: string, kept: Json): Reading {
  const { state, badForMillis, since, ...facts }: Changes = isRecord(kept) ? kept : {};
  return readingOf({ kind, network, subject }, { state, badForMillis, since }, facts);
}

/** The same: what is kept, taken apart. */
export function readingOf(
  { kind, network, subject }: Pick<Reading, "kind" | "network" | "subject">,
  { state, badForMillis, since }: Readonly<Record<"state" | "badForMillis" | "since", Json | undefined>>,
  facts: Changes,
): Reading {
  const reading: Record<string, unknown> = { kind, network, subject, state, nodes: 0, seenBy: NOBODY, facts };
  if (badForMillis !== undefined) reading["badForMillis"] = badForMillis;
  if (since !== undefined) reading["since"] = since;
  return reading as unknown as Reading;
}

const NOBODY: readonly string[] = [];

/** The same, for watchers of which nothing is kept where nothing is found. */
export function findingsOrNothing(findings: Findings): Json | undefined {
  const kept = keptFindings(findings);
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function scalarsOf(facts: object): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    Object.entries(facts as Readonly<Record<string, Json>>).filter(([, value]) => typeof value !== "object"),
  );
}

/** Members by name; a member that is gone is null. */
export type Changes = { readonly [name: string]: Json };

/**
 * The members of a record that differ from those before, of records within it in turn; undefined where none does. `isWhole`:
 * those that do not differ as well.
 */
export function changesOf(before: Changes | undefined, after: Changes, isWhole = false): Changes | undefined {
  const changes: Record<string, Json> = {};
  for (const [name, value] of Object.entries(after)) {
    const known = before?.[name];
    if (known === undefined) changes[name] = value;
    else if (isRecord(known) && isRecord(value)) {
      const within = changesOf(known, value, isWhole);
      if (within !== undefined) changes[name] = within;
    } else if (isWhole || !isDeepStrictEqual(known, value)) changes[name] = value;
  }
  for (const name of Object.keys(before ?? {})) if (!Object.hasOwn(after, name)) changes[name] = null;
  return Object.keys(changes).length === 0 ? undefined : changes;
}

/** The record after changes: the reverse of `changesOf`. */
export function withChanges(before: Changes | undefined, changes: Changes): Changes {
  const after: Record<string, Json> = { ...before };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete after[name];
    else if (isRecord(value)) {
      const known = after[name];
      after[name] = withChanges(isRecord(known) ? known : undefined, value);
    } else after[name] = value;
  }
  return after;
}

function isRecord(value: Json | undefined): value is Changes {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
