import type { Clock } from "../../../api/clock.ts";
import type { Log } from "../../../log.ts";
import type { AlertTables, DeliveryRow } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { nowMillis } from "../../dependencies.ts";
import { type Sender, SendError } from "../../sender.ts";
import {
  isOfPlatform,
  isOfToken,
  type Suspension,
  suspensionKey,
  type Suspensions,
  tokenScope,
  type TokenScope,
} from "../../route/suspension.ts";
import { suspend } from "./suspension.ts";
import type { SuspensionDependencies } from "./suspension-notices.ts";
import type { Decision } from "../../judge/judge.ts";

interface TokenProbeDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly senders: readonly Sender[];
  /** A platform has answered. */
  readonly onChecked: () => void;
}

/** A platform's answer to a probe; no error if it accepts the token. */
interface TokenCheck extends TokenScope {
  readonly error?: unknown;
  /** Unix milliseconds. */
  readonly at: Milliseconds;
}

/** While a token is refused: far from the 10,000 refused requests in 10 min for which Discord bans an address. */
const REFUSED_EVERY: Milliseconds = 60_000;
/** While all is well, so that a revoked token is noticed before an alert is due; and after subscriptions have ended. */
const USUAL_EVERY: Milliseconds = 300_000;
const ANSWER_WITHIN: Milliseconds = 20_000;

/**
 * Asks platforms whether they accept the bot's token; of the workspaces' tokens it asks about the refused ones. With a
 * refused token nothing is sent; once a probe succeeds, a few messages are trials: a platform that accepts a token need
 * not accept the messages that are sent with it.
 */
export class TokenProbe {
  readonly #dependencies: TokenProbeDependencies;
  readonly #nextAt = new Map<string, Milliseconds>();
  readonly #asking = new Set<string>();
  /** The keys of their tokens, by delivery. */
  readonly #trials = new Map<string, string>();
  #checks: TokenCheck[] = [];
  /** The suspensions as the last transaction left them, by their key. */
  #known: ReadonlyMap<string, Suspension> | undefined;

  constructor(dependencies: TokenProbeDependencies) {
    this.#dependencies = dependencies;
  }

  /** Probes the platforms that are due, until the signal. Returns how long it is until the next probe. */
  probeDue(signal: AbortSignal): Milliseconds {
    const { clock, senders } = this.#dependencies;
    const now = clock.monotonicMillis();
    let soonest = Number.POSITIVE_INFINITY;
    const refused = [...(this.#known?.values() ?? [])].filter(isOfToken);
    for (const sender of senders) {
      const { platform } = sender;
      const workspaces = refused.filter((one) => one.platform === platform && !isOfPlatform(one));
      for (const token of [{ platform }, ...workspaces.map(tokenScope)]) {
        const key = suspensionKey(token);
        const suspension = this.#known?.get(key);
        if (sender.checkToken === undefined && suspension === undefined) continue;
        const due = this.#nextAt.get(key) ?? now;
        if (due <= now && !this.#asking.has(key)) void this.#ask(sender, token, signal);
        const every = suspension !== undefined && suspension.retired === undefined ? REFUSED_EVERY : USUAL_EVERY;
        const next = due <= now ? now + every : due;
        this.#nextAt.set(key, next);
        soonest = Math.min(soonest, next - now);
      }
    }
    return soonest;
  }

  /** Takes the answers since the last call. */
  take(): readonly TokenCheck[] {
    const taken = this.#checks;
    this.#checks = [];
    return taken;
  }

  /** Puts answers back that could not be committed. */
  putBack(checks: readonly TokenCheck[]): void {
    this.#checks = [...checks, ...this.#checks];
    this.#known = undefined;
  }

  isTrial(delivery: string): boolean {
    return this.#trials.has(delivery);
  }

  /** Notes what a transaction committed: which tokens are refused, the trials with those, and finished trials. */
  committed(
    suspensions: Suspensions,
    claimed: readonly { readonly row: Pick<DeliveryRow, "id" | "destination"> }[],
    recorded: readonly string[],
  ): void {
    const { clock, log } = this.#dependencies;
    for (const id of recorded) {
      const token = this.#trials.get(id);
      this.#trials.delete(id);
      // After a trial that proved nothing, probe soon, not as late as after a revoked token.
      if (token !== undefined && suspensions.get(token) !== undefined) this.#askWithin(token, REFUSED_EVERY);
    }
    for (const { row } of claimed) {
      const refused = suspensions.ofToken(row.destination);
      if (refused !== undefined) this.#trials.set(row.id, suspensionKey(refused));
    }
    const before = this.#known;
    this.#known = new Map(suspensions.all().map((one) => [suspensionKey(one), one]));
    for (const one of suspensions.all()) {
      const key = suspensionKey(one);
      if (before?.has(key) === true || !isOfToken(one)) continue;
      // A suspension found by an earlier process is probed at once.
      if (before === undefined) this.#nextAt.delete(key);
      else this.#nextAt.set(key, clock.monotonicMillis() + REFUSED_EVERY);
      log.error({ ...tokenScope(one), why: one.why }, "platform suspended");
    }
    for (const [key, one] of before ?? []) {
      if (this.#known.has(key) || !isOfToken(one)) continue;
      if (!isOfPlatform(one)) this.#nextAt.delete(key);
      log.info({ ...tokenScope(one) }, "platform resumed");
    }
  }

  #askWithin(token: string, millis: Milliseconds): void {
    const due = this.#dependencies.clock.monotonicMillis() + millis;
    this.#nextAt.set(token, Math.min(this.#nextAt.get(token) ?? due, due));
  }

  async #ask(sender: Sender, token: TokenScope, leave: AbortSignal): Promise<void> {
    const { clock, onChecked } = this.#dependencies;
    const key = suspensionKey(token);
    this.#asking.add(key);
    const ended = new AbortController();
    const late = clock.sleep(ANSWER_WITHIN, ended.signal).then(() => Promise.reject(new Error("no answer in time")));
    late.catch(() => undefined);
    try {
      await Promise.race([sender.checkToken?.(AbortSignal.any([leave, ended.signal]), token.workspace), late]);
      this.#checks.push({ ...token, at: nowMillis(clock) });
    } catch (error) {
      this.#checks.push({ ...token, error, at: nowMillis(clock) });
    } finally {
      ended.abort(new DOMException("The platform has answered.", "AbortError"));
      this.#asking.delete(key);
      onChecked();
    }
  }
}

/** Records the answers; `accepted` are the keys of refused tokens with which trials may be sent. */
export async function recordTokenChecks(
  tables: AlertTables,
  checks: readonly TokenCheck[],
  suspensions: Suspensions,
  dependencies: SuspensionDependencies,
): Promise<{ readonly accepted: ReadonlySet<string>; readonly decisions: readonly Decision[] }> {
  const accepted = new Set<string>();
  const decisions: Decision[] = [];
  for (const { error, at, ...token } of checks) {
    const key = suspensionKey(token);
    if (error instanceof SendError && error.kind === "refused") {
      decisions.push(...(await suspend(tables, suspensions, { ...token, error, at }, dependencies)));
      accepted.delete(key);
    } else if (error === undefined && suspensions.get(key) !== undefined) accepted.add(key);
  }
  return { accepted, decisions };
}
