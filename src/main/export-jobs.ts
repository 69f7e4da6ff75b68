import path from "node:path";

import { randomId } from "../alerts/dependencies.ts";
import { timeToText } from "../alerts/judge/kinds/kind.ts";
import type { Platforms } from "../alerts/destination.ts";
import type { AlertMessage } from "../alerts/message/message.ts";
import { enqueue } from "../alerts/deliver/outbox/outbox.ts";
import { systemClock } from "../api/clock.ts";
import { SendError } from "../alerts/sender.ts";
import type { Config } from "../config.ts";
import type { ExportJobs } from "../export/jobs/jobs.ts";
import type { UpkeepDependencies } from "../export/jobs/upkeep.ts";
import type { Log } from "../log.ts";
import type { Reply } from "../reply/reply.ts";
import { folderBeside } from "../store/file/database-url.ts";
import type { Store } from "../store/store.ts";
import { fromMillis, type Milliseconds, type Nanoseconds, toMillis } from "../units/time.ts";
import type { NetworkDependencies } from "./networks.ts";

/** How long only a process that can read the file of an export sends the message about it. */
const LEFT_TO_ITS_PROCESS: Milliseconds = 120_000;
/** The pause before the next attempt. */
const AGAIN_AFTER: Milliseconds = 1000;

interface ExportJobsOptions {
  readonly store: Pick<Store, "exports" | "transaction" | "processes">;
  /** Where files are kept. */
  readonly directory: string;
  /** The folder of temporary files; left out = the system's. */
  readonly temporary?: string | undefined;
  /** See LedgerExportsConfig. */
  readonly sliceMillis: Milliseconds;
  readonly log: Log;
  /** Where files that are too large for a chat can be downloaded; left out = nowhere. */
  readonly publicUrl?: string | undefined;
  /** Called when a direct message may be due. */
  readonly onOwed?: () => void;
  readonly platforms: Platforms;
}

/**
 * The folders of exports, and the length of slices. By default they are kept beside the database file (in `data/` where there is none), and made
 * in the system's temporary folder.
 */
export function exportSettings({
  exportFolder,
  exportSliceMillis,
  databaseUrl,
}: Pick<Config, "exportFolder" | "exportSliceMillis" | "databaseUrl">) {
  const directory = exportFolder ?? path.join(folderBeside(databaseUrl), "exports");
  return { directory, temporary: exportFolder, sliceMillis: exportSliceMillis };
}

/** Where several processes share a server, one process at a time exports from a node. */
export function exportSlotsOf({ processes }: Pick<Store, "processes">): Pick<NetworkDependencies, "exportSlots"> {
  if (processes.aliveFor === undefined) return {};
  const lease = (network: string, node: string): string => `export ${network} ${node}`;
  return {
    exportSlots: {
      take: async (network, node) => (await processes.acquire(lease(network, node))) !== undefined,
      async give(network, node) {
        await processes.release(lease(network, node));
        processes.announce();
      },
    },
  };
}

/** The ledger exports of a process. */
export async function openExportJobs(options: ExportJobsOptions): Promise<ExportJobs> {
  const { store, log, directory, temporary, sliceMillis, publicUrl, onOwed, platforms } = options;
  const [{ LedgerExports }, { temporaryFiles }, { createExportJobs }, { tmpdir }] = await Promise.all([
    import("../export/ledger-exports.ts"),
    import("../export/temporary-file.ts"),
    import("../export/jobs/jobs.ts"),
    import("node:os"),
  ]);
  const now = (): Nanoseconds => fromMillis(Date.now());
  const files = temporaryFiles(temporary === undefined ? {} : { directory: temporary });
  const exports = new LedgerExports({ log, now, files, sliceMillis });
  return createExportJobs({
    exports,
    temporary: files,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    store,
    clock: systemClock,
    log,
    kept: { directory, temporary: temporary ?? tmpdir() },
    owe: (tables, job) => enqueueExportNotice(tables, job, now(), platforms),
    ...(onOwed === undefined ? {} : { onOwed }),
  });
}

/** Puts a direct message about the end of a job into the outbox; nothing on a platform without direct messages. */
export async function enqueueExportNotice(
  { alerts }: Parameters<UpkeepDependencies["owe"]>[0],
  { code, platform, workspace, person }: Parameters<UpkeepDependencies["owe"]>[1],
  at: Nanoseconds,
  platforms: Platforms,
): Promise<void> {
  if (platforms.chat(platform) === undefined) return;
  const destination = platforms.destination({ platform, workspace }, `user:${person}`);
  const message = { type: "export", job: code, at: timeToText(at) } as const;
  await enqueue(alerts, { deliveries: [{ id: randomId(), destination, phase: "export", message }] }, toMillis(at));
}

/**
 * The direct message about the end of a job, made from the present state of the job; undefined where the job is no
 * longer kept. Rejects with SendError where another process has the file: that process may make the next attempt.
 */
export async function exportNotice(
  exports: Pick<ExportJobs, "ended">,
  message: AlertMessage,
  { platforms, now }: { readonly platforms: Platforms; readonly now: () => Nanoseconds },
): Promise<Reply | undefined> {
  if (message.type !== "export") return undefined;
  const ended = await exports.ended(message.job, (platform) => platforms.chat(platform)?.files);
  if (ended === undefined || ended.job.ask === undefined) return undefined;
  const { endedAt = 0 } = ended.job;
  if (ended.delivery?.elsewhere === true && toMillis(now()) - endedAt < LEFT_TO_ITS_PROCESS) {
    throw new SendError("retry", "another process has the file", { retryAfterMillis: AGAIN_AFTER });
  }
  const { endedReply } = await import("../answers/exports/ended.ts");
  return endedReply({ platforms, here: ended.job, now }, ended);
}
