import type { Clock } from "../../../api/clock.ts";
import { inTime, type Milliseconds } from "../../../units/time.ts";
import { nowMillis } from "../../dependencies.ts";
import { type Sender, SendError } from "../../sender.ts";
import type { Log } from "../../../log.ts";
import {
  isOfPlatform,
  isOfToken,
  isTryDue,
  nextTryAt,
  type Suspension,
  suspensionKey,
  tokenScope,
  type TokenScope,
} from "../../route/suspension.ts";
import { suspend, type SuspensionContext } from "./suspension.ts";
import type { Decision } from "../../judge/judge.ts";

/** A token to ask a platform about. */
export interface TokenQuestion {
  readonly sender: Sender;
  readonly token: TokenScope;
}

/** A platform's answer; no error if it accepts the token. */
export interface TokenAnswer {
  readonly token: TokenScope;
  readonly error?: unknown;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
}

const ANSWER_WITHIN: Milliseconds = 20_000;

/**
 * The tokens to ask about now: refused ones that are due, when a process begins all of them; on the round (`isRound`)
 * those of whole platforms, too, so that a revoked one is noticed before an alert is due.
 */
export function questionsDue(
  senders: readonly Sender[],
  at: Milliseconds,
  { isFirst, isRound }: { readonly isFirst: boolean; readonly isRound: boolean },
  { suspensions, random }: Pick<SuspensionContext, "suspensions" | "random">,
): readonly TokenQuestion[] {
  return senders.flatMap((sender) => {
    const refused = suspensions.tokensOf(sender.platform);
    const due = refused.filter((one) => isFirst || isTryDue(one, at));
    for (const one of due) suspensions.put({ ...one, nextAt: nextTryAt(one, at, random) });
    const isAsked = isRound && sender.checkToken !== undefined && !refused.some(isOfPlatform);
    const tokens = [...due.map(tokenScope), ...(isAsked ? [{ platform: sender.platform }] : [])];
    return tokens.map((token) => ({ sender, token }));
  });
}

/** Asks a platform whether it accepts a token. Never rejects. Aborting `leave` abandons it. */
export async function askToken(
  { sender, token }: TokenQuestion,
  clock: Clock,
  leave: AbortSignal,
): Promise<TokenAnswer> {
  const ended = new AbortController();
  const signal = AbortSignal.any([leave, ended.signal]);
  try {
    await inTime(
      Promise.resolve(sender.checkToken?.(signal, token.workspace)),
      { millis: ANSWER_WITHIN, clock },
      () => {
        throw new Error("no answer in time");
      },
    );
    return { token, at: nowMillis(clock) };
  } catch (error) {
    return { token, error, at: nowMillis(clock) };
  } finally {
    ended.abort(new DOMException("The platform has answered.", "AbortError"));
  }
}

/** Records the answers. A platform that accepts a token need not accept the messages that are sent with it: probes follow. */
export async function recordAnswers(
  answers: readonly TokenAnswer[],
  context: SuspensionContext,
): Promise<readonly Decision[]> {
  const { suspensions, random } = context;
  const decisions: Decision[] = [];
  for (const { token, error, at } of answers) {
    const known = suspensions.get(suspensionKey(token));
    if (error instanceof SendError && error.kind === "refused") {
      decisions.push(...(await suspend({ ...token, error, at }, context)));
    } else if (error === undefined && known !== undefined) {
      // Probes that prove nothing are followed by the next question soon, also where subscriptions have ended.
      suspensions.put({ ...known, accepted: true, nextAt: nextTryAt({ since: known.since }, at, random) });
    }
  }
  return decisions;
}

/** Logs the tokens that are refused by now, and those that are not any more. */
export function logTokens(log: Log, before: readonly Suspension[], after: readonly Suspension[]): void {
  const without = (some: readonly Suspension[], others: readonly Suspension[]): readonly Suspension[] => {
    const keys = new Set(others.map(suspensionKey));
    return some.filter((one) => isOfToken(one) && !keys.has(suspensionKey(one)));
  };
  for (const one of without(after, before)) log.error({ ...tokenScope(one), why: one.why }, "platform suspended");
  for (const one of without(before, after)) log.info({ ...tokenScope(one) }, "platform resumed");
}
