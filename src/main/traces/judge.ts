import { z } from "zod";

import type { AlertsConfig } from "../../alerts/alerts-config.ts";
import { Subscription } from "../../alerts/route/subscription.ts";
import { messageOf, UserError } from "../../errors.ts";
import type { Json, Look } from "../../looks/look.ts";
import { type Milliseconds, type Stretch, timeFromText, toMillis } from "../../units/time.ts";
import { type KeptSettings, Replay, type ReplayedChange, settingsOf } from "../replay.ts";
import { type NumberedLine, partOf, refused } from "./lines.ts";
import { Alerts, type Fact, type Told, type Truth, type Watched } from "./score.ts";
import {
  type LookLine,
  type Part,
  PARTS,
  type SettingsLine,
  type SubscriptionLine,
  type TraceHeader,
  type TruthLine,
} from "./traces.ts";

interface TraceOptions {
  /** For people. */
  readonly name: string;
  /** What is judged by in place of the settings of then. */
  readonly changed?: (config: AlertsConfig) => AlertsConfig;
  readonly onChange?: (change: ReplayedChange) => void;
  readonly onGap?: (gap: Stretch) => void;
}

/** A trace once it is judged. */
interface JudgedTrace {
  readonly network: string;
  readonly looks: number;
  readonly changes: number;
  readonly told: readonly Told[];
  /** Where the trace says what was true. */
  readonly known?: { readonly watched: Watched; readonly truth: Truth };
}

/** Judges a trace as a replay does. Throws UserError, with its number, for the first line that does not fit. */
export async function judgeTrace(lines: AsyncIterable<NumberedLine>, options: TraceOptions): Promise<JudgedTrace> {
  const trace = new Trace(options);
  for await (const one of lines) trace.take(one);
  return trace.end();
}

const ORDER = Object.keys(PARTS) as readonly Part[];

/** A trace as its lines come in. */
class Trace {
  readonly #options: TraceOptions;
  readonly #settings: KeptSettings[] = [];
  readonly #subscriptions: Subscription[] = [];
  readonly #alerts = new Alerts();
  readonly #truth: TruthLine[] = [];
  #header: TraceHeader | undefined;
  #replay: Replay | undefined;
  #part: Part | undefined;
  #count = { looks: 0, changes: 0 };

  constructor(options: TraceOptions) {
    this.#options = options;
  }

  take({ number, line }: NumberedLine): void {
    const part = partOf(line) ?? "trace";
    if ((part === "trace") !== (this.#part === undefined))
      throw refused(number, "the first line is the one with trace");
    if (ORDER.indexOf(part) < ORDER.indexOf(this.#part ?? "trace")) {
      throw refused(number, `${part} comes after ${this.#part ?? "it"}; the order is ${ORDER.join(", ")}`);
    }
    this.#part = part;
    try {
      if ("trace" in line) this.#header = checkedHeader(line);
      else if ("settings" in line) this.#settings.push(settingsIn(line));
      else if ("subscription" in line) this.#subscriptions.push(subscriptionIn(line, this.#network));
      else if ("look" in line) this.#see(line);
      else this.#truth.push(checkedTruth(line));
    } catch (thrown) {
      if (thrown instanceof z.ZodError) {
        const [issue] = thrown.issues;
        throw refused(number, `${[part, ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "it is wrong"}`);
      }
      if (thrown instanceof UserError || thrown instanceof RangeError || thrown instanceof SyntaxError) {
        throw refused(number, messageOf(thrown));
      }
      throw thrown;
    }
  }

  end(): JudgedTrace {
    const [settings, header] = [this.#settings[0], this.#header];
    if (header === undefined || settings === undefined) {
      throw new UserError(`${this.#options.name} has no ${header === undefined ? "first line" : "settings"}.`, {
        remedy: "docs/traces.md says what a trace holds.",
      });
    }
    this.#replay?.end();
    const judged = { network: header.network, ...this.#count, told: this.#alerts.told };
    if (header.known === undefined && this.#truth.length === 0) return judged;
    const { nodes, config } = settings;
    const { name } = this.#options;
    const watched = {
      name,
      nodes,
      poll: config.poll.time,
      length: this.#since(header.to),
      calm: header.known === "calm",
    };
    return { ...judged, known: { watched, truth: this.#truthOf() } };
  }

  get #network(): string {
    return this.#header?.network ?? "";
  }

  #see(line: LookLine): void {
    const { onChange, onGap, changed = (config) => config } = this.#options;
    const from = timeFromText(this.#header?.from ?? "0");
    this.#replay ??= new Replay({
      network: this.#network,
      settings: this.#settings,
      subscriptions: this.#subscriptions,
      changed,
      range: { from: toMillis(from), to: toMillis(timeFromText(this.#header?.to ?? "0")) },
      onGap: (gap) => onGap?.(gap),
    });
    const isWithin = timeFromText(line.at) >= from;
    const at = this.#since(line.trueAt ?? line.at);
    if (isWithin) this.#count.looks += 1;
    for (const change of this.#replay.see(line.look, lookIn(line))) {
      this.#alerts.note(change, at);
      if (!isWithin) continue;
      this.#count.changes += 1;
      onChange?.(change);
    }
  }

  /** Milliseconds since the range began. */
  #since(at: string): Milliseconds {
    return Number(timeFromText(at) - timeFromText(this.#header?.from ?? "0")) / 1e6;
  }

  #truthOf(): Truth {
    const spans = this.#truth.map((one) => ({ ...one, from: this.#since(one.from), to: this.#since(one.to) }));
    const of = (truth: TruthLine["truth"]) => spans.filter((one) => one.truth === truth);
    return {
      facts: of("fact")
        .flatMap((one) => factIn(one) ?? [])
        .toSorted((a, b) => a.from - b.from),
      excused: of("excused").flatMap((one) => factIn(one) ?? []),
      unfollowed: of("unfollowed"),
      lies: of("lie").map(({ subject = "", from, to }) => ({ subject, from, to })),
    };
  }
}

function factIn({
  kind,
  subject = "",
  from,
  to,
  why = "",
  seen = to - from,
  lead = seen,
}: Omit<TruthLine, "from" | "to"> & Stretch): Fact | undefined {
  return kind && { kind, subject, from, to, why, seen, lead };
}

function settingsIn({ settings, at, run }: SettingsLine): KeptSettings {
  return settingsOf({ at: timeFromText(at), run, dueMillis: 0, every: 0, seen: settings as Json });
}

function subscriptionIn({ subscription }: SubscriptionLine, network: string): Subscription {
  const nobody = { id: "trace", destination: { platform: "trace", channel: "" }, by: { id: "", name: "" } };
  const usual = { floor: "info", style: "live", events: "usual", state: "active" };
  return Subscription.parse({ ...nobody, ...usual, network, ...subscription });
}

function lookIn({ at, run, dueMillis, every, failure, seen }: LookLine): Look {
  const found = failure === undefined ? { seen: (seen ?? {}) as Json } : { failure };
  return { at: timeFromText(at), run, dueMillis, every, ...found };
}

function checkedHeader(header: TraceHeader): TraceHeader {
  if (timeFromText(header.from) >= timeFromText(header.to)) throw new RangeError("trace.from is not before trace.to");
  return header;
}

function checkedTruth(line: TruthLine): TruthLine {
  const { truth, kind, subject, from, to } = line;
  if (timeFromText(from) > timeFromText(to)) throw new RangeError("truth.from is after truth.to");
  if (kind === undefined && (truth === "fact" || truth === "excused")) throw new RangeError(`${truth} needs a kind`);
  if (subject === undefined && truth === "lie") throw new RangeError("lie needs a subject");
  return line;
}
