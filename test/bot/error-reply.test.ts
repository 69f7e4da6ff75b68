import { expect, it } from "vitest";

import { errorReply } from "../../src/bot/error-reply.ts";
import { StorageError } from "../../src/errors.ts";
import { silentLog } from "../../src/log.ts";

it("a full disk is told as what it is: not the asker's mistake, and without where the database is", () => {
  const told = errorReply(
    new StorageError("The bot's disk is full: /srv/b.db: database or disk is full", {
      title: "The bot's disk is full",
      cause: undefined,
    }),
    { log: silentLog(), command: "my party", signal: AbortSignal.abort() },
  );
  expect(told).toMatchObject({ failure: "bug", tone: "bad", title: [{ text: "The bot's disk is full" }] });
  expect(JSON.stringify(told)).toContain("Nothing of this was kept");
  expect(JSON.stringify(told)).not.toContain("/srv");
});

it("where the asker can do something about it, that is told instead", () => {
  const told = errorReply(
    new StorageError("full", { title: "The bot's disk is full", remedy: "Ask for a shorter range", cause: undefined }),
    { log: silentLog(), command: "ledger export", signal: new AbortController().signal },
  );
  expect(JSON.stringify(told)).toContain("you did nothing wrong. Ask for a shorter range; the log");
  expect(told.failure).toBe("bug");
});
