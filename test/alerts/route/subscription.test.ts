import { expect, it } from "vitest";

import { KIND_GROUPS } from "../../../src/alerts/judge/kinds/kinds.ts";
import { Subscription } from "../../../src/alerts/route/subscription.ts";
import { aSubscription } from "../samples.ts";

it.each<[string, Pick<Subscription, "kinds" | "groups">, readonly string[]]>([
  ["a group", { kinds: ["network.stalled"], groups: ["ops"] }, KIND_GROUPS.ops],
  [
    "a group and another kind",
    { kinds: ["node.down", "snapshot.new"], groups: ["nodes"] },
    [...KIND_GROUPS.nodes, "snapshot.new"],
  ],
  ["single kinds", { kinds: ["node.down", "network.stalled"] }, ["node.down", "network.stalled"]],
])("a stored subscription to %s has the kinds that a later version added to it", (_name, stored, kinds) => {
  expect(new Set(Subscription.parse(aSubscription(stored)).kinds)).toEqual(new Set(kinds));
});
