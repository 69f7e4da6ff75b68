import { once } from "node:events";
import { connect } from "node:net";

import { expect, onTestFinished, test, vi } from "vitest";

import type { OpenAlert, WatchState } from "../../../../src/adapters/web/alerts/watch.ts";
import { type AlertRouteDependencies, alertRoutes } from "../../../../src/adapters/web/alerts/alerts.ts";
import { INITIAL_ALERTS, MAX_ALERT_STREAMS } from "../../../../src/adapters/web/limits.ts";
import type { AlertEvent } from "../../../../src/alerts/judge/kinds/event.ts";
import { type AlertFeed, createAlertFeed } from "../../../../src/alerts/service/feed.ts";
import { createChangeSignal } from "../../../../src/main/change-signal.ts";
import { type Reply, reply } from "../../../../src/reply/reply.ts";
import { stalled } from "../../../alerts/readings.ts";
import { aSubscription } from "../../../alerts/samples.ts";
import { Stage } from "../../../alerts/stage.ts";
import { FakeSender } from "../../../support/fake-sender.ts";
import { echoBot, type Harness, startConsole } from "../harness.ts";
import { type EventReader, readEvents } from "./event-reader.ts";
import { PLATFORMS } from "../../../support/platforms.ts";

const TOKEN = "a-token-of-more-than-sixteen";

/** A console whose alerts come from a stage; `changes` is the dispatcher's change signal. */
async function open(more: Parameters<typeof startConsole>[1] = {}) {
  const senders = (now: () => number) => [new FakeSender({ platform: "web", now })];
  const stage = await Stage.open({ senders, console: PLATFORMS.console });
  onTestFinished(() => stage.close());
  const changes = createChangeSignal();
  const begin = async (): Promise<Harness> => {
    const feed = createAlertFeed({ read: (work) => stage.store.read(work) }, PLATFORMS);
    const harness = await startConsole(echoBot(), { alerts: { feed, onChange: changes.onChange }, ...more });
    onTestFinished(() => harness.adapter.stop());
    return harness;
  };
  const kinds = ["network.stalled", "checkpoint.new"] as const;
  await stage.engine.putSubscriptions([aSubscription({ destination: PLATFORMS.console, kinds: [...kinds] })], "ada");
  const deliver = async (work: () => Promise<unknown>): Promise<void> => {
    await work();
    changes.notify();
  };
  return { stage, changes, begin, deliver };
}

async function listen(harness: Harness, headers?: Record<string, string>): Promise<EventReader> {
  const reader = await readEvents(harness.url, headers);
  onTestFinished(() => reader.close());
  return reader;
}

const tests = (stage: Stage, count: number) => async (): Promise<void> => {
  for (let number = 1; number <= count; number += 1) {
    const at = (BigInt(stage.now()) * 1_000_000n).toString();
    await stage.owe(PLATFORMS.console, { type: "test", by: `ada ${number}`, at });
    await stage.pass(10);
  }
};

const checkpoint = (block: number): AlertEvent => ({
  kind: "checkpoint.new",
  network: "mainnet",
  subject: "",
  key: `${block}/${block}`,
  at: "1717416000000000000",
  atBlock: String(block),
  hash: `h${block}`,
});

test("an alert and its end arrive, over a restart, without loss or duplicate", async () => {
  const { stage, begin, deliver } = await open();
  const harness = await begin();
  const reader = await listen(harness);
  expect(reader.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
  await deliver(async () => {
    await stage.rounds(2, [stalled("good")]);
    await stage.rounds(9, [stalled("bad")]);
  });
  await reader.until((one) => one.alerts().length === 1);
  const [fired] = reader.alerts();
  expect(fired).toMatchObject({
    kind: "network.stalled",
    network: "mainnet",
    subject: "",
    state: "firing",
    severity: "warning",
    episode: "network.stalled|mainnet||1",
    reply: { tone: "warning", actions: [{ label: "Acknowledge" }, { label: "Silence 1 h" }, { label: "Details" }] },
  });
  expect(fired?.at).toMatch(/^\d{19}$/u);
  expect(reader.frames.find(({ id }) => id !== undefined)?.id).toBe(fired?.id);

  await harness.adapter.stop();
  await reader.ended;
  await stage.restart();
  const next = await begin();
  await deliver(async () => {
    await stage.rounds(10, [stalled("good")]);
  });
  const again = await listen(next, { "Last-Event-ID": fired?.id ?? "" });
  await again.until((one) => one.alerts().length === 1);
  expect(again.alerts()).toMatchObject([{ state: "resolved", episode: fired?.episode, reply: { tone: "good" } }]);
  // A reader without a last id gets both.
  const fresh = await listen(next);
  await fresh.until((one) => one.alerts().length === 2);
  expect(fresh.alerts().map(({ state, id }) => [state, id])).toEqual([
    ["firing", fired?.id],
    ["resolved", again.alerts()[0]?.id],
  ]);
});

test("a reader learns of missed alerts that are no longer stored", async () => {
  const { stage, begin, deliver } = await open();
  await deliver(tests(stage, 3));
  const reader = await listen(await begin(), { "Last-Event-ID": "long-forgotten" });
  await reader.until((one) => one.alerts().length === 3);
  expect(reader.frames.map(({ event }) => event).filter((event) => event !== undefined)).toEqual(["gap"]);
});

test("a new reader gets the last ones, in order; one that comes back all that came since", async () => {
  const { stage, begin, deliver } = await open();
  await deliver(tests(stage, INITIAL_ALERTS + 20));
  const harness = await begin();
  const reader = await listen(harness);
  await reader.until((one) => one.alerts().length === INITIAL_ALERTS);
  const whom = (one: EventReader): (string | undefined)[] =>
    one.alerts().map(({ reply }) => /ada \d+/u.exec(JSON.stringify(reply))?.[0]);
  expect(whom(reader)).toEqual(Array.from({ length: INITIAL_ALERTS }, (_, index) => `ada ${index + 21}`));
  const [{ id } = { id: "" }] = reader.alerts();
  const back = await listen(harness, { "Last-Event-ID": id });
  await back.until((one) => one.alerts().length === INITIAL_ALERTS - 1);
  await deliver(tests(stage, 1));
  await back.until((one) => one.alerts().length === INITIAL_ALERTS);
  expect(new Set(back.alerts().map((alert) => alert.id)).size).toBe(INITIAL_ALERTS);
});

test("a new reader gets open alerts first, however old they are", async () => {
  const { stage, begin, deliver } = await open();
  await deliver(async () => {
    await stage.rounds(2, [stalled("good")]);
    await stage.rounds(9, [stalled("bad")]);
  });
  await deliver(tests(stage, INITIAL_ALERTS + 5));
  const harness = await begin();
  const reader = await listen(harness);
  await reader.until((one) => one.alerts().length === INITIAL_ALERTS + 1);
  const [first, second] = reader.alerts();
  expect(first).toMatchObject({ state: "firing", episode: "network.stalled|mainnet||1" });
  expect(second).toMatchObject({ kind: "bot" });
  // It does not move the reader's position.
  expect(reader.frames.some(({ id }) => id === first?.id)).toBe(false);
  const back = await listen(harness, { "Last-Event-ID": second?.id ?? "" });
  await back.until((one) => one.alerts().length === INITIAL_ALERTS - 1);
  expect(back.alerts().every(({ kind }) => kind === "bot")).toBe(true);
  await deliver(() => stage.rounds(10, [stalled("good")]));
  const later = await listen(harness);
  await later.until((one) => one.alerts().length === INITIAL_ALERTS);
  expect(later.alerts().map(({ state }) => state)).not.toContain("firing");
});

test("each alert can be had by itself, as other platforms show it, with its files", async () => {
  const render = vi.fn(() => ({ drawn: true }));
  const { stage, begin, deliver } = await open({ previews: [{ platform: "slack", name: "Slack", render }] });
  await deliver(async () => {
    await stage.round([], []);
    await stage.round(
      [],
      Array.from({ length: 12 }, (_, index) => checkpoint(index + 1)),
    );
    await stage.pass(10);
  });
  const harness = await begin();
  const reader = await listen(harness);
  await reader.until((one) => one.alerts().length === 1);
  const [digest] = reader.alerts();
  expect(digest).toMatchObject({ kind: "checkpoint.new", state: "digest", network: "mainnet" });
  expect(digest).not.toHaveProperty("episode");
  const href = digest?.reply.attachments[0]?.href ?? "";
  expect(href).toBe(`/api/alerts/${digest?.id}/files/0`);
  const file = await harness.send(href);
  expect(file.headers["content-disposition"]).toMatch(/^attachment; filename="mainnet-events.*\.csv"$/u);
  expect(file.body.trim().split("\n")).toHaveLength(13);
  const one = await harness.send(`/api/alerts/${digest?.id}`);
  expect(one.json()).toEqual({ ...digest, previews: { slack: { drawn: true } } });
  expect(render).toHaveBeenCalledWith(expect.anything(), "alert");
  for (const path of ["/api/alerts/unknown", "/api/alerts/unknown/files/0", `/api/alerts/${digest?.id}/files/1`]) {
    expect((await harness.send(path)).status).toBe(404);
  }
});

test("a message had by itself is shown as its edits left it: acknowledged, then over", async () => {
  const { stage, begin, deliver } = await open();
  await deliver(async () => {
    await stage.rounds(2, [stalled("good")]);
    await stage.rounds(9, [stalled("bad")]);
  });
  const harness = await begin();
  const reader = await listen(harness);
  await reader.until((one) => one.alerts().length === 1);
  const [{ id, episode } = { id: "" }] = reader.alerts();
  const shown = async () => {
    const { reply } = (await harness.send(`/api/alerts/${id}`)).json() as { reply: Reply };
    return [reply.tone, reply.actions.map(({ label }) => label)];
  };
  expect(await shown()).toEqual(["warning", ["Acknowledge", "Silence 1 h", "Details"]]);
  await stage.engine.acknowledge(episode ?? "", { name: "bob" });
  expect(await shown()).toEqual(["warning", ["Silence 1 h", "Details"]]);
  await stage.rounds(10, [stalled("good")]);
  expect(await shown()).toEqual(["good", ["Details"]]);
});

test("no stream without signing in, and a quiet stream sends heartbeats", async () => {
  const { begin } = await open({ token: TOKEN, streamTimeouts: { heartbeatMillis: 5, readMillis: 1000 } });
  const harness = await begin();
  expect((await listen(harness)).status).toBe(401);
  const reader = await listen(harness, { Authorization: `Bearer ${TOKEN}` });
  await reader.until(({ frames }) => frames.filter(({ comment }) => comment !== undefined).length >= 2);
  expect(reader.status).toBe(200);
});

test("streams are bounded, and a place is free again when one ends", async () => {
  const { begin } = await open();
  const harness = await begin();
  const readers = await Promise.all(Array.from({ length: MAX_ALERT_STREAMS }, () => listen(harness)));
  expect((await listen(harness)).status).toBe(503);
  readers[0]?.close();
  for (;;) {
    const next = await listen(harness);
    if (next.status === 200) break;
    await next.ended;
  }
});

const about = { kind: "bot", network: "", subject: "", state: "event", severity: "info", at: "0" } as const;
const long = reply({ title: "x".repeat(100_000) });
const endless: AlertFeed = {
  placeOf: async () => undefined,
  placeBefore: async () => ({ place: 0, at: 0 }),
  openEpisodes: async () => [],
  grownSince: async () => [],
  after: async (place) => ({
    alerts: [{ place: place + 1, at: 0, id: `d${place}`, about, noun: "bot", reply: long }],
    place: place + 1,
    more: true,
  }),
  get: async () => undefined,
};

test("a reader that reads nothing is disconnected", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let made = 0;
  const feed: AlertFeed = {
    ...endless,
    after: (place, most) => {
      made = place;
      return endless.after(place, most);
    },
  };
  const ended = vi.fn();
  const destroy = vi.fn();
  const routes = alertRoutes({
    alerts: { feed, onChange: () => ended },
    access: { isSignedIn: () => true },
    streamTimeouts: { heartbeatMillis: 1000, readMillis: 30_000 },
    stopping: new AbortController().signal,
  } as unknown as AlertRouteDependencies);
  const reader = (await routes.request("/alerts", {}, { outgoing: { destroy } })).body!.getReader();
  for (let round = 0; round < 5; round += 1) {
    await reader.read();
    await vi.advanceTimersByTimeAsync(29_000);
  }
  expect(ended).not.toHaveBeenCalled();
  const before = made;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(ended).toHaveBeenCalledOnce();
  expect(destroy).toHaveBeenCalledOnce();
  // Nothing is made without a reader.
  expect(made).toBe(before);
  // The chunk made already is there, and nothing follows it.
  await reader.read();
  expect(made).toBe(before);
});

test("a rolling message comes again under its id, and a reader that resumes does not miss it", async () => {
  const { stage, begin, deliver } = await open();
  const kinds = ["checkpoint.new"] as const;
  await stage.engine.putSubscriptions(
    [aSubscription({ destination: PLATFORMS.console, kinds: [...kinds], events: "rolling" })],
    "a",
  );
  const harness = await begin();
  const reader = await listen(harness);
  await deliver(async () => {
    await stage.round([], []);
    await stage.round([], [checkpoint(1)]);
    await stage.pass(10);
  });
  await reader.until((one) => one.alerts().length === 1);
  await deliver(tests(stage, 1));
  await reader.until((one) => one.alerts().length === 2);
  await deliver(async () => {
    await stage.round([], [checkpoint(2)]);
    await stage.pass(2000);
  });
  await reader.until((one) => one.alerts().length === 3);
  const [first, , grown] = reader.alerts();
  expect(grown).toMatchObject({ id: first?.id, state: "digest", kind: "checkpoint.new" });
  expect(JSON.stringify(grown?.reply)).toContain("2 checkpoints");
  expect(reader.frames.at(-1)).not.toHaveProperty("id");

  const back = await listen(harness, { "Last-Event-ID": first?.id ?? "" });
  await back.until((one) => one.alerts().length === 2);
  expect(back.alerts().map(({ id }) => id)).toEqual([reader.alerts()[1]?.id, first?.id]);
  await deliver(async () => {
    await stage.round([], [checkpoint(3)]);
    await stage.pass(2000);
  });
  await back.until((one) => one.alerts().length === 3);
  expect(JSON.stringify(back.alerts().at(-1)?.reply)).toContain("3 checkpoints");
});

test("a connection that reads nothing is closed, however much there is to send", async () => {
  const { promise: hungUp, resolve: hangUp } = Promise.withResolvers<void>();
  const harness = await startConsole(echoBot(), {
    alerts: { feed: endless, onChange: () => hangUp },
    streamTimeouts: { heartbeatMillis: 1000, readMillis: 50 },
  });
  onTestFinished(() => harness.adapter.stop());
  const socket = connect(harness.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /api/alerts HTTP/1.1\r\nHost: 127.0.0.1:${harness.port}\r\n\r\n`);
  socket.pause();
  // A stream to an active reader is endless; this one reads only after the server has disconnected it.
  await hungUp;
  socket.on("error", () => undefined).resume();
  await once(socket, "close");
  const next = await listen(harness);
  expect(next.status).toBe(200);
});

test("its previews offer Acknowledge for as long as somebody may, as its message on the platforms does", async () => {
  const render = vi.fn((given: Reply) =>
    given.actions.flatMap((one) => ("invocation" in one ? [one.invocation.command] : [])),
  );
  let standing: readonly Partial<OpenAlert>[] = [];
  const { stage, begin, deliver } = await open({
    previews: [{ platform: "slack", name: "Slack", render }],
    watch: async () => ({ networks: [], open: standing, silences: [] }) as unknown as WatchState,
  });
  await deliver(() => stage.rounds(10, [stalled("bad")]));
  const reader = await listen(await begin());
  await reader.until((one) => one.alerts().some(({ state }) => state === "firing"));
  const alert = reader.alerts().find(({ state }) => state === "firing")!;
  const harness = await begin();
  const offered = async (): Promise<boolean> => {
    const { previews } = (await harness.send(`/api/alerts/${alert.id}`)).json() as { previews: { slack: string[] } };
    return previews.slack.includes("alerts ack");
  };
  const episode = alert.episode ?? "";
  standing = [{ episode }];
  expect(await offered()).toBe(true);
  standing = [{ episode, acknowledged: { by: "ada", at: "1" } }];
  expect(await offered()).toBe(false);
  standing = [];
  expect(await offered()).toBe(false);
});
