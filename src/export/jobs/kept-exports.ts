import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Attachment } from "../../reply/attachment.ts";
import type { ExportJobRow, Store } from "../../store/store.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Stored } from "../split-file.ts";
import type { TemporaryFiles } from "../temporary-file.ts";
import { deliver, type Delivery, type EndedJob, type Into } from "./deliver.ts";
import { jobOf } from "./job.ts";
import type { KeptFiles } from "./kept-files.ts";

interface KeptExportsDependencies {
  readonly store: Pick<Store, "exports" | "processes">;
  readonly log: Log;
  readonly files: KeptFiles;
  /** Where archives are made. */
  readonly temporary: TemporaryFiles;
  /** Where kept files can be downloaded; undefined = nowhere. */
  readonly publicUrl: string | undefined;
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
    await this.#noteMade(code, delivery);
    const { tooLarge } = delivery;
    if (tooLarge === undefined || publicUrl === undefined || row.link === null) return delivery;
    const link = new URL(`/download/${row.link}/${encodeURIComponent(row.name)}`, publicUrl).href;
    return { ...delivery, tooLarge: { ...tooLarge, link } };
  }

  /**
   * Records archives and parts, to recognise them when they are given back. An answer does not fail where the database
   * does.
   */
  async #noteMade(code: string, { made = [] }: Delivery): Promise<void> {
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
