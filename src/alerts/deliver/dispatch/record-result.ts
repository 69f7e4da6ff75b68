import type { AlertTables, DeliveryRow } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/time.ts";
import type { ClaimedDelivery } from "../outbox/claim.ts";
import { dropDeleted } from "../outbox/group.ts";
import { UNREACHED } from "../outbox/notification-state.ts";
import {
  deadLetter,
  type DeliveryOutcome,
  type DeliveryResult,
  isEndNotice,
  recordOutdated,
  recordOwed,
  recordPlain,
  recordRetry,
  recordSent,
} from "../outbox/record.ts";
import { SendError, type SendErrorKind } from "../../sender.ts";
import { DEAD_LETTER_AFTER, tokenScope } from "../../route/suspension.ts";
import type { Refusal } from "./refused-messages.ts";
import { isAwaited, resume, suspend, type SuspensionContext } from "./suspension.ts";
import { type Destination, tokenKey } from "../../destination.ts";
import type { Decision } from "../../judge/judge.ts";

/** After these results the platform has accepted the token: it handled the message. */
const TOKEN_ACCEPTED_KINDS: readonly (SendErrorKind | undefined)[] = [
  undefined,
  "gone",
  "deleted",
  "content",
  "permanent",
];

/** After these failures the platform has found the destination: it refused the message. */
const DESTINATION_FOUND_KINDS: readonly SendErrorKind[] = ["content", "permanent"];

/** Stores the results of some attempts and decides what follows from each: sent, retried or dead-lettered. */
export async function recordResults(results: readonly DeliveryResult[], context: SuspensionContext) {
  const { tables, suspensions } = context;
  // Successes first: a failure may dead-letter other deliveries, and must not include these.
  const sent = results.filter(({ error }) => error === undefined);
  await recordSent(tables, sent);
  /** In the order of the results. */
  const outcomes: DeliveryOutcome[] = [];
  const decisions: Decision[] = [];
  /** For the operators. */
  const refusals: Refusal[] = [];
  for (const { claimed, error: thrown, at, ofFiles } of results) {
    const error = ofFiles === true ? asOfFiles(thrown, at - claimed.row.owed_at) : thrown;
    const { platform } = claimed.row;
    const refuse = (why: string, dead: boolean): void => {
      const { message } = claimed;
      const isRefusalNotice = message.type === "notice" && message.notice.about === "refused";
      // A person who gets no direct message about an export learns of its end by asking.
      if (claimed.row.shown !== null || isRefusalNotice || message.type === "export") return;
      const { destination } = claimed.row;
      refusals.push({ platform, destination, channel: claimed.destination.channel, why, dead });
    };
    if (error === undefined) {
      outcomes.push("sent");
      if (suspensions.get(claimed.row.destination) !== undefined) {
        const { destination } = claimed;
        decisions.push(...(await resume({ platform, destination, at, gone: 1 }, context)));
      }
      if (claimed.plain === true) refuse(claimed.row.last_error ?? "", false);
    } else {
      const failed = await recordFailure(claimed, error, at, context);
      outcomes.push(failed.outcome);
      decisions.push(...failed.decisions);
      if (failed.outcome === "dead") refuse(error.message, true);
      if (DESTINATION_FOUND_KINDS.includes(error.kind)) {
        const { destination } = claimed;
        decisions.push(...(await resume({ platform, destination, at }, context)));
      }
    }
    if (claimed.probe === true && TOKEN_ACCEPTED_KINDS.includes(error?.kind)) {
      const token = tokenScope(claimed.destination);
      const isLike = ({ probe, destination }: ClaimedDelivery): boolean =>
        probe === true && tokenKey(destination) === tokenKey(token);
      const gone = sent.filter((other) => isLike(other.claimed)).length;
      decisions.push(...(await resume({ ...token, at, gone }, context)));
    }
  }
  return { outcomes, decisions, refusals };
}

/**
 * A place that refuses files, or cannot be given any for a day, takes words all the same: an edit makes the message
 * plain text, which says so.
 */
function asOfFiles(error: SendError | undefined, owedFor: Milliseconds): SendError | undefined {
  if (error === undefined || error.kind === "refused" || error.kind === "deleted") return error;
  const isRefusal = error.kind === "gone" || error.kind === "permanent";
  return isRefusal || owedFor >= DEAD_LETTER_AFTER ? new SendError("content", error.message, { cause: error }) : error;
}

/** Failures of the message itself: no retry helps. */
function isHopeless(kind: SendErrorKind): kind is "permanent" | "unsendable" | "content" {
  return kind === "permanent" || kind === "unsendable" || kind === "content";
}

async function recordFailure(
  claimed: ClaimedDelivery,
  error: SendError,
  at: Milliseconds,
  context: SuspensionContext,
): Promise<{ readonly outcome: DeliveryOutcome; readonly decisions: readonly Decision[] }> {
  const { row: tried, destination } = claimed;
  const { tables, suspensions, newId, random } = context;
  // An edit that is made twice changes nothing.
  const uncertain_since =
    error.kind === "maybe-sent" && tried.shown === null
      ? (tried.uncertain_since ?? tried.attempted_at ?? at)
      : tried.uncertain_since;
  const row = { ...tried, uncertain_since, last_error: error.message };
  const about = { ...(row.episode === null ? {} : { episode: row.episode }), destination: row.destination };
  const decide = (what: string, detail: string): Decision => {
    return { what, ...about, delivery: row.id, detail: `attempt ${row.attempts}: ${detail}` };
  };
  const retired = suspensions.ofToken(row.destination)?.retired;
  if (retired !== undefined && row.created_at <= retired.at && !isEndNotice(row)) {
    // It was being sent while the others that need its token were dead-lettered.
    await deadLetter(tables, row, at, newId, UNREACHED);
    return { outcome: "dead", decisions: [decide("dead letter", error.message)] };
  }
  if (error.kind === "refused") {
    await recordOwed(tables, row, at);
    const waits = decide("token refused", `${error.message}; it waits until the token is accepted`);
    const refusal = { ...tokenScope(destination), error, at };
    return {
      outcome: "refused",
      decisions: [waits, ...(await suspend(refusal, context))],
    };
  }
  if (error.kind === "deleted") {
    await dropDeleted(tables, row, at, newId);
    return { outcome: "dropped", decisions: [decide("dropped", `${error.message}; nothing more is owed to it`)] };
  }
  if (error.kind === "gone") {
    const { outcome, decisions, next } = await recordGone(row, destination, error, at, context);
    const came =
      next === undefined
        ? decide("dead letter", error.message)
        : decide("try again", `${error.message}; it waits, next ${iso(next)}`);
    return { outcome, decisions: [came, ...decisions] };
  }
  const simpler = error.kind === "content" ? await simplify(tables, { ...claimed, row }, at, newId) : undefined;
  if (simpler !== undefined) {
    return { outcome: "plain", decisions: [decide("content refused", `${error.message}; ${simpler}`)] };
  }
  const { kind } = error;
  if (isHopeless(kind) || at - row.owed_at >= DEAD_LETTER_AFTER) {
    await deadLetter(tables, row, at, newId);
    return { outcome: "dead", decisions: [decide("dead letter", error.message)] };
  }
  const next = iso(await recordRetry(tables, row, error, at, random()));
  const what = kind === "maybe-sent" ? "outcome unknown" : "try again";
  return { outcome: kind, decisions: [decide(what, `${error.message}; next ${next}`)] };
}

/** Owes what was refused in a simpler form, and says in which; undefined where there is none. */
async function simplify(
  tables: AlertTables,
  { row, plain, outdated }: ClaimedDelivery,
  at: Milliseconds,
  newId: () => string,
): Promise<string | undefined> {
  if (plain === undefined) {
    await recordPlain(tables, row, at);
    return "sent once more as plain text";
  }
  if (row.shown === null || outdated === true) return undefined;
  await recordOutdated(tables, row, at, newId);
  return "it loses its buttons";
}

/**
 * A destination that cannot be reached: its deliveries wait for a day and are tried with growing pauses. Where
 * nobody is subscribed, only the end of an alert that was told there waits.
 */
async function recordGone(
  row: DeliveryRow,
  destination: Destination,
  error: SendError,
  at: Milliseconds,
  context: SuspensionContext,
) {
  const { tables, suspensions, newId } = context;
  const known = suspensions.get(row.destination);
  const target = { platform: row.platform, destination };
  const isOfTold = known !== undefined && isEndNotice(row) && at - row.owed_at < DEAD_LETTER_AFTER;
  const waits = isOfTold || (known !== undefined && known.retired === undefined) || (await isAwaited(target, context));
  if (!waits) {
    await deadLetter(tables, row, at, newId, UNREACHED);
    return { outcome: known === undefined ? ("dead" as const) : ("gone" as const), decisions: [], next: undefined };
  }
  await recordOwed(tables, row, at);
  const decisions = await suspend({ ...target, error, at }, context);
  return { outcome: "gone" as const, decisions, next: suspensions.get(row.destination)?.nextAt ?? at };
}

function iso(millis: Milliseconds): string {
  return new Date(millis).toISOString();
}
