import { randomBytes } from "node:crypto";

import { messageOf } from "../../errors.ts";
import { inTime, type Milliseconds } from "../../units/time.ts";
import type { Log } from "../../log.ts";
import type { OpenAnswerRow, OpenAnswerTable } from "../../store/store.ts";
import { KEY_BYTES, KeyRing } from "./key-ring.ts";
import { parseJson } from "./parse-json.ts";

/** An answer that takes longer is remembered. */
const REMEMBERED_AFTER: Milliseconds = 2000;
/** How long it is remembered, from the question on: as long as Discord lets it be closed. */
const KEPT_FOR: Milliseconds = 900_000;
/** How long an answer waits for the store to note that it is sent, or that it is over. */
const NOTE_MILLIS: Milliseconds = 1000;

/** An answer that a dead process left open. */
export interface LeftAnswer {
  /** What closes it, as it was given at its beginning. */
  readonly content: unknown;
  /** The answer was being sent: nobody knows whether it arrived. */
  readonly isUncertain: boolean;
  /** After this no later start closes it. */
  forget(): Promise<void>;
}

/** An answer that is being made. No method rejects. */
export interface OpenAnswer {
  /** What closes it has changed: it is stored anew. */
  changed(): void;
  /** The answer is sent next. Resolves once that is stored, after a second at the latest. */
  answering(): Promise<void>;
}

/** What is said of an answer at its beginning. */
interface Opening {
  readonly workspace: string | undefined;
  /** What closes the answer, as JSON; asked for when it is remembered. */
  readonly content: () => unknown;
  /** Aborted when the adapter stops: the next start closes what that breaks off. */
  readonly stopping: AbortSignal;
}

export interface OpenAnswersOptions {
  readonly platform: string;
  readonly table: OpenAnswerTable;
  /** Names this process. */
  readonly self: string;
  readonly keys: KeyRing;
  /** Calls the listener when another process has died. */
  readonly onFewer: (listener: () => void) => void;
  readonly log: Log;
  /** Unix milliseconds. */
  readonly now?: () => Milliseconds;
  readonly rememberedAfter?: Milliseconds;
}

const UNREMEMBERED: OpenAnswer = { changed: () => undefined, answering: () => Promise.resolve() };

/**
 * Remembers answers that take long, with what is needed to close them, so that nobody waits for one that a crash has
 * broken off.
 */
export class OpenAnswers {
  readonly #options: OpenAnswersOptions | undefined;
  /** What closes or changes a message, sealed; without keys of the operator only this process opens it. */
  readonly keys: Pick<KeyRing, "seal" | "open">;

  /** Without options nothing is remembered. */
  constructor(options?: OpenAnswersOptions) {
    this.#options = options;
    this.keys = options?.keys ?? new KeyRing([randomBytes(KEY_BYTES)]);
  }

  /** Does the work of an answer. Rejects as the work does. */
  async during<T>({ workspace, content, stopping }: Opening, work: (open: OpenAnswer) => Promise<T>): Promise<T> {
    if (this.#options === undefined) return work(UNREMEMBERED);
    const { keys, log, now = Date.now, platform, rememberedAfter = REMEMBERED_AFTER, self, table } = this.#options;
    const id = randomBytes(16).toString("hex");
    const of = { id, platform, workspace: workspace ?? "", process: self, expires_at: now() + KEPT_FOR };
    let answering: 0 | 1 = 0;
    let writing: Promise<void> | undefined;
    /** Writes one after the other. */
    const write = (what: () => Promise<void>): void => {
      writing = (writing ?? Promise.resolve())
        .then(what)
        .catch((thrown: unknown) => log.warn({ platform, why: messageOf(thrown) }, "open answer not noted"));
    };
    const put = (): void =>
      write(() => table.put({ ...of, answering, sealed: keys.seal(JSON.stringify(content()), aboutOf(platform, id)) }));
    const timer = setTimeout(put, rememberedAfter).unref();
    const change = (): void => {
      if (writing !== undefined) put();
    };
    const written = (): Promise<void> => inTime(writing ?? Promise.resolve(), { millis: NOTE_MILLIS }, () => undefined);
    const end = async (): Promise<void> => {
      clearTimeout(timer);
      if (writing === undefined) return;
      write(() => table.remove(id));
      await written();
    };
    try {
      const outcome = await work({
        changed: change,
        async answering() {
          answering = 1;
          change();
          await written();
        },
      });
      await end();
      return outcome;
    } catch (error) {
      if (!stopping.aborted) await end();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes what dead processes left: now, and whenever another one dies. Never rejects. */
  async closeLeft(close: (left: LeftAnswer) => Promise<void>, stopping: AbortSignal): Promise<void> {
    if (this.#options === undefined) return;
    const { keys, log, onFewer, platform, self, table } = this.#options;
    const closeOne = async (row: OpenAnswerRow): Promise<void> => {
      const opened = keys.open(row.sealed, aboutOf(platform, row.id));
      // Another process may have its key.
      if (opened === undefined || !(await table.claim(row, self))) return;
      const forget = (): Promise<void> => table.remove(row.id);
      try {
        await close({ content: parseJson(opened), isUncertain: row.answering === 1, forget });
        log.info({ platform }, "open answer closed");
      } catch (thrown) {
        log.warn({ platform, why: messageOf(thrown) }, "open answer not closed");
        // The next start tries again what a stop has broken off.
        if (!stopping.aborted) await forget();
      }
    };
    const look = async (): Promise<void> => {
      try {
        await Promise.all((await table.left(platform, self)).map(closeOne));
      } catch (thrown) {
        log.warn({ platform, why: messageOf(thrown) }, "open answer not closed");
      }
    };
    onFewer(() => void look());
    await look();
  }
}

function aboutOf(platform: string, id: string): string {
  return `open answer ${platform}/${id}`;
}
