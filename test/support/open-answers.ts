import { DatabaseSync } from "node:sqlite";

import { KeyRing } from "../../src/adapters/chat/key-ring.ts";
import { OpenAnswers } from "../../src/adapters/chat/open-answers.ts";
import type { Log } from "../../src/log.ts";
import type { Store } from "../../src/store/store.ts";

interface Remembering {
  readonly platform: string;
  readonly store: Pick<Store, "openAnswers">;
  readonly log: Log;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Left out: nothing is remembered. */
  readonly rememberedAfter?: number;
  readonly secretKeys?: readonly Uint8Array[];
}

/** The open answers of each process in turn: all of them but the last one are dead. */
export function openAnswersOf(of: Remembering): () => OpenAnswers {
  const { rememberedAfter, secretKeys = [new Uint8Array(32)], store, ...more } = of;
  let started = 0;
  return () => {
    if (rememberedAfter === undefined) return new OpenAnswers();
    const key = secretKeys[Math.min(started, secretKeys.length - 1)]!;
    started += 1;
    const own = { table: store.openAnswers, self: `process ${started}`, keys: new KeyRing([key]) };
    return new OpenAnswers({ ...more, ...own, rememberedAfter, onFewer: () => undefined });
  };
}

/** The answers that a database file remembers. */
export function rememberedIn(file: string) {
  using database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare("SELECT id, answering, sealed FROM open_answers").all();
  return rows.map(({ id, answering, sealed }) => ({
    id: String(id),
    answering: Number(answering),
    sealed: String(sealed),
  }));
}
