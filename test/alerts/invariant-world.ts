import * as fc from "fast-check";

import type { QuietHours } from "../../src/alerts/route/quiet-hours.ts";
import { SendError } from "../../src/alerts/sender.ts";
import { FakeSender, type SendOutcome } from "../support/fake-sender.ts";
import { GuardedSender } from "../support/guarded-sender.ts";
import { blind, down, price, stalled } from "./readings.ts";
import { aSubscription } from "./samples.ts";
import { Stage } from "./stage.ts";

const FAULTS = [
  "retry",
  "wait",
  "posted-unknown",
  "lost-unknown",
  "permanent",
  "content",
  "hang",
  "posted-hang",
] as const;
type Fault = (typeof FAULTS)[number];

const observe = fc.record({
  do: fc.constant("observe" as const),
  times: fc.integer({ min: 1, max: 8 }),
  state: fc.constantFrom("good" as const, "bad" as const, "bad" as const, "unknown" as const),
  blind: fc.constantFrom(false, false, false, false, true),
  price: fc.constantFrom("50", "50", "150"),
  // How many markets have that price; the others are where they should be.
  markets: fc.constantFrom(1, 1, 1, 3),
  // A node is down: during a stall that is part of its story.
  down: fc.constantFrom(false, false, true),
});
const channel = fc.constantFrom(0, 1);

/** Anything that may happen. */
export const move = fc.oneof(
  { weight: 12, arbitrary: observe },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("restart" as const), away: fc.constantFrom(0, 1000, 40_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("silence" as const), millis: fc.constantFrom(10_000, 90_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("acknowledge" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("vanish" as const), times: fc.integer({ min: 1, max: 14 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const), times: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("quiet" as const), channel, minutes: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("lose" as const),
      channel,
      state: fc.constantFrom("good" as const, "bad" as const),
      times: fc.integer({ min: 1, max: 8 }),
      // It lasts for more than a day, so that its subscriptions end.
      days: fc.constantFrom(false, false, false, true),
      // Somebody lets the bot in again and resumes the alert, or nobody does.
      back: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("refuse" as const),
      channel,
      state: fc.constantFrom("good" as const, "bad" as const),
      times: fc.integer({ min: 1, max: 16 }),
      // The bot was removed, or its token is refused; and it is accepted again, or not until the end.
      revoked: fc.boolean(),
      back: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("fail" as const),
      channel,
      faults: fc.array(fc.constantFrom<Fault>(...FAULTS), { minLength: 1, maxLength: 4 }),
    }),
  },
);
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;

const config = JSON.stringify({
  stalled: { for: "10s", criticalFor: "30s" },
  blind: { rounds: 2 },
  down: { rounds: 1 },
  keep: { rounds: 2, for: "5s" },
  flap: { episodes: 2, within: "4m" },
  remind: { every: "20s", times: 2 },
});
const MINUTE = 60_000;
const MARKETS = ["m1", "m2", "m3"];
const DUE_OBSERVATIONS = 4;

function outcomeOf(fault: Fault): SendOutcome {
  switch (fault) {
    case "retry":
      return new SendError("retry", "503");
    case "wait":
      return new SendError("retry", "429", { retryAfterMillis: 15_000 });
    case "permanent":
      return new SendError("permanent", "400");
    case "content":
      return new SendError("content", "invalid_blocks");
    case "posted-unknown":
    case "lost-unknown":
    case "hang":
    case "posted-hang":
      return fault;
  }
}

/** The network, the platforms and the people as a script directs them, and a record for the laws. */
export class World {
  readonly stage: Stage;
  /** Two channels subscribed to everything, each on its own platform: one drops repeats, the other does not. */
  readonly channels: readonly GuardedSender[];
  readonly operators: FakeSender;
  /** Deliveries with an attempt of unknown outcome. */
  readonly unknown = new Set<string>();
  /** Laws that a single round has broken. */
  readonly broken: string[] = [];
  /** By platform: episodes that were open while somebody there was subscribed. */
  readonly notifiable = new Map<string, Set<string>>();
  /** By platform: episodes that nothing but flapping has suppressed there for some observations in a row. */
  readonly due = new Map<string, Set<string>>();
  /** Quiet hours by platform: after the first moment and before the second. */
  readonly quietTimes: { readonly platform: string; readonly after: number; before: number }[] = [];
  /** How often a subscription was found ended because its channel or its platform was suspended for too long. */
  ended = 0;
  readonly #quiet = new Map<string, QuietHours>();
  readonly #silences: { readonly from: number; readonly until: number }[] = [];
  /** For how many observations in a row an episode was due, by platform and episode. */
  #clear = new Map<string, number>();
  #fresh = true;

  private constructor(stage: Stage, channels: readonly GuardedSender[], operators: FakeSender) {
    this.stage = stage;
    this.channels = channels;
    this.operators = operators;
  }

  /** `chunkRows`: how many rows of a batch are fanned out at once. */
  static async create(chunkRows: number): Promise<World> {
    const channels: GuardedSender[] = [];
    const operatorSenders: FakeSender[] = [];
    const senders = (now: () => number): FakeSender[] => {
      channels.push(new GuardedSender({ platform: "drops", now, dropsRepeatsForMillis: 60_000 }));
      channels.push(new GuardedSender({ platform: "repeats", now }));
      operatorSenders.push(new FakeSender({ platform: "operators", now }));
      return [...channels, ...operatorSenders];
    };
    const operators = { platform: "operators", channel: "ops" };
    const world = new World(await Stage.open({ config, senders, chunkRows, operators }), channels, operatorSenders[0]!);
    for (const { platform } of world.channels) await world.#subscribe(platform, "active");
    return world;
  }

  async play(one: Move): Promise<void> {
    switch (one.do) {
      case "observe":
        for (let time = 0; time < one.times; time += 1) await this.#observe(one);
        return;
      case "restart":
        await this.stage.restart(one.away);
        this.#fresh = true;
        return;
      case "silence": {
        const from = this.stage.now();
        const until = from + one.millis;
        const id = `s${this.#silences.push({ from, until })}`;
        const silence = { id, scope: {}, from, until, by: "ada", created: from };
        await this.stage.engine.putSilence(silence, "ada");
        return;
      }
      case "vanish":
        // The market has no reading; a few observations later it may be there again.
        for (let time = 0; time < one.times; time += 1) await this.#observe({ state: "good", blind: false });
        return;
      case "acknowledge":
        for (const { id } of await this.stage.engine.openEpisodes())
          await this.stage.engine.acknowledge(id, { name: "bob" });
        return;
      case "pause":
        await this.#subscribe("repeats", "paused");
        for (let time = 0; time < one.times; time += 1)
          await this.#observe({ state: "bad", blind: false, price: "50" });
        await this.#subscribe("repeats", "active");
        return;
      case "quiet":
        await this.#setQuietHours(this.channels[one.channel]!.platform, one.minutes);
        return;
      case "lose": {
        const sender = this.channels[one.channel]!;
        sender.outcome = () => new SendError("gone", "channel_not_found");
        for (let time = 0; time < one.times; time += 1) {
          await this.#observe({ state: one.state, blind: false, price: "50" });
        }
        if (one.days) {
          await this.stage.restart(25 * 60 * MINUTE);
          this.#fresh = true;
          await this.stage.pass(5000);
          await this.#note();
        }
        if (!one.back) return;
        sender.outcome = () => "ok";
        await this.#subscribe(sender.platform, "active");
        return;
      }
      case "refuse": {
        const sender = this.channels[one.channel]!;
        sender.tokenError = new SendError("refused", "token_revoked", { revoked: one.revoked });
        for (let time = 0; time < one.times; time += 1) {
          await this.#observe({ state: one.state, blind: false, price: "50" });
        }
        if (one.back) sender.tokenError = undefined;
        return;
      }
      case "fail":
        this.#fail(this.channels[one.channel]!, one.faults);
        return;
    }
  }

  /** Heals everything, and waits until nothing more can be owed. */
  async recover(): Promise<void> {
    for (const sender of this.stage.senders) sender.outcome = () => "ok";
    for (const sender of this.channels) sender.tokenError = undefined;
    for (let time = 0; time < 8; time += 1) await this.#observe({ state: "good", blind: false, price: "50" });
    for (let time = 0; time < 12; time += 1) await this.stage.pass(MINUTE);
    // A channel that could not be reached for long is tried once an hour.
    for (let time = 0; time < 30 && (await this.stage.engine.outboxDepth()).length > 0; time += 1) {
      await this.stage.pass(4 * MINUTE);
    }
    await this.#note();
  }

  /** One round 5 s later; checks the laws of every round. */
  async #observe(seen: {
    state: "good" | "bad" | "unknown";
    blind: boolean;
    price?: string;
    markets?: number;
    down?: boolean;
  }): Promise<void> {
    const { markets = 1, down: isDown = false } = seen;
    // The second round finds what follows soon enough to join the message of the first.
    const parts = markets > 1 ? [1, markets] : [markets];
    await this.stage.pass(parts.length > 1 ? 3000 : 5000);
    for (const [index, beyond] of parts.entries()) {
      if (index > 0) await this.stage.pass(2000);
      const { price: amount } = seen;
      const prices = amount === undefined ? [] : MARKETS.map((one, at) => price(at < beyond ? amount : "50", one));
      const node = down(isDown ? "bad" : "good");
      const round = await this.stage.round([blind(seen.blind ? "bad" : "good"), stalled(seen.state), node, ...prices]);
      for (const { rule, change } of round.changes) {
        if (seen.blind && rule !== "watch.blind") this.broken.push(`${rule} ${change} while blind`);
        if (this.#fresh && ["fired", "resolved", "gone"].includes(change))
          this.broken.push(`${rule} ${change} by a first observation`);
      }
      this.#fresh = false;
    }
    await this.#note();
    await this.#noteDue();
  }

  /** Records open episodes where somebody is subscribed and nothing suppresses them. */
  async #noteDue(): Promise<void> {
    const now = this.stage.now();
    const open = await this.stage.engine.openEpisodes();
    const isStalled = open.some(({ kind }) => kind === "network.stalled");
    const isSilent = this.#silences.some(({ from, until }) => from <= now && now < until);
    const clear = new Map<string, number>();
    for (const { state, destination } of await this.stage.engine.subscriptions()) {
      const { platform } = destination;
      const isQuiet = this.quietTimes.some((one) => one.platform === platform && one.after <= now && now < one.before);
      if (state !== "active" || isSilent || isQuiet) continue;
      for (const { id, kind } of open) {
        if (kind === "market.price" && isStalled) continue;
        const observations = (this.#clear.get(`${platform} ${id}`) ?? 0) + 1;
        clear.set(`${platform} ${id}`, observations);
        // A large batch may take some seconds to be fanned out.
        if (observations >= DUE_OBSERVATIONS) this.due.set(platform, (this.due.get(platform) ?? new Set()).add(id));
      }
    }
    this.#clear = clear;
  }

  /** Records the subscribed destinations, and those whose subscriptions have ended. */
  async #note(): Promise<void> {
    const open = await this.stage.engine.openEpisodes();
    for (const { state, destination, returns } of await this.stage.engine.subscriptions()) {
      const { platform } = destination;
      if (returns !== undefined) this.ended += 1;
      if (state !== "active") continue;
      const notifiable = this.notifiable.get(platform) ?? new Set();
      this.notifiable.set(platform, notifiable);
      for (const { id } of open) notifiable.add(id);
    }
  }

  async #subscribe(platform: string, state: "active" | "paused"): Promise<void> {
    await this.#note();
    const quietHours = this.#quiet.get(platform);
    const subscription = aSubscription({
      id: platform,
      destination: { platform, channel: "ops" },
      kinds: ["network.stalled", "watch.blind", "market.price", "node.down"],
      parameters: { "market.price": { high: "100" } },
      style: platform === "drops" ? "live" : "plain",
      state,
      ...(quietHours === undefined ? {} : { quietHours }),
    });
    await this.stage.engine.putSubscriptions([subscription], "ada");
  }

  /** From this minute on for some minutes, in place of any quiet hours before. */
  async #setQuietHours(platform: string, minutes: number): Promise<void> {
    const now = this.stage.now();
    const from = Math.floor(now / MINUTE) * MINUTE;
    const before = from + minutes * MINUTE;
    const clock = (at: number): string => new Date(at).toISOString().slice(11, 16);
    for (const time of this.quietTimes) {
      if (time.platform === platform) time.before = Math.min(time.before, now);
    }
    this.quietTimes.push({ platform, after: now, before });
    this.#quiet.set(platform, { from: clock(from), to: clock(before), zone: "UTC" });
    const [known] = (await this.stage.engine.subscriptions()).filter(({ id }) => id === platform);
    if (known?.state === "active") await this.#subscribe(platform, "active");
    // What ended with a token alone is quiet once it is back.
    const quietHours = this.#quiet.get(platform);
    if (known?.returns !== undefined && quietHours !== undefined) {
      await this.stage.engine.putSubscriptions([{ ...known, quietHours }], "ada");
    }
  }

  #fail(sender: FakeSender, faults: readonly Fault[]): void {
    const left = [...faults];
    sender.outcome = (what) => {
      const fault = left.shift();
      if (fault === undefined) return "ok";
      if ("id" in what && /hang$|unknown$/u.test(fault)) this.unknown.add(what.id);
      return outcomeOf(fault);
    };
  }
}
