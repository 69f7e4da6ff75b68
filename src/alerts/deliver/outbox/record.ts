import { z } from "zod";

import type { AlertTables, DeliveryRow, ReceiptRow } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/time.ts";
import { DEAD_LETTER_AFTER } from "../../route/suspension.ts";
import type { Receipt, SendError } from "../../sender.ts";
import type { ClaimedDelivery } from "./claim.ts";
import { logDecisions } from "./alert-log.ts";
import { withData } from "./delivery-data.ts";
import { fanOutAll } from "./outbox.ts";
import { giveUpEdit, MERGED_PHASE, oweMergedSince, readSaid, sendUnshown, takeOut } from "./group.ts";
import { revertUnsent, UNREACHED, UNSENT } from "./notification-state.ts";
import { backoffDelay, interruptionPause } from "./retry-policy.ts";
import { StoredDestination } from "../../destination.ts";
import type { Decision } from "../../judge/judge.ts";

/** The result of one attempt. */
export interface DeliveryResult {
  readonly claimed: ClaimedDelivery;
  /** Absent for an edit that succeeded, too. */
  readonly receipt?: Receipt;
  readonly error?: SendError;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
  /** Its words have arrived, and the attempt goes on with its files, until then at the latest. */
  readonly filesUntil?: Milliseconds;
  /** How it ended with the files. */
  readonly ofFiles?: true;
  /** The picture that it added, by the platform's name of it. */
  readonly pictured?: string;
}

/** How an attempt ended, for metrics. */
export type DeliveryOutcome = "sent" | "retry" | "maybe-sent" | "plain" | "dead" | "gone" | "dropped" | "refused";

/**
 * Splits results into those of claims that this process still has, and those of claims that others have taken over since:
 * it was thought dead. Without `self` nobody can.
 */
export async function splitByClaim(
  tables: AlertTables,
  results: readonly DeliveryResult[],
  self: string | undefined,
): Promise<{ readonly own: readonly DeliveryResult[]; readonly lost: readonly DeliveryResult[] }> {
  if (self === undefined || results.length === 0) return { own: results, lost: [] };
  const claims = await tables.outbox.claimedBy(
    self,
    results.map(({ claimed }) => claimed.row.id),
  );
  const isOwn = ({ claimed: { row } }: DeliveryResult): boolean => claims.get(row.id) === row.attempted_at;
  return { own: results.filter(isOwn), lost: results.filter((one) => !isOwn(one)) };
}

/** The revision that stands there once a delivery has arrived: a platform that drops a repeat keeps the first message. */
export function arrivedRevision({ shown, uncertain_since, revision }: DeliveryRow): number {
  return shown === null && uncertain_since !== null ? 0 : revision;
}

/** Stores that deliveries have arrived, or their words, with their receipts. */
export async function recordSent(tables: AlertTables, results: readonly DeliveryResult[]): Promise<void> {
  // Words and files may have arrived meanwhile: each delivery once, as it is by now.
  const arrived = new Map(
    results.map(({ claimed: { row }, at, filesUntil }) => [
      row.id,
      { id: row.id, shown: arrivedRevision(row), at, until: filesUntil ?? null },
    ]),
  );
  const growing = results.filter(({ claimed, filesUntil }) => filesUntil === undefined && claimed.growing === true);
  await Promise.all([
    tables.outbox.markArrived([...arrived.values()]),
    tables.outbox.putReceipts(
      results.flatMap(({ claimed, receipt, at }) =>
        receipt === undefined ? [] : [receiptRow(claimed.row.id, receipt, at)],
      ),
    ),
    ...growing.map(({ claimed: { row }, at }) => tables.outbox.revise([row.id], {}, at, (row.open_until ?? at) + 1)),
    ...results.map(async ({ claimed, pictured }) => {
      const [row] = pictured === undefined ? [] : await tables.outbox.get([claimed.row.id]);
      if (row === undefined || pictured === undefined) return;
      await tables.outbox.update(row.id, { data: withData(row, { pictured }) });
    }),
  ]);
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
  // A retry-after holds for the channel, not for this message alone; that of files holds for them.
  if (retryAfterMillis !== undefined && row.shown !== row.revision)
    await tables.outbox.postpone(row.destination, at + retryAfterMillis);
  return run_at;
}

/** Owes a failed delivery again from that moment. */
export async function recordOwed(tables: AlertTables, row: DeliveryRow, run_at: Milliseconds): Promise<void> {
  const { uncertain_since, last_error } = row;
  await tables.outbox.update(row.id, { state: "owed", uncertain_since, last_error, run_at });
}

/**
 * Owes a delivery whose content was refused once more at once, as plain text. It keeps its place in the order. Where its
 * words have arrived and its files were refused, its words change.
 */
export async function recordPlain(tables: AlertTables, row: DeliveryRow, at: Milliseconds): Promise<void> {
  await recordOwed(tables, row, at);
  const data = withData(row, { plain: true });
  if (row.shown === row.revision) await tables.outbox.revise([row.id], { data }, at, at);
  else await tables.outbox.update(row.id, { data });
}

/** An edit was refused as plain text, too: what it did not show is owed by itself, and the message loses its buttons. */
export async function recordOutdated(
  tables: AlertTables,
  row: DeliveryRow,
  at: Milliseconds,
  newId: () => string,
): Promise<void> {
  await giveUpEdit(tables, row, at, newId);
  await tables.outbox.revise([row.id], { data: withData(row, { outdated: true }) }, at, at);
}

/**
 * Dead-letters a delivery, with all that its message says. Of a trigger that certainly never arrived, the rest of its
 * episode goes with it. Of a message that was sent, only its edit is given up.
 */
export async function deadLetter(
  tables: AlertTables,
  row: DeliveryRow,
  at: Milliseconds,
  newId: () => string,
  by: Parameters<typeof revertUnsent>[2] = UNSENT,
): Promise<void> {
  const { id, uncertain_since, last_error } = row;
  // A chunk that is not fanned out yet may hold deliveries of the same episode.
  await fanOutAll(tables);
  if (row.shown !== null) {
    await giveUpEdit(tables, row, at, newId);
    return;
  }
  await tables.outbox.update(id, { state: "dead", settled_at: at, uncertain_since, last_error });
  // What joined it while it was being sent was not refused.
  const [latest = row] = await tables.outbox.get([id]);
  if (latest.phase !== "rolling") await sendUnshown(tables, latest, row.revision, at);
  const said = await readSaid(tables, row);
  await revertUnsent(
    tables,
    said.map((one) => ({ ...row, ...one })),
    by,
  );
  if (uncertain_since !== null) return;
  const untold = new Set(said.flatMap(({ phase, episode }) => (phase === "trigger" ? (episode ?? []) : [])));
  const gone = { state: "dead", settled_at: at, last_error: "its trigger could not be sent" } as const;
  for (const other of await tables.outbox.unsentOf([...untold], row.destination)) {
    if (other.id === id || other.phase === "flapping" || other.phase === "calm") continue;
    await takeOut(tables, other, ({ episode }) => untold.has(episode ?? ""), gone);
  }
}

/** Dead-letters what is owed where a token is refused, or at one destination that is lost, by its key. */
export async function deadLetterOwed(
  tables: AlertTables,
  key: string,
  at: Milliseconds,
  why: string,
  newId: () => string,
): Promise<void> {
  await fanOutAll(tables);
  for (const row of await tables.outbox.owedOn(key)) {
    if (row.shown !== null && !isEndNotice(row)) await giveUpEdit(tables, { ...row, last_error: why }, at, newId);
  }
  // What edits that were given up did not show is owed by itself now.
  const left = (await tables.outbox.owedOn(key)).filter(({ shown }) => shown === null);
  const grown = left.filter(({ revision }) => revision > 0).map(({ id }) => id);
  const items = Map.groupBy(await tables.items.of(grown), ({ delivery }) => delivery);
  const said = left.flatMap((row) => [
    row,
    ...(items.get(row.id) ?? []).map(({ id, phase, episode }) => ({ ...row, id, phase, episode })),
  ]);
  // The ends of alerts whose trigger was, or may have been, sent stay owed: they are sent once they can be.
  const keyOf = ({ episode, destination: to }: DeliveryRow): string => JSON.stringify([episode, to]);
  const untold = new Set(
    said.filter(({ phase, uncertain_since }) => phase === "trigger" && uncertain_since === null).map(keyOf),
  );
  const dropped = said.filter((one) => !isEndNotice(one) || untold.has(keyOf(one)));
  const ids = new Set(dropped.map(({ id }) => id));
  const [joined, alone] = [left.filter((row) => items.has(row.id)), left.filter((row) => !items.has(row.id))];
  const gone = { state: "dead", settled_at: at, last_error: why } as const;
  await tables.outbox.updateAll(
    alone.filter(({ id }) => ids.has(id)).map(({ id }) => id),
    gone,
  );
  for (const row of joined) await takeOut(tables, row, ({ id }) => ids.has(id), gone);
  await revertUnsent(tables, dropped, UNREACHED);
}

/** Whether a delivery says that a condition is over which may have been told, or is the edit of a message about one. */
export function isEndNotice(of: Pick<DeliveryRow, "phase" | "episode" | "shown" | "uncertain_since">): boolean {
  const isEnd = of.phase === "resolve" || (of.phase === MERGED_PHASE && of.uncertain_since !== null);
  return of.episode !== null && (isEnd || of.shown !== null);
}

/**
 * Owes deliveries again that a crashed process was sending, after a pause, or this one (`self`) without knowing, at
 * once; their outcome is unknown.
 */
export async function recoverUnfinished(
  tables: AlertTables,
  at: Milliseconds,
  self: string,
  known: readonly string[] = [],
): Promise<void> {
  const decisions: Decision[] = [];
  for (const row of await tables.outbox.recover(self, known)) {
    const { id, destination, episode, attempts, interruptions } = row;
    // The clock may have been set back since the attempt.
    const attempted = Math.min(row.attempted_at ?? at, at);
    const next = row.claimed_by === self ? at : attempted + interruptionPause(interruptions);
    await tables.outbox.update(id, { run_at: next });
    decisions.push({
      what: "outcome unknown",
      destination,
      delivery: id,
      ...(episode === null ? {} : { episode }),
      detail: `attempt ${attempts}: the process ended while it was being sent; next ${new Date(next).toISOString()}`,
    });
  }
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
 * up, has thus arrived, with all that it says; of one that was sent again meanwhile, or is to tell its end as well, this
 * first message is edited to say so, without buttons. Returns false while the next attempt is under way.
 */
export async function recordLateReceipt(
  tables: AlertTables,
  { row: { id, phase, attempts, attempted_at }, destination }: Pick<ClaimedDelivery, "row" | "destination">,
  receipt: Receipt,
  at: Milliseconds,
): Promise<boolean> {
  const [row] = await tables.outbox.get([id]);
  if (row?.state === "sending") return false;
  const copy = copyOf(id, attempts);
  const known = await tables.outbox.receipts([id, copy]);
  if (row === undefined || known.some((one) => one.delivery === copy || one.message === receipt.message)) return true;
  const goesOn = row.shown !== null || (row.state === "owed" && row.phase !== phase);
  const about = {
    what: goesOn ? "sent twice" : "arrived late",
    destination: row.destination,
    delivery: id,
    ...(row.episode === null ? {} : { episode: row.episode }),
  };
  await logDecisions(tables, [{ ...about, detail: `message ${receipt.message}` }], at);
  await tables.outbox.putReceipts([receiptRow(goesOn ? copy : id, receipt, at)]);
  if (!goesOn) {
    await tables.outbox.markArrived([{ id, shown: 0, at, until: null }]);
    if (row.phase === phase) await oweMergedSince(tables, row, attempted_at ?? at, at);
    return true;
  }
  await tables.outbox.add([
    {
      id: copy,
      destination: row.destination,
      platform: row.platform,
      phase: "copy",
      urgency: 0,
      message: row.message,
      episode: null,
      revision: 1,
      shown: 0,
      run_at: at,
      created_at: at,
      data: JSON.stringify({ destination, twice: true }),
    },
  ]);
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
): Promise<boolean> {
  const rows = await tables.outbox.ofEpisode(episode);
  const uncertain = rows.filter(
    ({ platform, uncertain_since, shown }) =>
      platform === pressed.platform && uncertain_since !== null && shown !== null,
  );
  if (await tables.outbox.hasReceipt(pressed)) return false;
  const receipts = await tables.outbox.receipts(uncertain.flatMap(({ id }) => [id, copyOf(id, 1)]));
  const row = uncertain.find(
    ({ id }) =>
      !receipts.some(({ delivery }) => delivery === copyOf(id, 1)) &&
      receipts.some(({ delivery, channel }) => delivery === id && channel === pressed.channel),
  );
  if (row === undefined) return false;
  const open = await tables.outbox.openOf(row.destination);
  if (open.some(({ state, shown }) => state === "sending" && shown === null)) return false;
  const { destination } = StoredDelivery.parse(JSON.parse(row.data));
  return recordLateReceipt(tables, { row: { ...row, attempts: 1 }, destination }, pressed, at);
}

const StoredDelivery = z.object({ destination: StoredDestination });

/** Names the receipt of what an earlier attempt sent, where a delivery was sent more than once. */
function copyOf(delivery: string, attempt: number): string {
  return `${delivery}~${attempt}`;
}
