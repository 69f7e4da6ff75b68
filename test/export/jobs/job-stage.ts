import type { ApiClient, NodeClient } from "../../../src/api/api-client.ts";
import type { ExportAsker, ExportOutcome, ExportRequest, ExportStanding } from "../../../src/export/jobs/job.ts";
import { createExportJobs, type ExportJobs, type ExportJobsDependencies } from "../../../src/export/jobs/jobs.ts";
import type { LedgerExportRequest, LedgerExports, LedgerFile } from "../../../src/export/ledger-exports.ts";
import { silentLog } from "../../../src/log.ts";
import { memoryAttachment } from "../../../src/reply/reply.ts";
import type { ExportFileRow, ExportJobRow, ExportTables, TransactionTables } from "../../../src/store/store.ts";
import { singleProcess } from "../../../src/store/processes.ts";
import { nanoseconds } from "../../../src/units/time.ts";
import { NEW_EXPORT } from "../../support/export-jobs.ts";
import { VirtualClock } from "../../api/virtual-clock.ts";

/** A node that sends so fast, in virtual time: its exports take as long as their bytes do. */
export interface SlowNode {
  readonly bytesPerSecond: number;
  /** Instead of an export. */
  refuse?: (() => Error | undefined) | undefined;
}

export const TO = nanoseconds(1_700_000_000_000_000_000n);

/** The jobs in virtual time: the node is made up, everything else is real. */
export function jobStage(
  nodes: readonly SlowNode[] = [{ bytesPerSecond: 800_000 }],
  { exportPauseMillis = 0, ...more }: Partial<ExportJobsDependencies> & { readonly exportPauseMillis?: number } = {},
) {
  const clock = new VirtualClock();
  const api = { ...apiOf("mainnet", nodes.length), exportPauseMillis };
  let pausedUntil = 0;
  const running: { readonly network: string; readonly person: string }[] = [];
  const stage = { most: 0, perPerson: 0, disposed: 0, begun: [] as string[] };
  const exports: Pick<LedgerExports, "export"> = {
    async export(asked, request) {
      const node = nodes[0]!;
      const [person = "", size = "0", slices = "1"] = request.name.split("/");
      for (let slice = 1; ; slice += 1) {
        if (slice > 1) await request.nextTurn?.();
        running.push({ network: asked.network, person });
        stage.most = Math.max(stage.most, running.filter(({ network }) => network === asked.network).length);
        stage.perPerson = Math.max(stage.perPerson, running.filter((one) => one.person === person).length);
        stage.begun.push(person);
        try {
          const refused = node.refuse?.();
          if (refused !== undefined) throw refused;
          if (clock.monotonicMillis() < pausedUntil) await clock.sleep(pausedUntil - clock.monotonicMillis());
          const whole = await receive(clock, node.bytesPerSecond, Number(size), request, () => (stage.disposed += 1));
          if (slice === Number(slices)) return whole;
        } finally {
          pausedUntil = clock.monotonicMillis() + exportPauseMillis;
          running.splice(
            running.findIndex((one) => one.person === person),
            1,
          );
        }
      }
    },
  };
  const store = memoryExports();
  let last: Promise<unknown> = Promise.resolve();
  let codes = 0;
  const owed: string[] = [];
  const jobs = createExportJobs({
    exports,
    // Of a transaction, these tests need no more than its tables and its turn.
    store: {
      exports: store,
      processes: singleProcess(),
      transaction(work) {
        const done = last.then(() => work({ exports: store } as Partial<TransactionTables> as TransactionTables));
        last = done.catch(() => undefined);
        return done;
      },
    },
    clock,
    log: silentLog(),
    newCode: () => String(++codes).padStart(8, "0"),
    kept: { directory: "/nowhere", freeBytes: async () => 1e12 },
    owe: async (_tables, { code, person }) => void owed.push(`${person} ${code}`),
    ...more,
  });
  return Object.assign(stage, { clock, api, jobs, store, ask: asking(jobs, api), nodes, owed });
}

async function receive(
  clock: VirtualClock,
  bytesPerSecond: number,
  bytes: number,
  request: LedgerExportRequest,
  disposed: () => void,
): Promise<LedgerFile> {
  const { signal, name } = request;
  const steps = 4;
  for (let step = 1; step <= steps; step += 1) {
    await clock.sleep((bytes * 1000) / bytesPerSecond / steps, signal);
    request.onProgress?.({ bytes: (bytes * step) / steps, rows: (bytes * step) / steps / 100 });
  }
  const at = clock.wallClock();
  const file = memoryAttachment(`${name}.csv`, "text/csv", "a,b\n");
  return {
    attachment: { ...file, dispose: async () => disposed() },
    account: {
      rows: bytes / 100,
      dropped: { asset: 0, party: 0, range: 0 },
      outgoingOnly: false,
      raw: false,
      unit: {},
      endIsProven: true,
      sizeBytes: bytes,
      sha256: file.sha256,
    },
    columns: ["a", "b"],
    asOf: { network: "mainnet", node: "slow:1", receivedAt: at, simulated: false },
  };
}

interface Asked {
  readonly outcome: Promise<ExportOutcome>;
  readonly standings: ExportStanding[];
  readonly leave: (reason?: Error) => void;
}

function asking(jobs: ExportJobs, api: ApiClient) {
  return (person: string, bytes: number, more: Partial<ExportRequest> = {}): Asked => {
    const leaving = new AbortController();
    const standings: ExportStanding[] = [];
    const outcome = jobs.run({
      api,
      asker: asker(person),
      ask: { command: "ledger export", options: { party: person } },
      subject: { query: { partyId: "ab", assetId: "cd", to: TO }, raw: false },
      request: { name: `${person}/${bytes}` },
      signal: leaving.signal,
      onStanding: (standing) => standings.push(standing),
      ...more,
    });
    outcome.catch(() => undefined);
    return { outcome, standings, leave: (reason) => leaving.abort(reason) };
  };
}

export function asker(person: string, more: Partial<ExportAsker> = {}): ExportAsker {
  return { platform: "discord", person, place: "99", takesDirectMessages: false, isOperator: false, ...more };
}

export function apiOf(network: string, count: number): ApiClient {
  const nodes = Array.from({ length: count }, () => ({ health: { circuitOpen: false } }) as NodeClient);
  return { network, nodes } as Partial<ApiClient> as ApiClient;
}

/** The port over memory, for tests in which no database matters. */
function memoryExports(): ExportTables & { readonly rows: Map<string, ExportJobRow> } {
  const rows = new Map<string, ExportJobRow>();
  let files: ExportFileRow[] = [];
  const unended = () => [...rows.values()].filter(({ state }) => state === "queued" || state === "running");
  return {
    rows,
    add: async (job) => void rows.set(job.code, { ...NEW_EXPORT, ...job }),
    update: async (code, changes) => void rows.set(code, { ...rows.get(code)!, ...changes }),
    get: async (code) => rows.get(code),
    list: async (owner, _at, limit) =>
      [...rows.values()]
        .filter((row) => owner === undefined || (row.platform === owner.platform && row.person === owner.person))
        .toReversed()
        .slice(0, limit),
    open: async (self) => unended().filter(({ process }) => process === self),
    abandoned: async (self) => unended().filter(({ process }) => process !== self),
    served: async () =>
      [...rows.values()].flatMap(({ platform, person, started_at, ended_at }) =>
        started_at === null || ended_at === null ? [] : [{ platform, person, at: ended_at }],
      ),
    lastTurns: async (network, limit) =>
      [...rows.values()]
        .filter((row) => row.network === network && (row.state === "delivered" || row.state === "kept"))
        .toReversed()
        .slice(0, limit)
        .map(({ started_at, ended_at }) => ({ began: started_at!, ended: ended_at! })),
    addFiles: async (added) => void files.push(...added),
    files: async (code) => files.filter((file) => file.code === code),
    kept: async () => files.filter(({ path }) => path !== null),
    linked: async (link) => files.find((file) => file.path !== null && file.link === link),
    ofFile: async (by) =>
      [...rows.values()].filter(({ code }) =>
        files.some((file) => file.code === code && "sha256" in by && file.sha256 === by.sha256),
      ),
    recognisable: async (owner) =>
      [...rows.values()].filter((row) => row.account !== null && (owner === undefined || row.person === owner.person)),
    drop: async (code) => void (files = files.map((file) => (file.code === code ? { ...file, path: null } : file))),
    prune: async () => undefined,
  };
}
