import type { ApiClient } from "../../api/api-client.ts";
import { messageOf } from "../../errors.ts";
import type { ExportTables } from "../../store/store.ts";
import { type Milliseconds, toMillis } from "../../units/time.ts";
import { ExportLine, type Turn } from "./export-line.ts";
import type { ExportStanding } from "./job.ts";
import type { LiveJob } from "./job-runner.ts";
import type { UpkeepDependencies } from "./upkeep.ts";

/** The line is read again after so long where other processes have jobs in it, and after the database failed. */
const LOOK_EVERY: Milliseconds = 1000;
/** How many of a network's last exports the estimate of a wait uses. */
const MEASURED_EXPORTS = 10;

export interface TurnsDependencies extends Pick<UpkeepDependencies, "store" | "clock" | "log"> {
  /** Aborted when the process stops. */
  readonly closing: AbortSignal;
  /** The jobs of this process. */
  readonly live: ReadonlyMap<string, LiveJob>;
  /** Called for a job whose turn has come. */
  readonly begin: (job: LiveJob) => void;
  readonly report: (job: LiveJob, standing: ExportStanding) => void;
}

/** Begins the jobs of this process in their turn among the jobs of all processes. */
export type Turns = ReturnType<typeof createTurns>;

/** Jobs begin in a transaction, of which one runs at a time over all processes: no two of them take the same turn. */
export function createTurns({ store, clock, log, closing, live, begin, report }: TurnsDependencies) {
  const { self, aliveFor } = store.processes;
  const paused = new Map<string, Milliseconds>();
  const at = (): Milliseconds => toMillis(clock.wallClock());
  const pausedUntil = (network: string): Milliseconds => paused.get(network) ?? 0;
  const waiting = (): LiveJob[] => [...live.values()].filter((job) => job.waits);
  let timed = false;

  /** Begins the jobs of this process that may begin, and reports their places to the others. Never rejects. */
  const look = oneAfterAnother(async () => {
    if (closing.aborted || waiting().length === 0) return;
    try {
      await lookOnce();
      if (aliveFor !== undefined && waiting().length > 0) lookLater();
    } catch (thrown) {
      log.warn({ why: messageOf(thrown) }, "export queue unknown");
      lookLater();
    }
  });

  function lookLater(): void {
    if (timed) return;
    timed = true;
    const again = (): Promise<void> => {
      timed = false;
      return look();
    };
    clock.sleep(LOOK_EVERY, closing).then(again, () => undefined);
  }

  async function lookOnce(): Promise<void> {
    // A transaction waits for others, so it is begun only where a job may begin, and reads the line again.
    const seen = await readLine(store.exports);
    const { line, begun } = mayBegin(seen).length === 0 ? { line: seen, begun: [] } : await takeTurns();
    for (const job of begun) if (job.waits) begin(job);
    const places = line.places();
    for (const job of waiting()) {
      const { code, network } = job;
      const until = line.refusedUntil(network);
      const place = places.get(code);
      if (until !== undefined) report(job, { code, state: "refused", until });
      else if (place !== undefined) report(job, { code, state: "queued", ...place });
    }
  }

  async function takeTurns(): Promise<{ readonly line: ExportLine; readonly begun: readonly LiveJob[] }> {
    return store.transaction(async ({ exports }) => {
      const line = await readLine(exports);
      const begun = mayBegin(line);
      for (const { code } of begun) await exports.update(code, { state: "running", started_at: at(), ended_at: null });
      return { line: line.withBegun(begun.map(({ code }) => code)), begun };
    });
  }

  /** The jobs of this process that may begin. One runs already where the answer to a commit was lost. */
  function mayBegin(line: ExportLine): LiveJob[] {
    const next = line.next();
    return waiting().filter(({ code, network }) =>
      line.runs(code) ? line.refusedUntil(network) === undefined : next.includes(code),
    );
  }

  async function readLine(exports: ExportTables): Promise<ExportLine> {
    const apis = new Map([...live.values()].map(({ network, api }) => [network, api]));
    const turns = new Map<string, readonly Turn[]>();
    for (const network of new Set(waiting().map((job) => job.network))) {
      turns.set(network, await exports.lastTurns(network, MEASURED_EXPORTS));
    }
    const open = await exports.open(self);
    return new ExportLine({
      // A job whose end the database did not take is still in its table.
      open: open.filter(({ process, code }) => process !== self || live.has(code)),
      served: await exports.served(),
      at: at(),
      nodes: (network) => nodesOf(apis.get(network)),
      pausedUntil,
      lastTurns: (network) => turns.get(network) ?? [],
      pauseMillis: (network) => apis.get(network)?.exportPauseMillis ?? 0,
    });
  }

  return {
    look: () => void look(),
    /** The end of a pause that began in this process; 0 = there is none. */
    pausedUntil,
    /** No export of a network begins for so long, in any process: its nodes ask for fewer questions. Never rejects. */
    async pause(network: string, millis: Milliseconds) {
      const until = Math.max(pausedUntil(network), at() + millis);
      paused.set(network, until);
      clock.sleep(millis, closing).then(look, () => undefined);
      try {
        await store.transaction(async ({ exports }) => {
          for (const { code } of waiting().filter((job) => job.network === network)) {
            await exports.update(code, { state: "queued", started_at: until });
          }
        });
      } catch (thrown) {
        log.warn({ why: messageOf(thrown) }, "export queue unknown");
      }
    },
  };
}

/** How many nodes can be asked now: at least 1, so that an export finds out whether a node is still down. */
function nodesOf(api: Pick<ApiClient, "nodes"> | undefined): number {
  return Math.max(1, api?.nodes.filter(({ health }) => !health.circuitOpen).length ?? 1);
}

/** Runs the work in the next run after the one under way, once for all calls until then. The work must not reject. */
export function oneAfterAnother(work: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      running = work();
      return running;
    });
    return next;
  };
}
