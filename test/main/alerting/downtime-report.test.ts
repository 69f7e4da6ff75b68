import { afterEach, expect, it } from "vitest";

import { watcherNames } from "../../../src/alerts/alerts-config.ts";
import { ApiError } from "../../../src/api/api-error.ts";
import { silentLog } from "../../../src/log.ts";
import { createDowntimeReporter, type DowntimeReporter } from "../../../src/main/alerting/downtime-report.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { Stage } from "../../alerts/stage.ts";
import { settled } from "../../api/virtual-clock.ts";

let stage: Stage;
afterEach(() => stage.close());

function absenceOf(store: Parameters<typeof createDowntimeReporter>[0]["store"] = stage.store): DowntimeReporter {
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

/** A look that is kept, of each of the watchers named; one that saw nothing where the node failed. */
async function look(absence: DowntimeReporter, names: readonly string[], failure?: ApiError): Promise<void> {
  for (const name of names) {
    const watcher = { name, every: 5000 };
    await stage.engine.record({
      network: "mainnet",
      watcher,
      snapshot: {},
      readings: [],
      events: [],
      at: stage.clock.wallClock(),
    });
    absence.onObservation({ network: "mainnet", watcher, ...(failure === undefined ? {} : { failure }) });
  }
  await settled();
  await stage.clock.advance(0);
}

const all = () => watcherNames(stage.config).map(({ name }) => name);

it("tells of an absence once every watcher has looked, and only then", async () => {
  stage = await Stage.open();
  await look(absenceOf(), all());
  await stage.restart(600_000);
  const absence = absenceOf();
  await absence.begin();
  await look(absence, all().slice(1));
  expect(stage.sender.take()).toEqual([]);
  await look(absence, all());
  expect(stage.sender.take()).toEqual([expect.stringContaining("The bot was away for 10 min 10 s")]);
  await look(absence, all());
  expect(stage.sender.take()).toEqual([]);
});

it("does not wait for ever for a watcher that does not look", async () => {
  stage = await Stage.open();
  await look(absenceOf(), all());
  await stage.restart(600_000);
  const absence = absenceOf();
  await absence.begin();
  await look(absence, ["sources"]);
  await stage.clock.advance(121_000);
  expect(stage.sender.take()).toEqual([]);
  await look(absence, ["sources"]);
  expect(stage.sender.take()).toEqual([expect.stringContaining("The bot was away")]);
});

it("says nothing of what happened meanwhile before it could be looked at, and what it could not see after two minutes", async () => {
  const silent = new ApiError("unreachable", "a did not answer", { network: "mainnet", node: "a" });
  stage = await Stage.open();
  await look(absenceOf(), all());
  await stage.restart(600_000);
  const absence = absenceOf();
  await absence.begin();
  await look(absence, all(), silent);
  await look(absence, all().slice(1));
  expect(stage.sender.take()).toEqual([]);
  await stage.clock.advance(121_000);
  await look(absence, ["sources"], silent);
  const [block] = stage.sender.posts.at(-1)?.reply.blocks ?? [];
  expect(block?.kind === "paragraph" ? plainText(block.text) : "").toContain(
    "What happened meanwhile is not known yet; not all of mainnet could be looked at",
  );
});

it("tries again where the database fails, and never rejects", async () => {
  stage = await Stage.open();
  await look(absenceOf(), all());
  await stage.restart(600_000);
  let failing = true;
  const { store } = stage;
  const absence = absenceOf({
    transaction: (work) => (failing ? Promise.reject(new Error("no")) : store.transaction(work)),
  });
  await absence.begin();
  failing = false;
  await absence.begin();
  failing = true;
  await look(absence, all());
  expect(stage.sender.take()).toEqual([]);
  failing = false;
  await look(absence, ["sources"]);
  expect(stage.sender.take()).toEqual([expect.stringContaining("The bot was away")]);
});
