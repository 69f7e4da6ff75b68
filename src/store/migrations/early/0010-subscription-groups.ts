import { sql, type Kysely } from "kysely";

/** The groups of kinds as they were when a subscription stored only the kinds in them. */
const GROUPS: Readonly<Record<string, string>> = {
  ops: "network.stalled network.disagree network.time-back network.clock watch.blind node.lagging node.down checkpoint.overdue core.upgraded history.reset",
  network: "network.stalled network.disagree network.time-back network.clock watch.blind",
  nodes: "network.time-back node.lagging node.down node.version",
  checkpoints: "checkpoint.overdue checkpoint.new history.reset",
  markets: "market.auction market.bound market.state",
  conditions:
    "network.stalled network.disagree network.time-back network.clock watch.blind node.lagging node.down checkpoint.overdue market.auction market.bound",
  events: "checkpoint.new snapshot.new core.upgraded rotation.new market.state node.version history.reset",
  all: "network.stalled network.disagree network.time-back network.clock watch.blind node.lagging node.down checkpoint.overdue market.auction market.bound checkpoint.new snapshot.new core.upgraded rotation.new market.state node.version history.reset",
};

/** A subscription to exactly the kinds of a group is one to the group. */
export async function subscriptionGroups(db: Kysely<unknown>): Promise<void> {
  const groups = new Map(Object.entries(GROUPS).map(([group, kinds]) => [keyOf(kinds.split(" ")), group]));
  const { rows } = await sql<{ id: string; data: string }>`select id, data from alert_subscriptions`.execute(db);
  for (const { id, data } of rows) {
    const subscription = JSON.parse(data) as { readonly kinds: readonly string[] };
    const group = groups.get(keyOf(subscription.kinds));
    if (group === undefined) continue;
    const changed = JSON.stringify({ ...subscription, groups: [group] });
    await sql`update alert_subscriptions set data = ${changed} where id = ${id}`.execute(db);
  }
}

function keyOf(kinds: readonly string[]): string {
  return kinds.toSorted().join(" ");
}
