import { expect, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import type { AlertEvent } from "../../../src/alerts/judge/kinds/event.ts";
import { nanoseconds } from "../../../src/units/time.ts";
import { checkpointsWatcher, rotationsWatcher, snapshotsWatcher } from "../../../src/watchers/history/lists.ts";
import { everyRow } from "../../support/every-row.ts";
import { simulatedNetwork } from "../simulated-network.ts";

const ofKind = <K extends AlertEvent["kind"]>(events: readonly AlertEvent[], kind: K) =>
  events.filter((event): event is Extract<AlertEvent, { kind: K }> => event.kind === kind);

test("checkpoints: those of eight hours away are announced completely and in order, by whichever node is left", async () => {
  const { simulator, api, pass, watch, network, config } = await simulatedNetwork();
  const observer = watch(checkpointsWatcher({ network, nodes: 3, config }));
  await observer.observe();
  const from = (await api.getCheckpoints({ first: 1 })).value.rows[0]?.node.atBlock ?? 0n;
  simulator.faults.set({ kind: "die", node: 1 });
  await pass(8 * 3600);
  const { events, readings } = await observer.observe();
  const rows = await everyRow((request) => api.getCheckpoints(request), { maxRows: 20_000, newestFirst: false });
  const there = rows.filter(({ atBlock = 0n }) => atBlock > from);
  expect(events.length).toBeGreaterThan(500);
  expect(ofKind(events, "checkpoint.new").map(({ atBlock, hash }) => `${atBlock}/${hash}`)).toEqual(
    there.map(({ atBlock, hash }) => `${atBlock}/${hash}`),
  );
  expect(new Set(events.map(({ key }) => key)).size).toBe(events.length);
  expect(events[0]?.node).toBe(api.nodes[1]?.name);
  expect(readings).toMatchObject([{ kind: "checkpoint.overdue", state: "good" }]);
  const [overdue] = readings;
  expect(overdue?.kind === "checkpoint.overdue" ? overdue.facts.usualMillis : 0).toBeGreaterThan(55_000);
  expect(overdue?.kind === "checkpoint.overdue" ? overdue.facts.sinceMillis : 1e9).toBeLessThan(120_000);
  simulator.faults.clear();
  await pass(65);
  const back = await observer.observe();
  expect(back.events.length).toBeGreaterThan(0);
  expect(back.events[0]?.node).toBe(api.nodes[0]?.name);
});

test.each([1, 3])(
  "every list at %i nodes: a reset is one plain event each, and later rows are announced",
  async (nodes) => {
    const { simulator, pass, watch, network, config } = await simulatedNetwork({ nodesPerNetwork: nodes });
    const lists = [
      watch(checkpointsWatcher({ network, nodes, config })),
      watch(snapshotsWatcher({ network, nodes, config })),
      watch(rotationsWatcher({ network, config })),
    ];
    const observe = async (): Promise<AlertEvent[]> =>
      (await Promise.all(lists.map((one) => one.observe()))).flatMap((found) => [...found.events]);
    await observe();
    simulator.faults.set({ kind: "history-reset" });
    // There are no rows yet, so that nothing follows.
    expect(await observe()).toEqual([]);
    await pass(12 * 3600);
    const resets = ofKind(await observe(), "history.reset");
    expect(resets.map(({ what }) => what)).toEqual(["checkpoints", "snapshots", "rotations"]);
    for (const { lastSeen, newest } of resets) expect(BigInt(newest ?? "0")).toBeLessThan(BigInt(lastSeen));
    expect(await observe()).toEqual([]);
    await pass(3600);
    const kinds = new Set((await observe()).map(({ kind }) => kind));
    expect(kinds).toContain("checkpoint.new");
    expect(kinds).toContain("snapshot.new");
    expect(kinds).not.toContain("history.reset");
  },
);

test("snapshots: each is announced, and behind the first of another core version the upgrade, once", async () => {
  const { simulator, pass, watch, network, config } = await simulatedNetwork();
  const observer = watch(snapshotsWatcher({ network, nodes: 1, config }));
  await observer.observe();
  await pass(1800);
  const before = (await observer.observe()).events;
  expect(before.length).toBeGreaterThan(2);
  const running = ofKind(before, "snapshot.new").at(-1)?.coreVersion;
  simulator.faults.set({ kind: "upgrade", forSeconds: 120, version: "v0.74.9" });
  await pass(1800);
  const { events } = await observer.observe();
  const [upgrade, ...more] = ofKind(events, "core.upgraded");
  expect(upgrade).toMatchObject({ from: running, to: "v0.74.9" });
  expect(more).toEqual([]);
  const first = ofKind(events, "snapshot.new").find(({ coreVersion }) => coreVersion === "v0.74.9");
  expect(upgrade?.blockHeight).toBe(first?.blockHeight);
  await pass(1800);
  expect(ofKind((await observer.observe()).events, "core.upgraded")).toEqual([]);
});

test.each<[string, [version?: string][], string, string[]]>([
  ["one that names none says nothing", [[], []], "v1", ["10", "20"]],
  ["one that names none hides no upgrade", [[], ["v2"]], "v2", ["10", "20", "v1 > v2 at 20"]],
  ["each of two upgrades, behind its first", [["v2"], ["v3"]], "v3", ["10", "v1 > v2 at 10", "20", "v2 > v3 at 20"]],
  ["after a reset nothing is new but the version", [], "v2", ["v1 > v2 at ?"]],
])("snapshots and versions: %s", (_name, versions, coreVersion, expected) => {
  const watcher = snapshotsWatcher({ network: "mainnet", nodes: 1, config: DEFAULT_ALERTS_CONFIG });
  const history = { recent: [], node: "a:1", receivedAt: "1", behind: false };
  const fresh = versions.map(([version], index) => ({
    key: `${10 * (index + 1)}/h`,
    node: "a:1",
    blockHeight: String(10 * (index + 1)),
    ...(version === undefined ? {} : { coreVersion: version }),
  }));
  const before = watcher.snapshot.parse({ history, fresh: [], coreVersion: "v1" });
  const after = watcher.snapshot.parse({ history, fresh, coreVersion });
  const events = watcher.judge(before, after, nanoseconds(2n)).events.map((event) => {
    if (event.kind === "snapshot.new") return event.blockHeight;
    return event.kind === "core.upgraded" ? `${event.from} > ${event.to} at ${event.blockHeight ?? "?"}` : event.kind;
  });
  expect(events).toEqual(expected);
});

test("rotations: each names its validator, and its subject is the validator's id", async () => {
  const { api, pass, watch, network, config } = await simulatedNetwork();
  const observer = watch(rotationsWatcher({ network, config }));
  await observer.observe();
  await pass(36 * 3600);
  const found = ofKind((await observer.observe()).events, "rotation.new");
  const { value } = await api.getKeyRotations({ first: found.length });
  const names = new Map((await api.getNodeNames()).map(({ id, name }) => [id, name]));
  expect(found.length).toBeGreaterThanOrEqual(4);
  expect(found).toEqual(
    value.rows.toReversed().map(({ node: { nodeId = "", oldAddress, newAddress, blockHeight } }) =>
      expect.objectContaining({
        subject: nodeId,
        nodeId,
        nodeName: names.get(nodeId),
        oldAddress,
        newAddress,
        blockHeight: String(blockHeight),
      }),
    ),
  );
  expect((await observer.observe()).events).toEqual([]);
});
