import { z } from "zod";

import type { AlertTables, DeliveryRow, ReceiptRow } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { DEAD_LETTER_AFTER, type SuspensionTarget } from "../../route/suspension.ts";
import type { Receipt, SendError } from "../../sender.ts";
import type { ClaimedDelivery } from "./claim.ts";
import { logDecisions } from "./alert-log.ts";
import { fanOutAll, enqueue } from "./outbox.ts";
import { releaseGroup } from "./group.ts";
import { revertAllUnsent, revertUnsent, UNREACHED, UNSENT } from "./notification-state.ts";
import { backoffDelay } from "./retry-policy.ts";
import { readRollingMessages, rollingKey } from "./rolling-message.ts";
import { StoredDestination, destinationKey, tokenKey } from "../../destination.ts";
import type { Decision } from "../../judge/judge.ts";
import { readMessages } from "./stored-messages.ts";

/** The result of one attempt. */
export interface DeliveryResult {
  readonly claimed: ClaimedDelivery;
  /** Absent for an edit that succeeded, too. */
  readonly receipt?: Receipt;
  readonly error?: SendError;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
}

/** How an attempt ended, for metrics. */
export type DeliveryOutcome = "sent" | "retry" | "maybe-sent" | "plain" | "dead" | "gone" | "refused";

/**
 * Splits results into those of claims that this process still has, and those of claims that others have taken over since:
 * it was thought dead.
 */
export async function splitByClaim(
  tables: AlertTables,
  results: readonly DeliveryResult[],
  self: string,
): Promise<{ readonly own: readonly DeliveryResult[]; readonly lost: readonly DeliveryResult[] }> {
  if (results.length === 0) return { own: [], lost: [] };
  const claims = await tables.outbox.claimedBy(
    self,
    results.map(({ claimed }) => claimed.row.id),
  );
  const isOwn = ({ claimed: { row } }: DeliveryResult): boolean => claims.get(row.id) === row.attempts;
  return { own: results.filter(isOwn), lost: results.filter((one) => !isOwn(one)) };
}

/** Stores that deliveries have arrived, with their receipts. */
export async function recordSent(tables: AlertTables, results: readonly DeliveryResult[]): Promise<void> {
  await tables.outbox.markSent(
    results.map(({ claimed }) => claimed.row.id),
    Math.max(...results.map(({ at }) => at)),
  );
  const receipts = results.flatMap(({ claimed, receipt, at }) => {
    const shown = receipt ?? claimed.edits;
    const shows = [...(receipt === undefined ? [] : [claimed.row.id]), ...(claimed.shows ?? [])];
    return shown === undefined ? [] : shows.map((delivery) => receiptRow(delivery, shown, at));
  });
  // Two edits of one message may be the first to show a delivery.
  await tables.outbox.putReceipts([...new Map(receipts.map((one) => [one.delivery, one])).values()]);
}

/** A destination has its workspace in the delivery. */
function receiptRow(delivery: string, { platform, channel, message }: Receipt, at: Milliseconds): ReceiptRow {
  return { delivery, platform, channel, message, at };
}

/** Owes a failed delivery again. Returns when it is due. `random` is from 0 to below 1. */
export async function recordRetry(
  tables: AlertTables,
  row: DeliveryRow,
  { retryAfterMillis }: Pick<SendError, "retryAfterMillis">,
  at: Milliseconds,
  random: number,
): Promise<Milliseconds> {
  const run_at = at + Math.max(backoffDelay(row.attempts, random), retryAfterMillis ?? 0);
  await recordOwed(tables, row, run_at);
  // A retry-after holds for the channel, not for this message alone.
  if (retryAfterMillis !== undefined) await tables.outbox.postpone(row.destination, at + retryAfterMillis);
  return run_at;
}

/** Owes a failed delivery again from that moment. */
export async function recordOwed(tables: AlertTables, row: DeliveryRow, run_at: Milliseconds): Promise<void> {
  const { uncertain_since, last_error } = row;
  await tables.outbox.update(row.id, { state: "owed", uncertain_since, last_error, run_at });
}

/** Owes a delivery whose content was refused once more at once, as plain text. It keeps its place in the order. */
export async function recordPlain(tables: AlertTables, row: DeliveryRow, at: Milliseconds): Promise<void> {
  await recordOwed(tables, row, at);
  await tables.outbox.update(row.id, { data: JSON.stringify({ ...(JSON.parse(row.data) as object), plain: true }) });
}

/**
 * Dead-letters a delivery, with all that its message says. Of a trigger that certainly never arrived, the rest of its
 * episode goes with it.
 */
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
  if (row.phase === "group" && row.target !== null) await releaseGroup(tables, row.target, at);
  const said = await tables.outbox.saidBy(row.id);
  for (const one of [row, ...said.map((other) => ({ ...other, uncertain_since }))]) {
    await tables.outbox.update(one.id, { state: "dead", settled_at: at, uncertain_since, last_error });
    await revertUnsent(tables, one, by);
    if (one.phase !== "trigger" || one.episode === null || uncertain_since !== null) continue;
    for (const other of await tables.outbox.ofEpisode(one.episode, one.destination)) {
      if (other.state !== "owed" || other.phase === "flapping" || other.phase === "calm") continue;
      const why = "its trigger could not be sent";
      await tables.outbox.update(other.id, { state: "dead", settled_at: at, last_error: why });
    }
  }
}

/** A rolling message that cannot be edited any more continues in a new one. */
export async function restartRollingMessage(
  tables: AlertTables,
  { row, destination }: Pick<ClaimedDelivery, "row" | "destination">,
  at: Milliseconds,
  newId: () => string,
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
  const delivery = { id, destination, phase: "rolling", message: last ?? message, quiet: true } as const;
  await enqueue(tables, { deliveries: [delivery] }, at, newId);
  if (known !== undefined) await tables.backlog.putRolling([{ ...known, delivery: id }]);
}

/** Owes a failed delivery again from that moment; nothing else is sent to its destination before. */
export async function recordWaiting(tables: AlertTables, row: DeliveryRow, run_at: Milliseconds): Promise<void> {
  await recordOwed(tables, row, run_at);
  await tables.outbox.postpone(row.destination, run_at);
}

/** Makes everything owed to a destination due at that moment. */
export async function retryNow(tables: AlertTables, destination: string, at: Milliseconds): Promise<void> {
  for (const { id, run_at } of await tables.outbox.openOf(destination)) {
    if (run_at > at) await tables.outbox.update(id, { run_at: at });
  }
}

/** Dead-letters what is owed where a token is refused, or at one destination that is lost. */
export async function deadLetterOwed(
  tables: AlertTables,
  { destination, ...token }: SuspensionTarget,
  at: Milliseconds,
  why: string,
  newId: () => string,
): Promise<void> {
  await fanOutAll(tables, newId);
  const readOwed = async (): Promise<readonly DeliveryRow[]> =>
    destination === undefined
      ? tables.outbox.owedOn(tokenKey(token))
      : (await tables.outbox.openOf(destinationKey(destination))).filter(({ state }) => state === "owed");
  for (const { phase, target } of await readOwed()) {
    if (phase === "group" && target !== null) await releaseGroup(tables, target, at);
  }
  const owed = await readOwed();
  const said: DeliveryRow[] = [];
  for (const row of owed) {
    if (row.group_key === null || isEndNotice(row)) continue;
    const { id, uncertain_since } = row;
    said.push(...(await tables.outbox.saidBy(id)).map((one) => ({ ...one, uncertain_since })));
  }
  const rows = [...deliveriesToDrop(owed, said), ...said];
  await tables.outbox.deadLetter(
    rows.map(({ id }) => id),
    at,
    why,
  );
  await revertAllUnsent(tables, rows);
}

/**
 * Which of the owed deliveries are dead-lettered with the subscriptions, and the deliveries that their messages say
 * (`said`). End notices of alerts whose trigger was, or may have been, sent stay owed: they are sent once they can be.
 */
function deliveriesToDrop(owed: readonly DeliveryRow[], said: readonly DeliveryRow[]): DeliveryRow[] {
  const keyOf = ({ episode, destination }: DeliveryRow): string => JSON.stringify([episode, destination]);
  const unsentTriggers = new Set(
    [...owed, ...said]
      .filter(({ phase, uncertain_since }) => phase === "trigger" && uncertain_since === null)
      .map(keyOf),
  );
  return owed.filter((row) => !isEndNotice(row) || unsentTriggers.has(keyOf(row)));
}

/** Whether a delivery says that a condition is over, or edits the message that announced it. */
export function isEndNotice({ phase, episode }: Pick<DeliveryRow, "phase" | "episode">): boolean {
  return episode !== null && (phase === "resolve" || phase === "state");
}

/**
 * Owes deliveries again that a crashed process was sending, or this one (`self`) without knowing; their outcome is
 * unknown.
 */
export async function recoverUnfinished(
  tables: AlertTables,
  at: Milliseconds,
  self: string,
  known: readonly string[] = [],
): Promise<void> {
  const decisions = (await tables.outbox.recover(self, known)).map((row) => ({
    what: "outcome unknown",
    destination: row.destination,
    delivery: row.id,
    ...(row.episode === null ? {} : { episode: row.episode }),
    detail: `attempt ${row.attempts}: the process ended while it was being sent`,
  }));
  await logDecisions(tables, decisions, at);
}

/** The most deliveries that expire at once. */
const MAX_EXPIRED = 500;

/**
 * Dead-letters what is owed for longer than a failure is retried, except on some platforms, or of one token's key.
 * `refused` says why the token of a destination's key is refused.
 */
export async function expire(
  tables: AlertTables,
  at: Milliseconds,
  newId: () => string,
  where: Parameters<AlertTables["outbox"]["overdue"]>[2],
  refused: (destination: string) => string | undefined,
): Promise<readonly Decision[]> {
  const decisions: Decision[] = [];
  for (const row of await tables.outbox.overdue(at - DEAD_LETTER_AFTER, MAX_EXPIRED, where)) {
    const refusal = refused(row.destination);
    const why = row.last_error ?? refusal ?? "nothing could send it";
    await deadLetter(tables, { ...row, last_error: why }, at, newId, refusal === undefined ? UNSENT : UNREACHED);
    const about = { destination: row.destination, delivery: row.id };
    decisions.push({ what: "dead letter", ...about, detail: `after a day: ${why}` });
  }
  return decisions;
}

/**
 * Stores a receipt that came after its attempt had ended. A delivery that still waits for its next attempt, or was given
 * up, has thus arrived, with all that it says; of one that was sent again meanwhile, this first message is edited to say
 * so, without buttons. Returns false while the next attempt is under way.
 */
export async function recordLateReceipt(
  tables: AlertTables,
  { row: { id }, destination }: Pick<ClaimedDelivery, "row" | "destination">,
  receipt: Receipt,
  at: Milliseconds,
  newId: () => string,
): Promise<boolean> {
  const [row] = await tables.outbox.get([id]);
  if (row?.state === "sending") return false;
  const known = (await tables.outbox.receipts([id]))[0];
  if (row === undefined || known?.message === receipt.message) return true;
  const what = row.state === "sent" ? "sent twice" : "arrived late";
  const about = {
    destination: row.destination,
    delivery: id,
    ...(row.episode === null ? {} : { episode: row.episode }),
  };
  await logDecisions(tables, [{ what, ...about, detail: `message ${receipt.message}` }], at);
  if (row.state !== "sent") {
    const said = (await tables.outbox.saidBy(id)).map((one) => one.id);
    await tables.outbox.markSent([id], at);
    await tables.outbox.updateAll(said, { state: "merged", last_error: `said by ${id}` });
    await tables.outbox.putReceipts([id, ...said].map((delivery) => receiptRow(delivery, receipt, at)));
    return true;
  }
  const message = (await readMessages(tables, [row.message])).get(row.message);
  if (message === undefined) return true;
  const first = firstCopy(id);
  await tables.outbox.putReceipts([receiptRow(first, receipt, at)]);
  const edit = { id: newId(), destination, phase: "state", message, edits: first } as const;
  await enqueue(tables, { deliveries: [edit] }, at, newId);
  const [owed] = await tables.outbox.get([edit.id]);
  const data = JSON.stringify({ ...(JSON.parse(owed?.data ?? "{}") as object), twice: true });
  await tables.outbox.update(edit.id, { data });
  return true;
}

/**
 * A pressed message of an alert that no delivery is known by is the copy of one whose outcome was unknown: the press
 * proves it, like a receipt that comes late. Nothing is done while one is being sent there, since it may be that one.
 */
export async function recordPress(
  tables: AlertTables,
  episode: string,
  pressed: Receipt,
  at: Milliseconds,
  newId: () => string,
): Promise<boolean> {
  const rows = await tables.outbox.ofEpisode(episode);
  const uncertain = rows.filter(
    ({ platform, uncertain_since, state }) =>
      platform === pressed.platform && uncertain_since !== null && state === "sent",
  );
  if (await tables.outbox.hasReceipt(pressed)) return false;
  const receipts = await tables.outbox.receipts(uncertain.flatMap(({ id }) => [id, firstCopy(id)]));
  const copied = new Set(receipts.map(({ delivery }) => delivery));
  const row = uncertain.find(
    ({ id }) =>
      !copied.has(firstCopy(id)) &&
      receipts.some(({ delivery, channel }) => delivery === id && channel === pressed.channel),
  );
  if (row === undefined) return false;
  const open = await tables.outbox.openOf(row.destination);
  if (open.some(({ state, target }) => state === "sending" && target === null)) return false;
  const { destination } = StoredDelivery.parse(JSON.parse(row.data));
  return recordLateReceipt(tables, { row, destination }, pressed, at, newId);
}

const StoredDelivery = z.object({ destination: StoredDestination });

/** Names the receipt of the first message where a delivery was sent twice. */
function firstCopy(delivery: string): string {
  return `${delivery}~1`;
}
