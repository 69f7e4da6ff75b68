import { afterEach, expect, it } from "vitest";

import { watcherNames } from "../../../src/alerts/alerts-config.ts";
import { ApiError } from "../../../src/api/api-error.ts";
import { silentLog } from "../../../src/log.ts";
import { createDowntimeReporter, type DowntimeReporter } from "../../../src/main/alerting/open-alerting.ts";
import { Stage } from "../../alerts/stage.ts";
import { settled } from "../../api/virtual-clock.ts";

let stage: Stage;
afterEach(() => stage.close());

function reporterOf(store: Parameters<typeof createDowntimeReporter>[0]["store"] = stage.store): DowntimeReporter {
  return createDowntimeReporter({
    store,
    clock: stage.clock,
    config: stage.config,
    networks: ["mainnet"],
    always: [{ platform: "fake", channel: "ops" }],
    simulated: false,
    log: silentLog(),
    onOwed: () => stage.dispatcher.wake(),
  });
}

/** A stored observation of each of the watchers named; a failed one where the node failed. */
async function observe(reporter: DowntimeReporter, names: readonly string[], failure?: ApiError): Promise<void> {
  for (const name of names) {
    const watcher = { name, every: 5000 };
    await stage.engine.processObservation({
      network: "mainnet",
      watcher,
      snapshot: {},
      readings: [],
      events: [],
      at: stage.clock.wallClock(),
    });
    reporter.onObservation({ network: "mainnet", watcher, ...(failure === undefined ? {} : { failure }) });
  }
  await settled();
  await stage.clock.advance(0);
}

const all = () => watcherNames(stage.config).map(({ name }) => name);

it("reports a downtime once every watcher has observed its network, and only then", async () => {
  stage = await Stage.open();
  await observe(reporterOf(), all());
  await stage.restart(600_000);
  const reporter = reporterOf();
  await reporter.begin();
  await observe(reporter, all().slice(1));
  expect(stage.sender.take()).toEqual([]);
  await observe(reporter, all());
  expect(stage.sender.take()).toEqual(["away 610 s: "]);
  await observe(reporter, all());
  expect(stage.sender.take()).toEqual([]);
});

it("does not wait for ever for a watcher that observes nothing", async () => {
  stage = await Stage.open();
  await observe(reporterOf(), all());
  await stage.restart(600_000);
  const reporter = reporterOf();
  await reporter.begin();
  await observe(reporter, ["sources"]);
  await stage.clock.advance(121_000);
  expect(stage.sender.take()).toEqual([]);
  await observe(reporter, ["sources"]);
  expect(stage.sender.take()).toEqual(["away 610 s: mainnet unseen"]);
});

it("says nothing of events during the downtime before they are observed, and names what it could not observe after two minutes", async () => {
  const silent = new ApiError("unreachable", "a did not answer", { network: "mainnet", node: "a" });
  stage = await Stage.open();
  await observe(reporterOf(), all());
  await stage.restart(600_000);
  const reporter = reporterOf();
  await reporter.begin();
  await observe(reporter, all(), silent);
  await observe(reporter, all().slice(1));
  expect(stage.sender.take()).toEqual([]);
  await stage.clock.advance(121_000);
  await observe(reporter, ["sources"], silent);
  expect(stage.sender.take()).toEqual(["away 610 s: mainnet unseen"]);
});

it("tries again where the database fails, and never rejects", async () => {
  stage = await Stage.open();
  await observe(reporterOf(), all());
  await stage.restart(600_000);
  let failing = true;
  const { store } = stage;
  const reporter = reporterOf({
    transaction: (work) => (failing ? Promise.reject(new Error("no")) : store.transaction(work)),
  });
  await reporter.begin();
  failing = false;
  await reporter.begin();
  failing = true;
  await observe(reporter, all());
  expect(stage.sender.take()).toEqual([]);
  failing = false;
  await observe(reporter, ["sources"]);
  expect(stage.sender.take()).toEqual(["away 610 s: "]);
});
