import type { Tone } from "../reply/reply.ts";
import { strong, text, type Text } from "../reply/text.ts";
import type { AlertKind } from "./kinds.ts";
import type { Severity } from "./severity.ts";

/** `STATE_TRADING_TERMINATED` under `STATE` is `trading terminated`; whatever else a node sends stays as it is. */
export function enumWord(value: string, prefix: string): string {
  return value.startsWith(`${prefix}_`)
    ? value
        .slice(prefix.length + 1)
        .toLowerCase()
        .replaceAll("_", " ")
        .replaceAll(/\blp\b/gu, "LP")
    : value;
}

/** One colour for each severity. */
export const TONES: Readonly<Record<Severity, Tone>> = { info: "neutral", warning: "warning", critical: "bad" };

/** One word for each severity, and for what is over; drills and simulations say so first. */
export function markedTitle(
  word: string,
  title: Text,
  marks: { readonly simulated?: true | undefined; readonly drill?: true | undefined },
): Text {
  const simulated = marks.simulated === true ? text`${strong("SIMULATED")} · ` : [];
  const drill = marks.drill === true ? text`${strong("DRILL")} · ` : [];
  return text`${simulated}${drill}${strong(word)} · ${title}`;
}

/** Events of a kind, for counting: `12 checkpoints`. */
export function countOf(kind: AlertKind, count: number): string {
  const [one, many] = NOUNS[kind] ?? [kind, kind];
  return `${count} ${count === 1 ? one : many}`;
}

const NOUNS: Partial<Record<AlertKind, readonly [string, string]>> = {
  "checkpoint.new": ["checkpoint", "checkpoints"],
  "snapshot.new": ["snapshot", "snapshots"],
  "core.upgraded": ["protocol upgrade", "protocol upgrades"],
  "rotation.new": ["key rotation", "key rotations"],
  "market.state": ["change of a market", "changes of markets"],
  "node.version": ["change of a node's version", "changes of nodes' versions"],
  "history.reset": ["reset of a node's history", "resets of nodes' histories"],
  "order.final": ["closed order", "closed orders"],
  "stake.changed": ["change of stake", "changes of stake"],
  "bundle.signed": ["signed bundle", "signed bundles"],
};
