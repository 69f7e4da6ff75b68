import type { AlertTables, DeliveryRow } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { fromMillis } from "../../units/nanoseconds.ts";
import { timeToText } from "../kinds/json-fields.ts";
import { type Decision, OutboxBatch } from "../outbox/batch.ts";
import { revertUnsent, UNREACHED, UNSENT } from "../outbox/notification-state.ts";
import { fanOutAll, putSubscription, writeBatch } from "../outbox/outbox.ts";
import { backoffDelay, DEAD_LETTER_AFTER } from "../outbox/retry-policy.ts";
import { readRollingMessages, rollingKey } from "../outbox/rolling-message.ts";
import { destinationKey, isAlive, Subscription } from "../routing/subscription.ts";
import type { Destination, Receipt, SendError, SendErrorKind } from "../sender.ts";
import type { PlatformSuspensions } from "../suspension/platform-suspension.ts";
import { isEndNotice, resumePlatform, suspendPlatform, type SuspensionDependencies } from "../suspension/suspension.ts";
import type { ClaimedDelivery } from "./claim.ts";

/** What came of one try. */
export interface DeliveryResult {
  readonly claimed: ClaimedDelivery;
  /** Absent for an edit that succeeded, too. */
  readonly receipt?: Receipt;
  readonly error?: SendError;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
}

export interface RecordDependencies extends SuspensionDependencies {
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly suspensions: PlatformSuspensions;
  /** Whether a delivery was tried to see whether its platform takes the bot's token again. */
  readonly isTrial: (delivery: string) => boolean;
}

/** What is said of an outcome: for figures. */
export type DeliveryOutcome = "sent" | "retry" | "maybe-sent" | "dead" | "gone" | "refused";

/** After these the platform has dealt with what was sent, as it does for nobody whose token it refuses. */
const TOKEN_ACCEPTED_KINDS: readonly (SendErrorKind | undefined)[] = [undefined, "gone", "unhealable"];

/** Keeps what came of some tries, and decides what follows from each. Gives a verdict for each of them. */
export async function recordResults(
  tables: AlertTables,
  outcomes: readonly DeliveryResult[],
  parts: RecordDependencies,
  decisions: Decision[],
): Promise<DeliveryOutcome[]> {
  // What arrived is kept first: what another one's failure gives up must find it settled.
  for (const [at, arrived] of Map.groupBy(
    outcomes.filter(({ error }) => error === undefined),
    (one) => one.at,
  )) {
    await tables.outbox.markSent(
      arrived.map(({ claimed }) => claimed.row.id),
      at,
    );
  }
  await tables.outbox.putReceipts(
    outcomes.flatMap(({ claimed, receipt, at }) =>
      receipt === undefined ? [] : [{ delivery: claimed.row.id, ...receipt, at }],
    ),
  );
  const verdicts: DeliveryOutcome[] = [];
  const arrivedOn = Map.groupBy(
    outcomes.filter(({ claimed, error }) => error === undefined && parts.isTrial(claimed.row.id)),
    ({ claimed }) => claimed.row.platform,
  );
  for (const { claimed, error, at } of outcomes) {
    verdicts.push(error === undefined ? "sent" : await recordFailure(tables, claimed, error, at, parts, decisions));
    if (parts.isTrial(claimed.row.id) && TOKEN_ACCEPTED_KINDS.includes(error?.kind)) {
      const { platform } = claimed.row;
      const gone = arrivedOn.get(platform)?.length ?? 0;
      await resumePlatform(tables, parts.suspensions, { platform, at, gone }, parts, decisions);
    }
  }
  return verdicts;
}

async function recordFailure(
  tables: AlertTables,
  claimed: ClaimedDelivery,
  error: SendError,
  at: Milliseconds,
  parts: RecordDependencies,
  decisions: Decision[],
): Promise<DeliveryOutcome> {
  const { row } = claimed;
  const about = { ...(row.episode === null ? {} : { episode: row.episode }), destination: row.destination };
  const tell = (what: string, detail: string): void => {
    decisions.push({ what, ...about, delivery: row.id, detail: `attempt ${row.attempts}: ${detail}` });
  };
  const uncertain_since =
    error.kind === "maybe-sent" ? (row.uncertain_since ?? row.attempted_at ?? at) : row.uncertain_since;
  const last_error = error.message;
  const retired = parts.suspensions.get(row.platform)?.retired;
  if (retired !== undefined && row.created_at <= retired.at && !isEndNotice(row)) {
    // It was under way when all that its platform was owed was given up.
    tell("dead letter", error.message);
    await deadLetter(tables, { ...row, uncertain_since, last_error }, at, parts.newId, UNREACHED);
    return "dead";
  }
  if (error.kind === "refused") {
    await tables.outbox.update(row.id, { state: "owed", uncertain_since, last_error, run_at: at });
    tell("token refused", `${error.message}; it waits until the token is accepted`);
    await suspendPlatform(tables, parts.suspensions, { platform: row.platform, error, at }, parts, decisions);
    return "refused";
  }
  if (error.kind === "gone") {
    tell("destination lost", error.message);
    await loseDestination(tables, { ...row, uncertain_since }, claimed.destination, error.message, at, parts);
    return "gone";
  }
  if (error.kind === "unhealable" || at - row.created_at >= DEAD_LETTER_AFTER) {
    tell("dead letter", error.message);
    await deadLetter(tables, { ...row, uncertain_since, last_error }, at, parts.newId);
    if (row.phase === "rolling" && row.kind === "edit") await restartRollingMessage(tables, row, claimed, at, parts);
    return "dead";
  }
  const run_at = at + Math.max(backoffDelay(row.attempts, parts.random()), error.retryAfterMillis ?? 0);
  await tables.outbox.update(row.id, { state: "owed", uncertain_since, last_error, run_at });
  // Whoever asks us to wait means the channel, not this one message.
  if (error.retryAfterMillis !== undefined) await tables.outbox.postpone(row.destination, at + error.retryAfterMillis);
  tell(error.kind === "maybe-sent" ? "outcome unknown" : "try again", `${error.message}; next ${iso(run_at)}`);
  return error.kind;
}

/** Dead-letters a delivery. Where its trigger certainly never arrived, nothing more is owed of the episode. */
export async function deadLetter(
  tables: AlertTables,
  row: DeliveryRow,
  at: Milliseconds,
  newId: () => string,
  by: Parameters<typeof revertUnsent>[2] = UNSENT,
): Promise<void> {
  const { uncertain_since, last_error } = row;
  // What still waits to be spread may be about the same episode.
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

/** A message of the day that cannot be edited any more goes on in a new one. */
async function restartRollingMessage(
  tables: AlertTables,
  row: DeliveryRow,
  { destination }: ClaimedDelivery,
  at: Milliseconds,
  { newId }: RecordDependencies,
): Promise<void> {
  await fanOutAll(tables, newId);
  const said = await readRollingMessages(tables, [row.message]);
  const message = said.get(row.message);
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
  const book = new OutboxBatch();
  book.deliveries.push({ id, destination, phase: "rolling", message: last ?? message, quiet: true });
  await writeBatch(tables, book, at, newId);
  if (known !== undefined) await tables.backlog.putRolling([{ ...known, delivery: id }]);
}

/** A destination that is gone: its subscriptions end, what it was owed is given up, and the operators are told. */
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
  const told = [shown, operators].filter((one) => one !== undefined && destinationKey(one) !== row.destination);
  // The end of what was told there before is still tried, and the operators know already.
  if (known && subscriptions === 0) return;
  const book = new OutboxBatch();
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
  for (const to of told)
    if (to !== undefined) book.deliveries.push({ id: newId(), destination: to, phase: "bot", message });
  await writeBatch(tables, book, at, newId);
}

function iso(millis: Milliseconds): string {
  return new Date(millis).toISOString();
}
