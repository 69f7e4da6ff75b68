import { z } from "zod";

import { UserError } from "../errors.ts";
import { formatDuration, type Milliseconds, parseDuration } from "../units/time.ts";

/** `5s`, `250ms`, `1h30m` as milliseconds, 1 or more. */
const Duration = z.string().transform((written, context): Milliseconds => {
  const millis = parseDuration(written);
  if (millis !== undefined && millis >= 1) return millis;
  context.addIssue({ code: "custom", message: "must be a duration from 1ms up, such as 30s or 5m" });
  return z.NEVER;
});
const Count = z.int().positive();

/** What operators add to an alert: the address of a runbook, and a note. */
export const Guidance = z.strictObject({
  runbook: z
    .url({ protocol: /^https?$/u, error: "must be an address that begins with https://" })
    .max(500)
    .exactOptional(),
  note: z.string().min(1).max(300).exactOptional(),
});
export type Guidance = z.infer<typeof Guidance>;

/** One group of settings, each with its default, nothing else accepted. */
function group<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.strictObject(shape).prefault({} as never);
}

/**
 * How often to observe and when to alert: the file that ALERTS_CONFIG names, over the defaults. Durations are
 * milliseconds once parsed.
 */
export const AlertsConfig = group({
  /** How often each node is asked for its time, its checkpoints, the rest. */
  poll: group({
    time: Duration.prefault("5s"),
    checkpoints: Duration.prefault("15s"),
    rest: Duration.prefault("60s"),
  }),
  stalled: group({ for: Duration.prefault("30s"), criticalFor: Duration.prefault("180s") }),
  lagging: group({ behind: Duration.prefault("60s"), blocks: Count.default(100), for: Duration.prefault("30s") }),
  down: group({ rounds: Count.default(3) }),
  blind: group({ rounds: Count.default(3) }),
  /** A node that answers without an answer, for so long. */
  refuses: group({ for: Duration.prefault("5m") }),
  /** A node of whose answers within so long more than a tenth took longer than the round trip. */
  slow: group({ roundTrip: Duration.prefault("2s"), within: Duration.prefault("10m") }),
  /** Blocks that come, within so long, at less than this part of their usual pace. */
  pace: group({ below: z.number().positive().max(1).default(0.2), within: Duration.prefault("10m") }),
  overdue: group({ factor: z.number().positive().default(3), atLeast: Duration.prefault("5m") }),
  clock: group({ drift: Duration.prefault("30s"), for: Duration.prefault("30s") }),
  /** A recovery takes so many good rounds in a row, over so long. */
  keep: group({ rounds: Count.default(2), for: Duration.prefault("15s") }),
  /** One message tells the alerts of a kind that follow each other within so long. */
  group: group({ within: Duration.prefault("5s") }),
  /** More episodes within so long are flapping, until it has been calm for as long. */
  flap: group({ episodes: Count.default(3), within: Duration.prefault("30m") }),
  /** How often a critical alert that nobody acknowledged is repeated at most. */
  remind: group({ every: Duration.prefault("30m"), times: z.int().nonnegative().default(4) }),
  /** By kind, what every alert of it says; a subscription may say something else. */
  kinds: z.record(z.string(), Guidance).prefault({}),
});
export type AlertsConfig = z.infer<typeof AlertsConfig>;

// What is parsed once is not worth compiling.
export const DEFAULT_ALERTS_CONFIG: AlertsConfig = AlertsConfig.parse({}, { jitless: true });

/** Where settings were written, and how to mend them. */
interface WrittenIn {
  readonly name: string;
  readonly remedy: string;
}

const FILE: WrittenIn = {
  name: "The file named by ALERTS_CONFIG",
  remedy: 'It holds what differs from the defaults, such as {"stalled": {"for": "60s"}}.',
};

/**
 * The settings that the text of an ALERTS_CONFIG file makes.
 *
 * @throws UserError that names every fault at once.
 */
export function parseAlertsConfig(json: string): AlertsConfig {
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch (thrown) {
    throw new UserError(`${FILE.name} is not JSON.`, { remedy: FILE.remedy, cause: thrown });
  }
  return requireConsistent(fittingSettings(given, FILE), FILE);
}

/**
 * Settings of the right form, over the defaults; they may contradict each other.
 *
 * @throws UserError that names every fault at once.
 */
export function fittingSettings(given: unknown, source: WrittenIn): AlertsConfig {
  const parsed = AlertsConfig.safeParse(given);
  if (parsed.success) return parsed.data;
  throw wrong(
    source,
    parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the whole"}: ${message}`),
  );
}

/** @throws UserError for settings that contradict each other. */
export function requireConsistent(config: AlertsConfig, source: WrittenIn): AlertsConfig {
  const faults = contradictions(config);
  if (faults.length > 0) throw wrong(source, faults);
  return config;
}

function wrong({ name, remedy }: WrittenIn, faults: readonly string[]): UserError {
  return new UserError(`${name} is wrong: ${faults.join("; ")}.`, { remedy });
}

/** Settings that contradict each other, defaults included. */
function contradictions({ stalled, keep, flap }: AlertsConfig): string[] {
  const faults: string[] = [];
  if (stalled.for > stalled.criticalFor) {
    faults.push(
      `stalled.for: must not be longer than stalled.criticalFor (${formatDuration(stalled.for)}, and ${formatDuration(stalled.criticalFor)}), or it would be critical before it is told at all`,
    );
  }
  if (flap.within <= keep.for) {
    faults.push(
      `flap.within: must be longer than keep.for (${formatDuration(flap.within)}, and ${formatDuration(keep.for)}), or what comes and goes could never be found out, since one recovery alone takes longer`,
    );
  }
  return faults;
}

/** The watchers of a network, by the names under which their snapshots are stored, and how often each observes. */
const WATCHERS = {
  sources: "time",
  checkpoints: "checkpoints",
  snapshots: "rest",
  rotations: "rest",
  markets: "rest",
  "node-versions": "rest",
  "node-histories": "rest",
  orders: "rest",
  stakes: "rest",
  bundles: "rest",
} as const satisfies Record<string, keyof AlertsConfig["poll"]>;
export type WatcherName = keyof typeof WATCHERS;

export function watcherNames({
  poll,
}: Pick<AlertsConfig, "poll">): readonly { name: WatcherName; every: Milliseconds }[] {
  return Object.entries(WATCHERS).map(([name, interval]) => ({ name: name as WatcherName, every: poll[interval] }));
}

/** How long the watchers take, at most, to see again what a database has lost, and the rules to judge it. */
export function catchUpMillis({ poll, keep }: Pick<AlertsConfig, "poll" | "keep">): Milliseconds {
  return (keep.rounds + 1) * Math.max(poll.time, poll.checkpoints, poll.rest) + keep.for;
}
