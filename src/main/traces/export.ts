import { isConditionKind } from "../../alerts/judge/kinds/kinds.ts";
import type { Subscription } from "../../alerts/route/subscription.ts";
import { isKindReplayed, type Replayed } from "../../alerts/trial/trial.ts";
import { type Look, lookToText } from "../../looks/look.ts";
import type { LookLine, SettingsLine, SubscriptionLine } from "./traces.ts";

/** Settings as they are kept. */
export function settingsLine({ at, run, seen }: Look): SettingsLine {
  return { settings: seen as SettingsLine["settings"], at: at.toString(), run };
}

/** What a subscription asks for, without whoever asked; undefined where no watcher of a trace finds it. */
export function subscriptionLine({ kinds, subjects, parameters, created }: Subscription): SubscriptionLine | undefined {
  const judged = kinds.filter((kind) => isConditionKind(kind)).filter((kind) => isKindReplayed(kind));
  if (judged.length === 0) return undefined;
  const own = judged.flatMap((kind) => (parameters[kind] === undefined ? [] : [[kind, parameters[kind]] as const]));
  return { subscription: { kinds: judged, subjects, parameters: Object.fromEntries(own), created } };
}

export function lookLine(watcher: Replayed, look: Look): LookLine {
  return { look: watcher, ...(JSON.parse(lookToText(look)) as Omit<LookLine, "look">) };
}
