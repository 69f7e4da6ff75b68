import type { AlertTables, DeliveryRow } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { fromMillis } from "../../units/nanoseconds.ts";
import { timeToText } from "../kinds/json-fields.ts";
import { type Decision, OutboxBatch } from "../outbox/batch.ts";
import { revertUnsent, UNREACHED, UNSENT } from "../outbox/notification-state.ts";
import { fanOutAll, writeBatch } from "../outbox/outbox.ts";
import { backoffDelay, DEAD_LETTER_AFTER } from "../outbox/retry-policy.ts";
import { readRollingMessages, rollingKey } from "../outbox/rolling-message.ts";
import { destinationKey, isAlive, putSubscription, Subscription } from "../routing/subscription.ts";
import type { Destination, SendError, SendErrorKind } from "../sender.ts";
import type { PlatformSuspensions } from "../suspension/platform-suspension.ts";
import { isEndNotice, resumePlatform, suspendPlatform, type SuspensionDependencies } from "../suspension/suspension.ts";
import type { ClaimedDelivery, DeliveryResult } from "./claim.ts";

interface RecordDependencies extends SuspensionDependencies {
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly suspensions: PlatformSuspensions;
  /** Whether a delivery is a trial: sent to find out whether its platform accepts the bot's token again. */
  readonly isTrial: (delivery: string) => boolean;
}

/** How an attempt ended, for metrics. */
export type DeliveryOutcome = "sent" | "retry" | "maybe-sent" | "dead" | "gone" | "refused";

/** After these results the platform has accepted the token: it handled the message. */
const TOKEN_ACCEPTED_KINDS: readonly (SendErrorKind | undefined)[] = [undefined, "gone", "permanent"];

/** Stores the results of some attempts and decides what follows from each: sent, retried or dead-lettered. */
export async function recordResults(
  tables: AlertTables,
  results: readonly DeliveryResult[],
  dependencies: RecordDependencies,
  decisions: Decision[],
): Promise<DeliveryOutcome[]> {
  // Successes first: a failure may dead-letter other deliveries, and must not include these.
  for (const [at, arrived] of Map.groupBy(
    results.filter(({ error }) => error === undefined),
    (one) => one.at,
  )) {
    await tables.outbox.markSent(
      arrived.map(({ claimed }) => claimed.row.id),
      at,
    );
  }
  await tables.outbox.putReceipts(
    results.flatMap(({ claimed, receipt, at }) =>
      receipt === undefined ? [] : [{ delivery: claimed.row.id, ...receipt, at }],
    ),
  );
  const outcomes: DeliveryOutcome[] = [];
  const arrivedOn = Map.groupBy(
    results.filter(({ claimed, error }) => error === undefined && dependencies.isTrial(claimed.row.id)),
    ({ claimed }) => claimed.row.platform,
  );
  for (const { claimed, error, at } of results) {
    outcomes.push(
      error === undefined ? "sent" : await recordFailure(tables, claimed, error, at, dependencies, decisions),
    );
    if (dependencies.isTrial(claimed.row.id) && TOKEN_ACCEPTED_KINDS.includes(error?.kind)) {
      const { platform } = claimed.row;
      const gone = arrivedOn.get(platform)?.length ?? 0;
      await resumePlatform(tables, dependencies.suspensions, { platform, at, gone }, dependencies, decisions);
    }
  }
  return outcomes;
}

async function recordFailure(
  tables: AlertTables,
  claimed: ClaimedDelivery,
  error: SendError,
  at: Milliseconds,
  dependencies: RecordDependencies,
  decisions: Decision[],
): Promise<DeliveryOutcome> {
  const { row } = claimed;
  const about = { ...(row.episode === null ? {} : { episode: row.episode }), destination: row.destination };
  const decide = (what: string, detail: string): void => {
    decisions.push({ what, ...about, delivery: row.id, detail: `attempt ${row.attempts}: ${detail}` });
  };
  const uncertain_since =
    error.kind === "maybe-sent" ? (row.uncertain_since ?? row.attempted_at ?? at) : row.uncertain_since;
  const last_error = error.message;
  const retired = dependencies.suspensions.get(row.platform)?.retired;
  if (retired !== undefined && row.created_at <= retired.at && !isEndNotice(row)) {
    // It was being sent while its platform's deliveries were dead-lettered.
    decide("dead letter", error.message);
    await deadLetter(tables, { ...row, uncertain_since, last_error }, at, dependencies.newId, UNREACHED);
    return "dead";
  }
  if (error.kind === "refused") {
    await tables.outbox.update(row.id, { state: "owed", uncertain_since, last_error, run_at: at });
    decide("token refused", `${error.message}; it waits until the token is accepted`);
    await suspendPlatform(
      tables,
      dependencies.suspensions,
      { platform: row.platform, error, at },
      dependencies,
      decisions,
    );
    return "refused";
  }
  if (error.kind === "gone") {
    decide("destination lost", error.message);
    await loseDestination(tables, { ...row, uncertain_since }, claimed.destination, error.message, at, dependencies);
    return "gone";
  }
  if (error.kind === "permanent" || at - row.created_at >= DEAD_LETTER_AFTER) {
    decide("dead letter", error.message);
    await deadLetter(tables, { ...row, uncertain_since, last_error }, at, dependencies.newId);
    if (row.phase === "rolling" && row.kind === "edit")
      await restartRollingMessage(tables, row, claimed, at, dependencies);
    return "dead";
  }
  const run_at = at + Math.max(backoffDelay(row.attempts, dependencies.random()), error.retryAfterMillis ?? 0);
  await tables.outbox.update(row.id, { state: "owed", uncertain_since, last_error, run_at });
  // A retry-after holds for the channel, not for this message alone.
  if (error.retryAfterMillis !== undefined) await tables.outbox.postpone(row.destination, at + error.retryAfterMillis);
  decide(error.kind === "maybe-sent" ? "outcome unknown" : "try again", `${error.message}; next ${iso(run_at)}`);
  return error.kind;
}

/** Dead-letters a delivery. If it is a trigger that certainly never arrived, the rest of its episode goes with it. */
export async function deadLetter(
  tables: AlertTables,
  row: DeliveryRow,
  at: Milliseconds,
  newId: () => string,
  by: Parameters<typeof revertUnsent>[2] = UNSENT,
): Promise<void> {
  const { uncertain_since, last_error } = row;
  // A chunk that is not fanned out yet may hold deliveries of the same episode.
  await fanOutAll(tables, newId);
  await tables.outbox.update(row.id, { state: "dead", settled_at: at, uncertain_since, last_error });
  await revertUnsent(tables, row, by);
  if (row.phase !== "trigger" || row.episode === null || uncertain_since !== null) return;
  for (const other of await tables.outbox.ofEpisode(row.episode, row.destination)) {
    if (other.state !== "owed" || other.phase === "flapping" || other.phase === "calm") continue;
    const why = "its trigger could not be sent";
    await tables.outbox.update(other.id, { state: "dead", settled_at: at, last_error: why });
  }
}

/** A rolling message that cannot be edited any more continues in a new one. */
async function restartRollingMessage(
  tables: AlertTables,
  row: DeliveryRow,
  { destination }: ClaimedDelivery,
  at: Milliseconds,
  { newId }: RecordDependencies,
): Promise<void> {
  await fanOutAll(tables, newId);
  const read = await readRollingMessages(tables, [row.message]);
  const message = read.get(row.message);
  if (message === undefined) return;
  // It may have grown since.
  const [known] = await tables.backlog.rolling([rollingKey(row.destination, message)]);
  const last =
    known === undefined ? undefined : (await readRollingMessages(tables, [known.message])).get(known.message);
  for (const edit of await tables.outbox.owedEdits(row.target === null ? [] : [row.target])) {
    const last_error = "its message goes on in a new one";
    await tables.outbox.update(edit.id, { state: "dropped", settled_at: at, last_error });
  }
  const id = newId();
  const batch = new OutboxBatch();
  batch.deliveries.push({ id, destination, phase: "rolling", message: last ?? message, quiet: true });
  await writeBatch(tables, batch, at, newId);
  if (known !== undefined) await tables.backlog.putRolling([{ ...known, delivery: id }]);
}

/** A destination that is gone: its subscriptions end, its deliveries are dead-lettered, the operators are notified. */
async function loseDestination(
  tables: AlertTables,
  row: DeliveryRow,
  destination: Destination,
  why: string,
  at: Milliseconds,
  { newId, operators, console: shown }: RecordDependencies,
): Promise<void> {
  let subscriptions = 0;
  let known = false;
  for (const { data } of await tables.subscriptions.list(row.destination)) {
    const subscription = Subscription.parse(JSON.parse(data));
    known ||= subscription.state === "retired";
    if (!isAlive(subscription)) continue;
    const { returns: _, ...rest } = subscription;
    await putSubscription(tables, { ...rest, state: "retired", why }, at);
    subscriptions += 1;
  }
  await fanOutAll(tables, newId);
  const open = await tables.outbox.openOf(row.destination);
  for (const one of open) {
    const uncertain_since = one.id === row.id ? row.uncertain_since : one.uncertain_since;
    await tables.outbox.update(one.id, { state: "dead", settled_at: at, last_error: why, uncertain_since });
    await revertUnsent(tables, { ...one, uncertain_since }, UNREACHED);
  }
  const recipients = [shown, operators].filter((one) => one !== undefined && destinationKey(one) !== row.destination);
  // Resolves of earlier alerts are still tried there, and the operators know already.
  if (known && subscriptions === 0) return;
  const batch = new OutboxBatch();
  const { platform, channel } = destination;
  const unsent = open.filter(({ kind }) => kind === "message").length;
  const message = {
    type: "lost",
    platform,
    channel,
    why,
    subscriptions,
    unsent,
    at: timeToText(fromMillis(at)),
  } as const;
  for (const to of recipients)
    if (to !== undefined) batch.deliveries.push({ id: newId(), destination: to, phase: "bot", message });
  await writeBatch(tables, batch, at, newId);
}

function iso(millis: Milliseconds): string {
  return new Date(millis).toISOString();
}
