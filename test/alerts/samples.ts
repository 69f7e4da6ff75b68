import type { ConditionKind } from "../../src/alerts/judge/kinds/kinds.ts";
import type { Subscription } from "../../src/alerts/route/subscription.ts";
import type { Episode } from "../../src/alerts/judge/rules/episode.ts";
import { stalled } from "./readings.ts";

export function aSubscription(more: Partial<Subscription> = {}): Subscription {
  return {
    id: "sub1",
    destination: { platform: "fake", channel: "ops" },
    network: "mainnet",
    kinds: ["network.stalled"],
    subjects: [],
    parameters: {},
    floor: "info",
    style: "plain",
    events: "each",
    state: "active",
    created: 1_700_000_000_000,
    by: { id: "u1", name: "ada" },
    ...more,
  };
}

export function anEpisode(kind: ConditionKind, more: Partial<Episode> = {}): Episode {
  return {
    id: `${kind}|mainnet||1`,
    rule: kind,
    kind,
    network: "mainnet",
    subject: "",
    number: 1,
    state: "firing",
    severity: "warning",
    began: "1700000000000000000",
    detected: "1700000030000000000",
    first: stalled("bad"),
    last: stalled("bad"),
    ...more,
  };
}
