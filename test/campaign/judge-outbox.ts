import { readRows } from "./database.ts";
import { firstOf } from "./judge.ts";
import { OUTAGES } from "./outages.ts";
import type { Transcript } from "./transcript.ts";

export interface OutboxJudgement {
  readonly deliveries: number;
  readonly faults: readonly string[];
}

/** What is open because its files are owed, or its words; the last edit of a message that changes all the time always is. */
const OWES_MORE = "state IN ('owed', 'sending') AND (shown IS NULL OR shown = revision)";

/** The number of messages of which words or files are owed since before that moment (Unix milliseconds). */
export async function stillOwed(url: string, before: number): Promise<number> {
  const [owed] = await readRows<{ n: number }>(
    url,
    `SELECT (SELECT count(*) FROM alert_deliveries
             WHERE ${OWES_MORE} AND created_at < ${before})
          + (SELECT coalesce(sum(owed), 0) FROM alert_chunks WHERE created_at < ${before}) AS n`,
  );
  return Number(owed?.n);
}

/**
 * Judges the store's outbox at the end, as far as it was owed before a moment: every delivery has a receipt or a reason;
 * sent messages are on the platform, in order; a repeat was made only where the result was unknown.
 */
export async function judgeOutbox(
  url: string,
  before: number,
  transcripts: ReadonlyMap<string, Transcript>,
  wentBack = false,
): Promise<OutboxJudgement> {
  const rows = await readRows<DeliveryLine>(
    url,
    `SELECT d.id, d.destination, d.platform, d.phase, d.state, d.seq, d.last_error, d.uncertain_since,
                d.created_at, CASE WHEN ${OWES_MORE} THEN 1 ELSE 0 END AS owes_more, r.message AS receipt
         FROM alert_deliveries d LEFT JOIN alert_receipts r ON r.delivery = d.id ORDER BY d.seq`,
  );
  const faults: string[] = [];
  for (const row of rows) {
    const label = `${row.destination} ${row.phase} ${row.id}`;
    const isOpen = row.state === "owed" || row.state === "sending";
    if (isOpen && (row.owes_more === 0 || row.created_at >= before)) continue;
    if (isOpen) faults.push(`${label} is still ${row.state}`);
    else if (row.state !== "sent" && row.last_error === null) faults.push(`${label} is ${row.state} for no reason`);
    else if (row.state === "sent" && row.receipt === null) {
      faults.push(`${label} was sent without a receipt`);
    }
    if (row.state === "dead") faults.push(`${label} was given up: ${row.last_error}`);
  }
  for (const [destination, transcript] of transcripts) {
    const here = rows.filter((row) => row.destination === destination && row.phase !== "copy");
    faults.push(...compare(transcript, here, wentBack));
  }
  return { deliveries: rows.length, faults };
}

interface DeliveryLine {
  readonly id: string;
  readonly destination: string;
  readonly platform: string;
  readonly owes_more: number;
  readonly phase: string;
  readonly state: string;
  readonly seq: number;
  readonly last_error: string | null;
  readonly uncertain_since: number | null;
  readonly created_at: number;
  readonly receipt: string | null;
}

/** Messages stand in the order in which they were owed, but those that may be critical overtake the others. */
export function judgeOrder(
  transcript: Transcript,
  owed: ReadonlyMap<string, Pick<DeliveryLine, "seq" | "phase">>,
): string[] {
  const faults: string[] = [];
  let [last, lastOrdinary] = [0, 0];
  for (const { delivery, title } of firstOf(transcript)) {
    const row = owed.get(delivery);
    if (row === undefined) continue;
    const { seq, phase } = row;
    const overtakes = OVERTAKING.some((words) => words.test(title));
    if (seq < (overtakes ? last : lastOrdinary)) {
      faults.push(`${transcript.name}: ${phase} ${delivery} stands out of order: ${title}`);
    }
    last = seq;
    if (!overtakes) lastOrdinary = seq;
  }
  return faults;
}

/** The titles of what may be critical. */
const OVERTAKING = OUTAGES.flatMap(({ overtakes, bad, good }) => (overtakes === true ? [bad, good] : []));

/** Where the database went back, the ledger has lost some, and has others in another order than that of before. */
function compare(transcript: Transcript, rows: readonly DeliveryLine[], wentBack: boolean): string[] {
  const faults: string[] = [];
  const byId = new Map(rows.map((row) => [row.id, row]));
  const standing = new Set(transcript.messages.map(({ delivery }) => delivery));
  for (const { id, state, phase } of rows) {
    if (state === "sent" && !standing.has(id))
      faults.push(`${transcript.name}: ${phase} ${id} was sent and is not there`);
  }
  for (const id of standing) {
    if (!byId.has(id) && !wentBack) faults.push(`${transcript.name}: ${id} stands there and is not in the ledger`);
  }
  const certain = new Map([...byId].filter(([, row]) => !wentBack || row.uncertain_since === null));
  faults.push(...judgeOrder(transcript, certain));
  // There a stream that begins anew repeats its last alerts, whose ids a page knows.
  const posts = wentBack && transcript.platform === "web" ? firstOf(transcript) : transcript.messages;
  for (const [id, all] of Map.groupBy(posts, ({ delivery }) => delivery)) {
    if (all.length > 1 && byId.get(id)?.uncertain_since === null) {
      faults.push(`${transcript.name}: ${id} was repeated though its outcome was known`);
    }
  }
  return faults;
}
