import { describe, expect, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import { bundlesWatcher } from "../../../src/watchers/subjects/bundles.ts";
import { ordersWatcher } from "../../../src/watchers/subjects/orders.ts";
import { stakesWatcher } from "../../../src/watchers/subjects/stakes.ts";
import { MAX_SUBJECTS_PER_POLL } from "../../../src/watchers/subjects/subjects.ts";
import { clientOf, node } from "../../api/client-under-test.ts";
import { sendJson } from "../../api/serve-wire.ts";
import { VirtualClock } from "../../api/virtual-clock.ts";
import { simulatedNetwork } from "../simulated-network.ts";
import { ManualObserver } from "../manual-observer.ts";
import { systemClock } from "../../../src/api/clock.ts";

describe("a watched order", () => {
  test("is announced once it is final, with its details, and not polled again", async () => {
    const { simulator, pass, watch, network, config } = await simulatedNetwork();
    const observer = watch(ordersWatcher({ network, config, clock: systemClock }));
    const { orders } = simulator.freshSamples(network);
    const [filled, open] = [orders["filled"]!, orders["for normal trading"]!];
    observer.subjects = { "order.final": [filled, open] };
    const events = [];
    for (let round = 0; round < 20; round += 1) {
      events.push(...(await observer.observe()).events);
      await pass(300);
    }
    expect(events).toMatchObject([
      { kind: "order.final", subject: filled, key: `${filled}/STATUS_FILLED`, status: "STATUS_FILLED", remaining: "0" },
    ]);
    const [event] = events;
    expect(
      event?.kind === "order.final" ? [event.label, event.size, event.price].every((one) => one !== undefined) : false,
    ).toBe(true);
  });

  test("is polled in each observation until it has ended, and not again", async () => {
    const order = { id: "o1", status: "STATUS_ACTIVE" };
    const served = await node((request, response) =>
      request.url?.includes("/order/") === true
        ? sendJson(response, { order })
        : sendJson(response, { markets: { edges: [], pageInfo: { hasNextPage: false } } }),
    );
    const clock = new VirtualClock();
    const watcher = ordersWatcher({ network: "mainnet", config: DEFAULT_ALERTS_CONFIG, clock: systemClock });
    const observer = new ManualObserver(watcher, clientOf([served], { clock }), () => clock.wallClock());
    observer.subjects = { "order.final": ["o1"] };
    const asked: number[] = [];
    const events: string[] = [];
    for (const status of ["ACTIVE", "ACTIVE", "PARKED", "FILLED", "FILLED", "FILLED"]) {
      order.status = `STATUS_${status}`;
      events.push(...(await observer.observe()).events.map(({ key }) => key));
      asked.push(served.asked.filter((path) => path.includes("/order/")).length);
      await clock.advance(60_000);
    }
    expect(asked).toEqual([0, 1, 2, 3, 3, 3]);
    expect(events).toEqual(["o1/STATUS_FILLED"]);
  });

  test("that is final already when it is first polled is announced, too", async () => {
    const { simulator, watch, network, config } = await simulatedNetwork();
    const observer = watch(ordersWatcher({ network, config, clock: systemClock }));
    const { rejectedOrderId } = simulator.samples[network];
    observer.subjects = { "order.final": [rejectedOrderId] };
    expect((await observer.observe()).events).toEqual([]);
    expect((await observer.observe()).events).toMatchObject([
      { subject: rejectedOrderId, status: "STATUS_REJECTED", reason: "ORDER_ERROR_MARGIN_CHECK_FAILED" },
    ]);
    expect((await observer.observe()).events).toEqual([]);
  });

  test("takes its turn where there are more than one observation may poll; one unknown to the node stops none", async () => {
    const asked = new Set<string>();
    const served = await node((request, response) => {
      const id = request.url?.split("/").at(-1) ?? "";
      if (!request.url?.includes("/order/"))
        return sendJson(response, { code: 5, message: "Not Found" }, { status: 404 });
      asked.add(id);
      if (id.endsWith("7")) {
        return sendJson(
          response,
          { code: 5, message: "x", details: [{ message: "order not found" }] },
          { status: 404 },
        );
      }
      return sendJson(response, { order: { id, status: "STATUS_ACTIVE" } });
    });
    const clock = new VirtualClock();
    const api = clientOf([served], { clock, limits: { requestsPerSecond: 10_000, burst: 10_000 } });
    const observer = new ManualObserver(
      ordersWatcher({ network: "mainnet", config: DEFAULT_ALERTS_CONFIG, clock: systemClock }),
      api,
      () => clock.wallClock(),
    );
    const ids = Array.from({ length: 250 }, (_, index) => `order${String(index).padStart(3, "0")}`);
    observer.subjects = { "order.final": ids };
    const counts: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      await observer.observe();
      counts.push(asked.size);
    }
    expect(counts).toEqual([0, MAX_SUBJECTS_PER_POLL, 2 * MAX_SUBJECTS_PER_POLL, 250]);
  });

  test("cannot be polled where no node answers; its known state stays", async () => {
    const { simulator, pass, watch, network, config } = await simulatedNetwork();
    const observer = watch(ordersWatcher({ network, config, clock: systemClock }));
    observer.subjects = { "order.final": [simulator.samples[network].rejectedOrderId] };
    await observer.observe();
    simulator.faults.set({ kind: "die" });
    await expect(observer.observe()).rejects.toThrow(/connection/u);
    simulator.faults.clear();
    await pass(60);
    expect((await observer.observe()).events).toHaveLength(1);
  });
});

test("watched stake: linking or unlinking is announced when the network accepts it, earlier linkings are not", async () => {
  const { simulator, api, pass, watch, network, config } = await simulatedNetwork();
  const observer = watch(stakesWatcher({ network, config, clock: systemClock }));
  const party = simulator.samples[network].partyId;
  observer.subjects = { "stake.changed": [party] };
  const events = [];
  for (let hour = 0; hour <= 50; hour += 1) {
    events.push(...(await observer.observe()).events);
    await pass(3600);
  }
  expect(events.map((event) => ("change" in event ? event.change : "")).toSorted()).toEqual(["linked", "unlinked"]);
  const { value } = await api.getPartiesStake(party);
  for (const event of events) {
    expect(event).toMatchObject({ subject: party, node: api.nodes[0]?.name });
    const txHash = event.kind === "stake.changed" ? event.txHash : "";
    const linking = value[0]?.stakeLinkings.find((one) => one.txHash === txHash);
    const raw = event.kind === "stake.changed" ? event.amount?.replaceAll(/[,.]/gu, "") : "";
    expect(linking?.amount?.toString().replace(/0+$/u, "")).toBe(raw?.replace(/0+$/u, ""));
  }
});

test("watched stake: once the network has accepted it, and once though a node forgets it for a while", async () => {
  type Linking = readonly [id: string, status: string, type?: string];
  let linkings: readonly Linking[] = [];
  const served = await node((_request, response) => {
    const stakeLinkings = linkings.map(([id, status, type = "TYPE_LINK"]) => ({
      id: id.repeat(64),
      type,
      status: `STATUS_${status}`,
      amount: "1000000000000000000",
    }));
    return sendJson(response, { partiesStake: [{ party: "p", currentStakeAvailable: "0", stakeLinkings }] });
  });
  const clock = new VirtualClock();
  const watcher = stakesWatcher({ network: "mainnet", config: DEFAULT_ALERTS_CONFIG, clock: systemClock });
  const observer = new ManualObserver(watcher, clientOf([served], { clock }), () => clock.wallClock());
  observer.subjects = { "stake.changed": ["p"] };
  const newEvents = async (now: readonly Linking[]): Promise<string[]> => {
    linkings = now;
    await clock.advance(60_000);
    const { events } = await observer.observe();
    return events.map((event) => (event.kind === "stake.changed" ? `${event.change} ${event.amount}` : event.kind));
  };
  const old = ["a", "ACCEPTED"] as const;
  expect(await newEvents([old])).toEqual([]);
  expect(await newEvents([old, ["b", "PENDING"], ["c", "REJECTED"]])).toEqual([]);
  expect(await newEvents([old, ["b", "ACCEPTED"]])).toEqual(["linked 1"]);
  // Another node may know less for a while.
  expect(await newEvents([])).toEqual([]);
  expect(await newEvents([old, ["b", "ACCEPTED"], ["d", "ACCEPTED", "TYPE_UNLINK"]])).toEqual(["unlinked 1"]);
});

describe("a watched bundle", () => {
  test("is announced once it is signed", async () => {
    const { simulator, api, pass, watch, network, config } = await simulatedNetwork();
    const isSigned = async (): Promise<boolean> => {
      const { value } = await api.getAssetLimitsBundle(simulator.freshSamples(network).proposalId, { fresh: true });
      return value.signatures !== undefined;
    };
    while (await isSigned()) await pass(120);
    const observer = watch(bundlesWatcher({ network, config, clock: systemClock }));
    const subject = `asset-limits:${simulator.freshSamples(network).proposalId}`;
    observer.subjects = { "bundle.signed": [subject] };
    const events = [];
    for (let minute = 0; minute < 15; minute += 1) {
      events.push((await observer.observe()).events);
      await pass(60);
    }
    expect(events.slice(0, 2).flat()).toEqual([]);
    expect(events.flat()).toMatchObject([{ kind: "bundle.signed", subject, key: subject, bundle: "asset-limits" }]);
  });

  test("of an asset that is signed already is announced at the next observation, one never signed is not", async () => {
    const { simulator, watch, network, config } = await simulatedNetwork();
    const { assetId, unsignedAssetId, marketProposalId } = simulator.samples[network];
    const observer = watch(bundlesWatcher({ network, config, clock: systemClock }));
    observer.subjects = {
      "bundle.signed": [assetId, `list-asset:${unsignedAssetId}`, `asset-limits:${marketProposalId}`],
    };
    expect((await observer.observe()).events).toEqual([]);
    expect((await observer.observe()).events).toMatchObject([{ subject: assetId, bundle: "list-asset" }]);
    expect((await observer.observe()).events).toEqual([]);
  });
});
