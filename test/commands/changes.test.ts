import { expect, test } from "vitest";

import { commands } from "../../commands/index.ts";
import { dumpTables } from "../support/dump-tables.ts";
import { talkInOps } from "./alert-channel.ts";

const changing = new Set(commands.filter(({ changes }) => changes === true).map(({ name }) => name));

test("a command that is not declared to change something changes nothing; no action repeats one that is", async () => {
  const talk = await talkInOps();
  // The first look at alerts makes the database.
  await talk.ask("alerts list");
  const { orderId, partyId, proposalId } = talk.samples;
  const faults: string[] = [];
  for (const { name, examples } of commands) {
    if (["ledger export", "alerts drill"].includes(name)) continue;
    for (const example of examples) {
      const line = example
        .replace("<id>", name === "my party" ? partyId : orderId)
        .replace("<party>", partyId)
        .replace("<proposal>", proposalId);
      const before = dumpTables(talk.database);
      const { actions } = await talk.askFor(line);
      const after = dumpTables(talk.database);
      if (!changing.has(name) && after.join("\n") !== before.join("\n")) faults.push(`${line} changed something`);
      for (const action of actions) {
        if (!("invocation" in action) || action.effect !== "replace") continue;
        if (changing.has(action.invocation.command)) faults.push(`${line} offers ${action.label} in its place`);
      }
    }
  }
  expect(faults).toEqual([]);
});

test("what a command changes is shown by another one, which changes nothing", () => {
  const shown = commands.flatMap(({ changes, name, shownBy }) => (changes === true ? [[name, shownBy]] : []));
  const showing = commands.filter(({ changes }) => changes !== true).map(({ name }) => name);
  expect(shown.filter(([, by]) => !showing.includes(by ?? ""))).toEqual([]);
});
