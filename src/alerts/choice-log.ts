import { plainText } from "../reply/plain.ts";
import type { Milliseconds } from "../units/duration.ts";
import { silenceEnds, type Silence } from "./silence.ts";
import { silenceScopeWords, silenceTimeWords } from "./silence-words.ts";
import type { Subscription } from "./subscription.ts";
import { deliveryOptionWords, subscriptionWords } from "./subscription-words.ts";

/** What somebody did to a subscription, for the log; `before` where there was one. Pure and total. */
export function subscriptionLogLine(before: Subscription | undefined, after: Subscription, by: string): string {
  const now = fullSubscriptionWords(after);
  const was = before === undefined ? now : fullSubscriptionWords(before);
  const changed = was === now ? "" : `; before: ${was}`;
  return `${after.id} ${changeVerb(before, after)}, by ${by}: ${now}${changed}`;
}

/** The same of a silence: an end that has come already is what ended it. Pure and total. */
export function silenceLogLine(silence: Silence, by: string, at: Milliseconds): string {
  const what = plainText(silenceScopeWords(silence));
  if (silenceEnds(silence) <= at) return `${silence.id} ended, by ${by}: ${what}`;
  const reason = silence.reason === undefined ? "" : `; reason: ${silence.reason}`;
  return `${silence.id} made, by ${by}: ${what}, ${plainText(silenceTimeWords(silence, at))}${reason}`;
}

function changeVerb(before: Subscription | undefined, { state }: Subscription): string {
  if (before === undefined) return state === "active" ? "added" : `added as ${state}`;
  if (before.state === state) return "changed";
  return state === "active" ? "resumed" : state;
}

function fullSubscriptionWords(one: Subscription): string {
  const manner = plainText(deliveryOptionWords(one));
  return `${plainText(subscriptionWords(one))}${manner === "" ? "" : ` (${manner})`}`;
}
