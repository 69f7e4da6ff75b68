import type { Receipt, Sender } from "../src/alerts/sender.ts";
import { alertStage, auction, checkpoint, type AlertStage } from "./support/alert-stage.ts";
import { atLeast, atMost, median, runAsScript, type Measured } from "./support/figure.ts";

// 10,000 subscriptions, each of a channel of its own, and one message for them, on platforms that answer at once:
// how many deliveries a second are sent and have their receipts in the database on disk, and how long after it was
// seen the first of them is on its way.

const SUBSCRIPTIONS = 10_000;
const ROUNDS = 3;

/** Two platforms that take everything. */
class EagerSender implements Sender {
  readonly platform: string;
  firstAt: number | undefined;
  sent = 0;

  constructor(platform: string) {
    this.platform = platform;
  }

  async send(delivery: Parameters<Sender["send"]>[0]): Promise<Receipt> {
    this.firstAt ??= performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    this.sent += 1;
    return { platform: this.platform, channel: delivery.destination.channel, message: String(this.sent) };
  }

  update(): Promise<void> {
    this.sent += 1;
    return Promise.resolve();
  }
}

interface Taken {
  readonly perSecond: number;
  readonly firstMillis: number;
}

async function measure(): Promise<readonly Measured[]> {
  const kinds = ["each", "rolling", "condition"] as const;
  const all = new Map<string, Taken>();
  for (const kind of kinds) all.set(kind, await takeKind(kind));
  const worst = [...all.values()];
  const detail = [...all]
    .map(([kind, { perSecond, firstMillis }]) => `${kind} ${perSecond.toFixed(0)}/s, ${firstMillis.toFixed(0)} ms`)
    .join("; ");
  const what = `${SUBSCRIPTIONS} subscriptions, medians of ${ROUNDS}: ${detail}`;
  return [
    atLeast("alerts: deliveries with receipts", Math.min(...worst.map((one) => one.perSecond)), 1000, "a second", what),
    atMost("alerts: seen to first message", Math.max(...worst.map((one) => one.firstMillis)), 100, "ms", what),
  ];
}

async function takeKind(kind: "each" | "rolling" | "condition"): Promise<Taken> {
  const taken: Taken[] = [];
  // The first round warms up: what is asked is how a bot does that has been running.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const senders = [new EagerSender("discord"), new EagerSender("slack")];
    await using stage = await alertStage({
      senders,
      destinations: Array.from({ length: SUBSCRIPTIONS }, (_, index) => ({
        platform: index % 2 === 0 ? "discord" : "slack",
        channel: `c${index}`,
      })),
      kinds: ["checkpoint.new", "market.auction"],
      events: kind === "rolling" ? "rolling" : "each",
    });
    // The first observation only learns the current state.
    await stage.observe([auction("good")]);
    const one = await takeOnce(stage, senders, kind);
    if (round > 0) taken.push(one);
  }
  return {
    perSecond: median(taken.map((one) => one.perSecond)),
    firstMillis: median(taken.map((one) => one.firstMillis)),
  };
}

async function takeOnce(
  stage: AlertStage,
  senders: readonly EagerSender[],
  kind: "each" | "rolling" | "condition",
): Promise<Taken> {
  const done = stage.settled(SUBSCRIPTIONS);
  const began = performance.now();
  const owed =
    kind === "condition" ? await stage.observe([auction("bad")]) : await stage.observe([], [checkpoint(100)]);
  if (owed !== SUBSCRIPTIONS) throw new Error(`${owed} deliveries are owed`);
  await done;
  const seconds = (performance.now() - began) / 1000;
  const first = Math.min(...senders.map(({ firstAt }) => firstAt ?? Number.POSITIVE_INFINITY));
  return { perSecond: SUBSCRIPTIONS / seconds, firstMillis: first - began };
}

await runAsScript(import.meta.url, measure);
