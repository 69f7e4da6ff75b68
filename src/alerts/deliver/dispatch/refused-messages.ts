import { z } from "zod";

import type { AlertTables } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/time.ts";
import { RefusedPlace } from "../../message/notice.ts";
import { noticeRecipients, planNotice } from "../outbox/batch.ts";
import { enqueue } from "../outbox/outbox.ts";
import type { SuspensionDependencies } from "./suspension.ts";
import { parseJson } from "../../judge/kinds/kind.ts";

/** The messages of one platform that were given up, or passed as plain text alone. As stored; times in Unix milliseconds. */
export const RefusedMessages = z.object({
  platform: z.string(),
  /** When the operators were last notified. */
  notified: z.number().exactOptional(),
  /** The operators are not notified of these yet. */
  waiting: z.array(RefusedPlace),
  last: z.object({ at: z.number(), place: RefusedPlace }),
});
export type RefusedMessages = z.infer<typeof RefusedMessages>;

/** A message that was given up (`dead`), or refused in its usual form. */
export interface Refusal {
  readonly platform: string;
  /** By key. */
  readonly destination: string;
  readonly channel: string;
  readonly why: string;
  readonly dead: boolean;
}

/** Stored under this name beside the watchers' snapshots, for no network. */
const SNAPSHOT_NAME = "refused-messages";
/** Operators are notified at once, then once in this time: an outage of a day gives up thousands of messages. */
const NOTIFY_EVERY: Milliseconds = 3_600_000;
/** So many places are named; the others are counted under the last of them. */
const MAX_PLACES = 10;
/** A platform may quote the whole message. */
const MAX_REASON_LENGTH = 300;

export async function readRefusedMessages(tables: Pick<AlertTables, "watch">): Promise<readonly RefusedMessages[]> {
  const row = await tables.watch.snapshot("", SNAPSHOT_NAME);
  return row === undefined ? [] : (z.array(RefusedMessages).safeParse(parseJson(row.data)).data ?? []);
}

/**
 * Notes messages that were refused, and notifies the operators of those that they do not know of yet. Returns whether
 * a notice is owed now.
 */
export async function noteRefusals(
  tables: AlertTables,
  refusals: readonly Refusal[],
  at: Milliseconds,
  dependencies: SuspensionDependencies,
): Promise<boolean> {
  const known = new Map((await readRefusedMessages(tables)).map((one) => [one.platform, one]));
  for (const refusal of refusals) known.set(refusal.platform, added(known.get(refusal.platform), refusal, at));
  // A clock that was set back must not delay the notice.
  const isDue = ({ notified, waiting }: RefusedMessages): boolean =>
    waiting.length > 0 && (notified === undefined || Math.abs(at - notified) >= NOTIFY_EVERY);
  const due = [...known.values()].filter(isDue);
  const to = noticeRecipients(dependencies);
  for (const one of due) {
    const { platform, waiting: places } = one;
    const deliveries = planNotice(to, { about: "refused", platform, places }, at, dependencies.newId);
    await enqueue(tables, { deliveries }, at);
    known.set(platform, { ...one, notified: at, waiting: [] });
  }
  if (refusals.length + due.length > 0) {
    await tables.watch.putSnapshot("", SNAPSHOT_NAME, at, JSON.stringify([...known.values()]));
  }
  return due.length > 0 && to.length > 0;
}

function added(
  before: RefusedMessages | undefined,
  { platform, channel, why, dead }: Refusal,
  at: Milliseconds,
): RefusedMessages {
  const place = {
    channel,
    why: why.slice(0, MAX_REASON_LENGTH).toWellFormed(),
    dead: Number(dead),
    plain: Number(!dead),
  };
  const waiting = [...(before?.waiting ?? [])];
  const index = waiting.findIndex((one) => one.channel === channel && one.why === place.why);
  const full = waiting.length >= MAX_PLACES ? waiting.length - 1 : -1;
  const joined = index === -1 ? full : index;
  const other = waiting[joined];
  if (other === undefined) waiting.push(place);
  else waiting[joined] = { ...other, dead: other.dead + place.dead, plain: other.plain + place.plain };
  return { ...before, platform, waiting, last: { at, place } };
}
