import type { Clock } from "../../api/clock.ts";
import type { Log } from "../../log.ts";
import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { nowMillis } from "../dependencies.ts";
import { claimDue, type ClaimedDelivery } from "../dispatch/claim.ts";
import type { Decision } from "../outbox/batch.ts";
import { type Sender, SendError } from "../sender.ts";
import { type PlatformSuspension, PlatformSuspensions, readSuspensions } from "./platform-suspension.ts";
import { resumePlatform, suspendPlatform, type SuspensionDependencies } from "./suspension.ts";

export interface TokenProbeDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly senders: readonly Sender[];
  /** A platform has answered. */
  readonly onChecked: () => void;
}

/** What a platform answered when it was asked about the token; no error where it takes it. */
export interface TokenCheck {
  readonly platform: string;
  readonly error?: unknown;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
}

/** While a token is refused: far from the 10,000 refused requests in 10 min for which Discord bans an address. */
const REFUSED_EVERY: Milliseconds = 60_000;
/** While all is well, so that a token that was taken back is known of before an alert is owed; and once all is given up. */
const USUAL_EVERY: Milliseconds = 300_000;
const ANSWER_WITHIN: Milliseconds = 20_000;
/** So many are tried at once, each at another destination: one that hangs or fails says nothing about the token. */
const TRIALS_AT_ONCE = 5;
/** What turns out not to be owed any more proves nothing. */
const MAX_TRIAL_CLAIMS = 20;

/**
 * Knows which platforms refuse the bot's token. Nothing is sent there but, once the platform says that it takes the
 * token, a few messages to see whether it does: what takes a token need not take what is sent with it.
 */
export class TokenProbe {
  readonly #parts: TokenProbeDependencies;
  readonly #nextAt = new Map<string, Milliseconds>();
  readonly #asking = new Set<string>();
  /** On which platform, by their deliveries. */
  readonly #trials = new Map<string, string>();
  #checks: TokenCheck[] = [];
  /** As the last transaction left them. */
  #known: ReadonlyMap<string, PlatformSuspension> | undefined;

  constructor(parts: TokenProbeDependencies) {
    this.#parts = parts;
  }

  /** Asks the platforms whose turn it is, until the signal. Gives how long it is until the next turn. */
  probeDue(signal: AbortSignal): Milliseconds {
    const { clock, senders } = this.#parts;
    const now = clock.monotonicMillis();
    let soonest = Number.POSITIVE_INFINITY;
    for (const sender of senders) {
      const { platform } = sender;
      const refusal = this.#known?.get(platform);
      if (sender.checkToken === undefined && refusal === undefined) continue;
      const due = this.#nextAt.get(platform) ?? now;
      if (due <= now && !this.#asking.has(platform)) void this.#ask(sender, signal);
      const every = refusal !== undefined && refusal.retired === undefined ? REFUSED_EVERY : USUAL_EVERY;
      const next = due <= now ? now + every : due;
      this.#nextAt.set(platform, next);
      soonest = Math.min(soonest, next - now);
    }
    return soonest;
  }

  /** Takes what the platforms have answered. */
  take(): readonly TokenCheck[] {
    const taken = this.#checks;
    this.#checks = [];
    return taken;
  }

  /** Takes back what could not be kept. */
  putBack(checks: readonly TokenCheck[]): void {
    this.#checks = [...checks, ...this.#checks];
    this.#known = undefined;
  }

  async suspensions(tables: AlertTables): Promise<PlatformSuspensions> {
    return new PlatformSuspensions(tables, this.#known?.values() ?? (await readSuspensions(tables)));
  }

  isTrial(delivery: string): boolean {
    return this.#trials.has(delivery);
  }

  /** Notes what a transaction left: which platforms refuse, what is tried on those that do, and what came of trials. */
  committed(
    refusals: PlatformSuspensions,
    claimed: readonly (ClaimedDelivery | undefined)[],
    settled: readonly string[],
  ): void {
    const { clock, log } = this.#parts;
    for (const id of settled) {
      const platform = this.#trials.get(id);
      this.#trials.delete(id);
      // What came of it said nothing: that is no reason to wait as long as where the token is refused for good.
      if (platform !== undefined && refusals.get(platform) !== undefined) this.#askWithin(platform, REFUSED_EVERY);
    }
    for (const one of claimed) {
      if (one !== undefined && refusals.get(one.row.platform) !== undefined)
        this.#trials.set(one.row.id, one.row.platform);
    }
    const before = this.#known;
    this.#known = new Map(refusals.all().map((one) => [one.platform, one]));
    for (const { platform, why } of refusals.all()) {
      if (before?.has(platform) === true) continue;
      // What an earlier process found is asked about at once.
      if (before === undefined) this.#nextAt.delete(platform);
      else this.#nextAt.set(platform, clock.monotonicMillis() + REFUSED_EVERY);
      log.error({ platform, why }, "the bot's token is refused: nothing is sent there until a token is accepted");
    }
    for (const platform of before?.keys() ?? []) {
      if (!this.#known.has(platform)) log.info({ platform }, "the bot's token is accepted again");
    }
  }

  #askWithin(platform: string, millis: Milliseconds): void {
    const due = this.#parts.clock.monotonicMillis() + millis;
    this.#nextAt.set(platform, Math.min(this.#nextAt.get(platform) ?? due, due));
  }

  async #ask(sender: Sender, leave: AbortSignal): Promise<void> {
    const { clock, onChecked } = this.#parts;
    const { platform } = sender;
    this.#asking.add(platform);
    const ended = new AbortController();
    const late = clock.sleep(ANSWER_WITHIN, ended.signal).then(() => Promise.reject(new Error("no answer in time")));
    late.catch(() => undefined);
    try {
      await Promise.race([sender.checkToken?.(AbortSignal.any([leave, ended.signal])), late]);
      this.#checks.push({ platform, at: nowMillis(clock) });
    } catch (error) {
      this.#checks.push({ platform, error, at: nowMillis(clock) });
    } finally {
      ended.abort(new DOMException("The platform has answered.", "AbortError"));
      this.#asking.delete(platform);
      onChecked();
    }
  }
}

/** Keeps what platforms answered. Gives those refused ones on which a message may be tried. */
export async function recordTokenChecks(
  tables: AlertTables,
  checks: readonly TokenCheck[],
  refusals: PlatformSuspensions,
  parts: SuspensionDependencies,
  decisions: Decision[],
): Promise<ReadonlySet<string>> {
  const tried = new Set<string>();
  for (const { platform, error, at } of checks) {
    if (error instanceof SendError && error.kind === "refused") {
      await suspendPlatform(tables, refusals, { platform, error, at }, parts, decisions);
      tried.delete(platform);
    } else if (error === undefined && refusals.get(platform) !== undefined) tried.add(platform);
  }
  return tried;
}

/** Takes a few messages that are due on a platform that takes the token again; where there is none, that is enough. */
export async function claimTrial(
  tables: AlertTables,
  { sender, at }: { readonly sender: Sender; readonly at: Milliseconds },
  refusals: PlatformSuspensions,
  parts: SuspensionDependencies,
  decisions: Decision[],
): Promise<(ClaimedDelivery | undefined)[]> {
  for (let looked = 0; looked < MAX_TRIAL_CLAIMS; looked += 1) {
    const due = await claimDue(tables, sender, at, TRIALS_AT_ONCE, decisions);
    if (due.length === 0) {
      await resumePlatform(tables, refusals, { platform: sender.platform, at }, parts, decisions);
      return [];
    }
    if (due.some((one) => one !== undefined)) return due;
  }
  return [];
}
