import type { z } from "zod";

import { DamagedRow } from "../../../errors.ts";
import type { AlertTables, DeliveryRow } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/time.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import type { Receipt, Sender } from "../../sender.ts";
import { fanOutNext } from "./outbox.ts";
import { mergeFollowing, readEpisodes, readGroup } from "./group.ts";
import type { DeliveryContext } from "../../message/delivery-subject.ts";
import type { AlertMessage } from "../../message/message.ts";
import { DeliveryData, withoutPicture } from "./delivery-data.ts";
import { DEAD_LETTER_AFTER, LONGEST_PAUSE, tokenScope } from "../../route/suspension.ts";
import { deadLetter } from "./record.ts";
import type { Destination } from "../../destination.ts";
import type { Decision } from "../../judge/judge.ts";
import type { Episode } from "../../judge/rules/episode.ts";
import { triggerDeliveryTime } from "./queries.ts";
import { type MessageGroup, NAMED_SUBJECTS } from "../../message/message-group.ts";
import { readMessages } from "./stored-messages.ts";
import { parseJson } from "../../judge/kinds/kind.ts";

/** A delivery that is marked as being sent, with everything needed to send it, and what its words depend on. */
export interface ClaimedDelivery extends Omit<DeliveryContext, "merged" | "repeat" | "card" | "guidance"> {
  readonly row: DeliveryRow;
  readonly message: AlertMessage;
  readonly sender: Sender;
  readonly destination: Destination;
  readonly mention?: string;
  readonly quiet?: true;
  /** The picture that this attempt adds: the alert as it stands, and the zone. */
  readonly picture?: { readonly episode: Episode; readonly zone: string };
  /** The picture that it has, by the platform's name of it. */
  readonly pictured?: string;
  /** Of an edit: the message to edit. */
  readonly edits?: Receipt;
  readonly threadOf?: Receipt;
  /** Of a short post: the message of its card. */
  readonly card?: Receipt;
  /** It may have arrived, and the platform would not drop the repeat. */
  readonly repeat: boolean;
  /** It is sent to find out whether the bot's token is accepted again. */
  readonly probe?: true;
}

/** What a claim may take: so many deliveries of a sender's platform. */
interface Wanted {
  readonly sender: Sender;
  readonly limit: number;
  /** The key of the refused token whose probes they are; absent where they are none. */
  readonly probeOf?: string;
  /** By key, the tokens that they must not need, and the destinations to which nothing may go that was tried before. */
  readonly except?: Parameters<AlertTables["outbox"]["due"]>[3];
}

/**
 * Claims what is due, the most urgent first, and marks it as being sent by this process (`self`): a crash from here on
 * leaves its outcome unknown.
 * Then it fans out one chunk of a large batch, which is thus stored while the chunks before it are being sent. Where
 * nothing is being sent yet (`isIdle`), the first messages do not wait for that. `next`: when more becomes due where the
 * limit was not reached.
 */
export async function claim(
  tables: AlertTables,
  wanted: readonly Wanted[],
  at: Milliseconds,
  newId: () => string,
  self: string,
  isIdle = false,
) {
  const decisions: Decision[] = [];
  /** The senders whose limit was reached; probes do not count. */
  const full: Sender[] = [];
  const giveUp = async (row: DeliveryRow, why: string): Promise<void> => {
    await deadLetter(tables, { ...row, last_error: why }, at, newId);
    decisions.push({ what: "dead letter", destination: row.destination, delivery: row.id, detail: why });
  };
  const due = await Promise.all(
    wanted.map(async ({ sender, limit, probeOf, except }) => {
      const rows = limit === 0 ? [] : await tables.outbox.due(probeOf ?? sender.platform, at, limit, except);
      if (probeOf === undefined && rows.length >= limit) full.push(sender);
      return rows.map((row) => ({ sender, row, probe: probeOf === undefined ? undefined : (true as const) }));
    }),
  );
  const readable: DueDelivery[] = [];
  for (const { row: found, ...by } of due.flat()) {
    const { data } = DeliveryData.safeParse(parseJson(found.data));
    if (data === undefined) {
      await giveUp(found, UNREADABLE);
      continue;
    }
    // A platform that may drop the repeat shows its first message then, which says nothing of what came since.
    const isPosted = found.uncertain_since === null || by.sender.dropsRepeatsForMillis === undefined;
    const { row, decisions: merged } =
      found.accompanied === 1 && isPosted ? await mergeFollowing(tables, found, at) : { row: found, decisions: [] };
    decisions.push(...merged);
    readable.push({ ...by, row, data: row.data === found.data ? data : readData(row) });
  }
  const read = await Promise.all(
    readable.map(async (of) => ({ row: of.row, one: await claimOne(tables, of, at).catch(asDamaged) })),
  );
  const taken: UnreadDelivery[] = [];
  for (const { row, one } of read) {
    if (!(one instanceof DamagedRow)) {
      if (one !== undefined) taken.push(one);
      continue;
    }
    const { destination, id: delivery, owed_at } = row;
    if (at - owed_at >= DEAD_LETTER_AFTER) await giveUp(row, one.message);
    else {
      await tables.outbox.update(delivery, { run_at: at + REPAIR_PAUSE, last_error: one.message });
      decisions.push({ what: "try again", destination, delivery, detail: one.message });
    }
  }
  const rows = taken.map(({ row }) => row);
  const begun = rows.map(({ id }) => id);
  const waits = isIdle && taken.length > 0;
  const notFull = wanted.flatMap(({ sender, probeOf }) =>
    probeOf !== undefined || full.includes(sender) ? [] : [sender.platform],
  );
  const [messages, chunked, , next] = await Promise.all([
    readMessages(tables, rows),
    // Others may be due then.
    waits ? tables.chunks.oldestAt().then((oldest) => oldest !== undefined) : fanOutNext(tables),
    tables.outbox.beginAttempts(begun, at, self),
    // At the limit, the end of an attempt wakes the dispatcher.
    tables.outbox.nextRunAt(notFull, at),
  ]);
  const claimed: ClaimedDelivery[] = [];
  for (const one of taken) {
    const message = messages.get(one.row.message);
    if (message === undefined) await giveUp(one.row, UNREADABLE);
    else claimed.push({ ...one, message });
  }
  // Where a due delivery was dropped, the one behind it may be due now.
  return { claimed, full, dropped: claimed.length < due.flat().length, chunked, next, decisions };
}

function asDamaged(thrown: unknown): DamagedRow {
  if (thrown instanceof DamagedRow) return thrown;
  throw thrown;
}

const UNREADABLE = "what it says cannot be read";
/** How long a delivery waits that needs a damaged row. */
const REPAIR_PAUSE: Milliseconds = 60_000;

/** Of a trigger with which an escalation was merged: it notifies like that. */
const readData = ({ data }: DeliveryRow): z.infer<typeof DeliveryData> => DeliveryData.parse(JSON.parse(data));

type UnreadDelivery = Omit<ClaimedDelivery, "message">;

interface DueDelivery {
  readonly sender: Sender;
  readonly row: DeliveryRow;
  readonly data: z.infer<typeof DeliveryData>;
  readonly probe: true | undefined;
}

/** Undefined for an edit whose message is not known any more. */
async function claimOne(
  tables: AlertTables,
  { sender, row: due, data: stored, probe }: DueDelivery,
  at: Milliseconds,
): Promise<UnreadDelivery | undefined> {
  const { threadOf, cardOf, within: _within, picture, pictured, ...data } = stored;
  const receiptFor = async (delivery: string | undefined): Promise<Receipt | undefined> => {
    const [row] = delivery === undefined ? [] : await tables.outbox.receipts([delivery]);
    return row && { channel: row.channel, message: row.message, ...tokenScope(data.destination) };
  };
  const [edits, card, thread, triggeredAt] = await Promise.all([
    receiptFor(due.shown === null ? undefined : due.id),
    receiptFor(cardOf),
    receiptFor(threadOf),
    triggerDeliveryTime(tables, due),
  ]);
  if (due.shown !== null && edits === undefined) {
    await tables.outbox.update(due.id, { state: "sent", shown: due.revision, join_key: null });
    return undefined;
  }
  const group = await readGroup(tables, due, card === undefined ? undefined : cardOf);
  const grows = edits !== undefined && due.open_until !== null && at <= due.open_until;
  const { kept, ...shown } = await claimPicture(tables, due, { picture, pictured }, group);
  const isLong = group !== undefined && group.episodes.length + group.notices.length > NAMED_SUBJECTS;
  return {
    row: { ...due, data: kept, state: "sending", attempts: due.attempts + 1, attempted_at: at },
    sender,
    ...data,
    ...withoutUndefined({
      edits,
      threadOf: thread,
      card,
      ...shown,
      triggeredAt,
      probe,
      group,
      growing: grows && isLong ? (true as const) : undefined,
    }),
    repeat: due.shown === null && isRepeat(due, at, sender.dropsRepeatsForMillis ?? 0),
  };
}

/**
 * The picture that an attempt adds, and the one that it keeps; `kept` is the data of its delivery from now on: one attempt
 * is made. A message of several subjects has none, since it would show one of them; nor has one that is older than what a
 * database that went back has lost: there may be a picture that is lost with it.
 */
async function claimPicture(
  tables: AlertTables,
  due: DeliveryRow,
  { picture: zone, pictured }: { readonly picture: string | undefined; readonly pictured: string | undefined },
  group: MessageGroup | undefined,
) {
  const isAlone = group === undefined || group.episodes.length + group.notices.length === 1;
  if (zone === undefined && (isAlone || pictured === undefined)) return { kept: due.data, pictured };
  const kept = withoutPicture(due);
  await tables.outbox.update(due.id, { data: kept });
  if (!isAlone || zone === undefined || due.episode === null) return { kept };
  if (due.created_at < (await tables.outbox.repeatsUntil())) return { kept };
  const [episode] = await readEpisodes(tables, [due.episode], due.destination);
  return { kept, picture: episode && { episode, zone } };
}

function isRepeat({ uncertain_since }: DeliveryRow, at: Milliseconds, window: Milliseconds): boolean {
  if (uncertain_since === null) return false;
  // Where the clock was set back, the platform may have forgotten the first one all the same.
  return at < uncertain_since || at - uncertain_since >= window;
}

/** Moves what is due after that moment forward: the clock that scheduled it was ahead by so much. */
export function bringForward({ outbox }: AlertTables, by: Milliseconds, after: Milliseconds) {
  return outbox.bringForward(by, after);
}

/** Makes due what an earlier process scheduled by a clock that was set back since: no pause is longer than the longest. */
export function hastenLate({ outbox }: AlertTables, at: Milliseconds) {
  return outbox.hasten(at + LONGEST_PAUSE, at);
}
