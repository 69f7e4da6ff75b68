import { expect, it } from "vitest";

import { errorReply } from "../../src/bot/error-reply.ts";
import { StorageError, UserError } from "../../src/errors.ts";
import { silentLog } from "../../src/log.ts";
import { toServerError } from "../../src/store/postgres/pool.ts";

it("a full disk is named: not the caller's mistake, and without the database's path", () => {
  const reply = errorReply(
    new StorageError("The bot's disk is full: /srv/b.db: database or disk is full", {
      title: "The bot's disk is full",
      cause: undefined,
    }),
    { log: silentLog(), command: "my party", signal: AbortSignal.abort() },
  );
  expect(reply).toMatchObject({ failure: "bug", tone: "bad", title: [{ text: "The bot's disk is full" }] });
  expect(JSON.stringify(reply)).toMatch(/"[0-9a-f]{8}"/u);
  expect(JSON.stringify(reply)).not.toContain("/srv");
});

it("a database server that cannot be reached is the network's failure, as at the start of the bot", () => {
  const thrown = toServerError(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }), "db/bell");
  const reply = errorReply(thrown, { log: silentLog(), command: "my parties", signal: new AbortController().signal });
  expect(reply).toMatchObject({ failure: "network", tone: "bad" });
});

it("a remedy for the caller is shown instead", () => {
  const reply = errorReply(
    new StorageError("full", { title: "The bot's disk is full", remedy: "Ask for a shorter range", cause: undefined }),
    { log: silentLog(), command: "ledger export", signal: new AbortController().signal },
  );
  expect(JSON.stringify(reply)).toContain("Ask for a shorter range");
  expect(reply.failure).toBe("bug");
});

it.each([
  ["the value", "BTC", "BTC", "m1"],
  ["one word between commas", "ETH/USDT, btc", "btc", "ETH/USDT, m1"],
  ["one word between blanks", "node.down nod.lagging", "nod.lagging", "node.down m1"],
  ["a value with blanks", "BTC perpetual", "BTC perpetual", "m1"],
])("%s that may mean another can be chosen in its place", (_what, given, typed, asked) => {
  const meanings = { typed, values: [{ label: "Bitcoin", value: "m1" }] };
  const { actions } = errorReply(new UserError("Which?", { option: "subjects", remedy: "Choose one.", meanings }), {
    log: silentLog(),
    command: "alerts add",
    options: { subjects: given, private: true },
    signal: new AbortController().signal,
  });
  expect(actions).toEqual([
    {
      label: "Bitcoin",
      invocation: { command: "alerts add", options: { subjects: asked, private: true } },
      effect: "replace",
    },
  ]);
});
