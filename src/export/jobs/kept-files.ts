import { randomBytes } from "node:crypto";
import { constants, createReadStream, createWriteStream } from "node:fs";
import { access, mkdir, readdir, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { codeOf, messageOf, StorageError } from "../../errors.ts";
import type { Attachment } from "../../reply/reply.ts";
import type { ExportFileRow, ExportJobRow } from "../../store/store.ts";
import { formatBytes } from "../../units/format-number.ts";
import type { Milliseconds } from "../../units/time.ts";
import { makeExportFolder, toDiskFullError, toUnwritableError } from "../block-writer.ts";
import type { MadeFile } from "../pack/pack.ts";
import { splitFile, type Stored } from "../split-file.ts";
import type { TemporaryFiles } from "../temporary-file.ts";
import { deliver, type Delivery, type EndedJob, type Into } from "./deliver.ts";
import { jobOf } from "./job.ts";
import type { UpkeepDependencies } from "./upkeep.ts";

/** No export begins with less free space, because the database needs space, too. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;

/** A younger file that is not in the store may be one that another process is writing. */
const STRAY_AFTER: Milliseconds = 3_600_000;

const NAME = /^(?:export-[0-9a-z]{8}-[0-9a-f]{8}\.(?:bin|part)|process-[0-9a-z-]+)$/u;

interface KeptExportsDependencies extends Pick<UpkeepDependencies, "store" | "log" | "files"> {
  /** Where archives are made. */
  readonly temporary: TemporaryFiles;
  /** Where kept files can be downloaded; undefined = nowhere. */
  readonly publicUrl: string | undefined;
}

/** The mark of a process in the folder of its files, by which other processes see that they have the same folder. */
export function processMark(process: string): string {
  return `process-${process}`;
}

export interface KeptFilesOptions {
  /** The folder of the files, which is made for the first one. */
  readonly directory: string;
  /** The folder of temporary files, where exports need space, too. */
  readonly temporary?: string;
  /** The free bytes of a folder; default: those of its file system. */
  readonly freeBytes?: (directory: string) => Promise<number>;
}

/** Files that outlive the process, until they are fetched or expire. */
export class KeptFiles {
  readonly #options: KeptFilesOptions;
  /** Files that are being written, or are written and not yet in the store. */
  readonly #unrecorded = new Set<string>();

  constructor(options: KeptFilesOptions) {
    this.#options = options;
  }

  /** Rejects with StorageError where there is too little room to begin an export, or nothing can be written. */
  async checkSpace(): Promise<void> {
    const { directory, temporary, freeBytes = fileSystemFree } = this.#options;
    for (const one of temporary === undefined ? [directory] : [directory, temporary]) {
      const free = await freeBytes(one).catch((thrown: unknown) => Promise.reject(toUnwritableError(thrown, one)));
      if (free >= MIN_FREE_BYTES) continue;
      const title = `The bot's disk has only ${formatBytes(free)} left, too little for an export`;
      const remedy = "Ask again once an operator has freed space";
      throw new StorageError(`${title} (${one}).`, { title, remedy, remote: true });
    }
  }

  /** Copies a file into the folder. Rejects with StorageError where the disk is full; then no file is left. */
  async keep(code: string, file: Attachment): Promise<string> {
    const { directory } = this.#options;
    const kept = path.join(directory, `export-${code}-${randomBytes(4).toString("hex")}.bin`);
    const partial = kept.replace(/bin$/u, "part");
    this.#unrecorded.add(path.basename(kept)).add(path.basename(partial));
    try {
      await makeExportFolder(directory);
      await pipeline(file.open(), createWriteStream(partial, { flags: "wx", mode: 0o600, flush: true }));
      const { size } = await stat(partial);
      if (size !== file.sizeBytes) throw new Error(`a copy has ${size} bytes instead of ${file.sizeBytes}`);
      await rename(partial, kept);
      return kept;
    } catch (thrown) {
      await rm(partial, { force: true });
      this.#unrecorded.delete(path.basename(kept));
      throw toDiskFullError(thrown, file.sizeBytes, directory);
    } finally {
      this.#unrecorded.delete(path.basename(partial));
    }
  }

  /** Notes that a file is in the store now, by which it is removed when it expires. */
  recorded(kept: string): void {
    this.#unrecorded.delete(path.basename(kept));
  }

  /** A kept file; undefined where it is not on this disk. Disposing of it does not delete it. */
  async find(row: ExportFileRow): Promise<(Attachment & Stored) | undefined> {
    if (row.path === null) return undefined;
    // Processes may see one folder under several names.
    const here = path.join(this.#options.directory, path.basename(row.path));
    return (await openKept(row, row.path)) ?? (await openKept(row, here));
  }

  /** Leaves or renews the mark of a process in the folder. */
  async mark(process: string): Promise<void> {
    const { directory } = this.#options;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(path.join(directory, processMark(process)), "", { mode: 0o600 });
  }

  async unmark(process: string): Promise<void> {
    await rm(path.join(this.#options.directory, processMark(process)), { force: true });
  }

  /**
   * Removes files that no row names: those of a process that was killed, or whose rows are gone. Where other processes
   * may have the same folder, only those that are older than any export takes.
   */
  async sweep(named: readonly string[], shared: boolean): Promise<void> {
    const { directory } = this.#options;
    const known = new Set(named.map((file) => path.basename(file)));
    const found = await readdir(directory).catch((thrown: unknown) => {
      if (codeOf(thrown) === "ENOENT") return [];
      throw thrown;
    });
    const stray = found.filter((name) => NAME.test(name) && !known.has(name) && !this.#unrecorded.has(name));
    for (const name of stray) {
      const file = path.join(directory, name);
      if (shared && !(await isOlder(file, STRAY_AFTER))) continue;
      await rm(file, { force: true });
    }
  }
}

async function openKept(
  { name, media_type: mediaType, size_bytes: sizeBytes, sha256 }: ExportFileRow,
  kept: string,
): Promise<(Attachment & Stored) | undefined> {
  const size = await stat(kept).then(
    (found) => found.size,
    () => undefined,
  );
  if (size !== sizeBytes) return undefined;
  // Node's end is inclusive.
  const open: Stored["open"] = (from = 0, to = sizeBytes) =>
    to > from ? createReadStream(kept, { start: from, end: to - 1 }) : Readable.from([]);
  return {
    name,
    mediaType,
    sizeBytes,
    sha256,
    open,
    split: (maxBytes) => splitFile({ open }, { name, mediaType }, maxBytes),
    dispose: async () => undefined,
  };
}

/** False for one that is gone. */
async function isOlder(file: string, millis: Milliseconds): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > millis;
}

/** Free bytes on the file system of a folder, or of the nearest existing folder above it. */
async function fileSystemFree(directory: string): Promise<number> {
  for (let at = path.resolve(directory); ; at = path.dirname(at)) {
    try {
      const { bavail, bsize } = await statfs(at);
      // A folder that cannot be written to has no room for an export, either.
      await access(at, constants.W_OK | constants.X_OK);
      return bavail * bsize;
    } catch (thrown) {
      if (codeOf(thrown) !== "ENOENT" || path.dirname(at) === at) throw thrown;
    }
  }
}

/** Gives out kept files, in messages and by links. */
export class KeptExports {
  readonly #dependencies: KeptExportsDependencies;
  readonly #isOneOfSeveral: boolean;

  constructor(dependencies: KeptExportsDependencies) {
    this.#dependencies = dependencies;
    this.#isOneOfSeveral = dependencies.store.processes.aliveFor !== undefined;
  }

  /** A job, with the kept file as a message has it. */
  async ended(row: ExportJobRow, into: Into, signal: AbortSignal): Promise<EndedJob> {
    const job = jobOf(row);
    return { job, delivery: job.state === "kept" ? await this.deliver(row.code, into, signal) : undefined };
  }

  /** A kept file as a message has it. */
  async deliver(code: string, into: Into, signal: AbortSignal): Promise<Delivery> {
    const { store, files, temporary, publicUrl } = this.#dependencies;
    const row = (await store.exports.files(code)).find(({ path }) => path !== null);
    if (row === undefined) return { attachments: [] };
    const file = await files.find(row);
    if (file === undefined) return { attachments: [], ...(this.#isOneOfSeveral ? { elsewhere: true } : {}) };
    const delivery = await deliver(file, into, temporary, signal);
    await this.#noteMade(code, delivery.made ?? []);
    const { tooLarge } = delivery;
    const attachments = delivery.attachments.map((one) => this.recognised(code, one));
    if (tooLarge === undefined || publicUrl === undefined || row.link === null) return { ...delivery, attachments };
    const link = new URL(`/download/${row.link}/${encodeURIComponent(row.name)}`, publicUrl).href;
    return { ...delivery, attachments, tooLarge: { ...tooLarge, link } };
  }

  /** The file of an export; archives that a platform makes of it are recognised when they are given back. */
  recognised(code: string, file: Attachment): Attachment {
    return { ...file, onPacked: (archive) => void this.#noteMade(code, [archive]) };
  }

  /**
   * Records archives and parts, to recognise them when they are given back. An answer does not fail where the database
   * does.
   */
  async #noteMade(code: string, made: readonly MadeFile[]): Promise<void> {
    const { store, log } = this.#dependencies;
    try {
      const known = await store.exports.files(code);
      const others = made.filter(({ sha256 }) => !known.some((file) => file.sha256 === sha256));
      await store.exports.addFiles(
        others.map(({ name, mediaType: media_type, sizeBytes: size_bytes, sha256 }) => ({
          code,
          // Parts that were made for a smaller or larger limit have the same names.
          name: known.some((file) => file.name === name) ? `${name} (${sha256.slice(0, 8)})` : name,
          media_type,
          size_bytes,
          sha256,
          path: null,
          link: null,
        })),
      );
    } catch (thrown) {
      log.warn({ job: code, why: messageOf(thrown) }, "export not recorded");
    }
  }

  /** The kept file behind the secret of a link; `elsewhere`: this process cannot read it. */
  async linked(secret: string, at: Milliseconds): Promise<(Attachment & Stored) | "elsewhere" | undefined> {
    const { store, files } = this.#dependencies;
    const row = await store.exports.linked(secret, at);
    if (row === undefined) return undefined;
    return (await files.find(row)) ?? (this.#isOneOfSeveral ? "elsewhere" : undefined);
  }
}
