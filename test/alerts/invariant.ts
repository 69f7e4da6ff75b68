import * as fc from "fast-check";
import { expect } from "vitest";

import type { Story } from "../../src/alerts/alert-engine.ts";
import { SendError } from "../../src/alerts/sender.ts";
import { plainText } from "../../src/reply/plain.ts";
import { FakeSender, type Fate, type Post } from "../support/fake-sender.ts";
import { blind, price, stalled } from "./readings.ts";
import { aSubscription } from "./samples.ts";
import { Stage } from "./stage.ts";

// A small world in which everything may go wrong at any time, and one law: per episode and destination at most one
// trigger, and exactly one unless a logged decision kept it back; one resolve if and only if its trigger was, or may
// have been, sent; at most one escalation between them.

const FAULTS = ["retry", "wait", "posted-unknown", "lost-unknown", "unhealable", "hang", "posted-hang"] as const;
type Fault = (typeof FAULTS)[number];

const look = fc.record({
  do: fc.constant("look" as const),
  times: fc.integer({ min: 1, max: 8 }),
  state: fc.constantFrom("good" as const, "bad" as const, "bad" as const, "unknown" as const),
  blind: fc.constantFrom(false, false, false, false, true),
  price: fc.constantFrom("50", "50", "150"),
});
const move = fc.oneof(
  { weight: 12, arbitrary: look },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("restart" as const), away: fc.constantFrom(0, 1000, 40_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("silence" as const), millis: fc.constantFrom(10_000, 90_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("acknowledge" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("vanish" as const), times: fc.integer({ min: 1, max: 14 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const), times: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("fail" as const),
      sender: fc.constantFrom(0, 1),
      faults: fc.array(fc.constantFrom<Fault>(...FAULTS), { minLength: 1, maxLength: 4 }),
    }),
  },
);
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;

const config = JSON.stringify({
  stalled: { for: "10s", criticalFor: "30s" },
  blind: { rounds: 2 },
  keep: { rounds: 2, for: "5s" },
  flap: { episodes: 4, within: "5m" },
  remind: { every: "20s", times: 2 },
});

function fateOf(fault: Fault): Fate {
  switch (fault) {
    case "retry":
      return new SendError("retry", "503");
    case "wait":
      return new SendError("retry", "429", { retryAfterMillis: 15_000 });
    case "unhealable":
      return new SendError("unhealable", "400");
    case "posted-unknown":
    case "lost-unknown":
    case "hang":
    case "posted-hang":
      return fault;
  }
}

/** The network, the platforms and the people, as a script has them behave. */
class World {
  readonly stage: Stage;
  /** Deliveries of which one try had an unknown outcome. */
  readonly unknown = new Set<string>();
  /** Laws that a single round has broken. */
  readonly broken: string[] = [];
  paused = false;
  #fresh = true;
  #silences = 0;

  constructor(stage: Stage) {
    this.stage = stage;
  }

  /** `portion`: how much of what is owed is spread at once. */
  static async create(portion: number): Promise<World> {
    const senders = (now: () => number): FakeSender[] => [
      new FakeSender({ platform: "drops", now, dropsRepeatsForMillis: 60_000 }),
      new FakeSender({ platform: "repeats", now }),
    ];
    const world = new World(await Stage.open({ config, senders, portion }));
    for (const { platform } of world.stage.senders) await world.subscribe(platform, "active");
    return world;
  }

  async subscribe(platform: string, state: "active" | "paused"): Promise<void> {
    const subscription = aSubscription({
      id: platform,
      destination: { platform, channel: "ops" },
      kinds: ["network.stalled", "watch.blind", "market.price"],
      parameters: { "market.price": { high: "100" } },
      style: platform === "drops" ? "live" : "plain",
      state,
    });
    await this.stage.engine.putSubscription(subscription, "ada");
  }

  async play(one: Move): Promise<void> {
    switch (one.do) {
      case "look":
        for (let time = 0; time < one.times; time += 1) await this.look(one);
        return;
      case "restart":
        await this.stage.restart(one.away);
        this.#fresh = true;
        return;
      case "silence": {
        const from = this.stage.now();
        const id = `s${(this.#silences += 1)}`;
        const silence = { id, scope: {}, from, until: from + one.millis, by: "ada", created: from };
        await this.stage.engine.putSilence(silence, "ada");
        return;
      }
      case "vanish":
        // The market is not spoken of; a few looks later it may be there again.
        for (let time = 0; time < one.times; time += 1) await this.look({ state: "good", blind: false });
        return;
      case "acknowledge":
        for (const { id } of await this.stage.engine.openEpisodes()) await this.stage.engine.acknowledge(id, "bob");
        return;
      case "pause":
        this.paused = true;
        await this.subscribe("repeats", "paused");
        for (let time = 0; time < one.times; time += 1) await this.look({ state: "bad", blind: false, price: "50" });
        await this.subscribe("repeats", "active");
        return;
      case "fail":
        this.#fail(this.stage.senders[one.sender]!, one.faults);
        return;
    }
  }

  /** One round 5 s later, by whose changes the laws of every round are checked. */
  async look(seen: { state: "good" | "bad" | "unknown"; blind: boolean; price?: string }): Promise<void> {
    await this.stage.pass(5000);
    const { changes } = await this.stage.round([
      blind(seen.blind ? "bad" : "good"),
      stalled(seen.state),
      ...(seen.price === undefined ? [] : [price(seen.price)]),
    ]);
    for (const { rule, change } of changes) {
      if (seen.blind && rule !== "watch.blind") this.broken.push(`${rule} ${change} while blind`);
      if (this.#fresh && ["fired", "resolved", "gone"].includes(change))
        this.broken.push(`${rule} ${change} by a first look`);
    }
    this.#fresh = false;
  }

  /** Everything is well again for so long that nothing can be left to say. */
  async settle(): Promise<void> {
    for (const sender of this.stage.senders) sender.fate = () => "ok";
    for (let time = 0; time < 8; time += 1) await this.look({ state: "good", blind: false, price: "50" });
    for (let time = 0; time < 12; time += 1) await this.stage.pass(60_000);
  }

  #fail(sender: FakeSender, faults: readonly Fault[]): void {
    const left = [...faults];
    sender.fate = (what) => {
      const fault = left.shift();
      if (fault === undefined) return "ok";
      if ("id" in what && /hang$|unknown$/u.test(fault)) this.unknown.add(what.id);
      return fateOf(fault);
    };
  }
}

const kindOf = (title: string): string =>
  /^(?:NOW|STILL|FIRED AND (?:RESOLVED|GONE)|[A-Z]+)/u.exec(title)?.[0] ?? title;
const TRIGGERS = ["WARNING", "CRITICAL", "FIRED AND RESOLVED", "FIRED AND GONE"];
const RESOLVES = ["RESOLVED", "GONE", "FIRED AND RESOLVED", "FIRED AND GONE"];

function isMarked({ reply }: Post): boolean {
  return reply.blocks.some((block) => block.kind === "paragraph" && plainText(block.text).includes("may be a repeat"));
}

/** Which laws the story of one episode breaks on one platform. */
function faultsOf(world: World, sender: FakeSender, story: Story): string[] {
  const posts = sender.posts.filter(({ delivery }) => delivery.about?.episode === story.episode.id);
  const told = [...new Map(posts.map((post) => [post.delivery.id, kindOf(post.title)])).values()];
  const count = (kinds: readonly string[]): number => told.filter((kind) => kinds.includes(kind)).length;
  const rows = story.deliveries.filter(({ platform, kind }) => platform === sender.platform && kind === "message");
  const triggers = rows.filter(({ phase }) => TRIGGER_PHASES.includes(phase));
  const resolves = rows.filter(({ phase }) => phase === "resolve");
  const [trigger] = triggers;
  const here = story.decisions.filter(({ destination }) => destination?.startsWith(sender.platform));
  const explained = world.paused || here.some(({ what }) => /suppressed|never told/u.test(what));
  const arrived = count(TRIGGERS) === 1;
  const maybe =
    arrived || (trigger !== undefined && (world.unknown.has(trigger.id) || trigger.uncertain_since !== null));
  const refused = resolves.some(({ state }) => state === "dead");
  // In order, each under its own number.
  const ids = [...new Set(posts.map(({ delivery }) => delivery.id))];
  const seqs = ids.map((id) => rows.find((row) => row.id === id)?.seq ?? 0);

  const laws: [string, boolean][] = [
    ["at most one trigger", triggers.length <= 1 && count(TRIGGERS) <= 1],
    ["at most one resolve", resolves.length <= 1 && count(RESOLVES) <= 1],
    ["at most one escalation", count(["NOW"]) <= 1],
    ["a trigger, or a reason in the log", trigger !== undefined || explained],
    ["no resolve without a trigger", trigger !== undefined || resolves.length === 0],
    ["a resolve of what may have been told", !maybe || (resolves.length === 1 && (count(RESOLVES) === 1 || refused))],
    ["no resolve of what was certainly not told", maybe || count(RESOLVES) === 0],
    ["a trigger that did not arrive was given up", maybe || trigger === undefined || trigger.state === "dead"],
    ["order", seqs.every((seq, index) => index === 0 || seq > (seqs[index - 1] ?? 0))],
  ];
  const where = `${sender.platform} ${story.episode.id}: ${told.join(", ")}`;
  return laws.filter(([, holds]) => !holds).map(([law]) => `${law} (${where})`);
}
const TRIGGER_PHASES = ["trigger", "fired and resolved"];

/** Nothing comes twice without saying so, nor says so without a reason. */
function repeatFaults(world: World, sender: FakeSender): string[] {
  return [...Map.groupBy(sender.posts, ({ delivery }) => delivery.id)].flatMap(([id, [first, ...repeats]]) => [
    ...repeats.filter((post) => !isMarked(post)).map(({ title }) => `unmarked repeat: ${title}`),
    ...(first !== undefined && isMarked(first) && !world.unknown.has(id)
      ? [`marked for no reason: ${first.title}`]
      : []),
  ]);
}

/** Plays so many random scripts and holds each to the laws. Rejects with the first script that breaks one. */
export async function holdInvariant(runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { minLength: 3, maxLength: 25 }),
      fc.constantFrom(1, 250),
      async (script, portion) => {
        const world = await World.create(portion);
        try {
          for (const one of script) await world.play(one);
          await world.settle();
          const { engine, store, senders } = world.stage;
          expect(await engine.openEpisodes()).toEqual([]);
          expect(await store.transaction(({ alerts }) => alerts.outbox.depth())).toEqual([]);
          const episodes = await engine.lastEpisodes(1000);
          const stories = await Promise.all(episodes.map(({ id }) => engine.why(id)));
          const faults = senders.flatMap((sender) => [
            ...stories.flatMap((story) => faultsOf(world, sender, story!)),
            ...repeatFaults(world, sender),
          ]);
          expect([...world.broken, ...faults]).toEqual([]);
        } finally {
          await world.stage.close();
        }
      },
    ),
    { numRuns: runs },
  );
}
