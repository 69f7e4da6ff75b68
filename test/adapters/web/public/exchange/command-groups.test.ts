import { expect, test } from "vitest";

import { commandGroups } from "../../../../../src/adapters/web/public/exchange/command-groups.js";

test("commands stand with those of their first word, those without company first", () => {
  const commands = ["time", "market list", "market show", "order", "alerts add", "ledger export", "alerts list"].map(
    (name) => ({ name, summary: "", examples: [], needs: [], takesFile: false, changes: false }),
  );
  const groups = commandGroups(commands).map(([title, members]) => [title, members.map(({ name }) => name)]);
  expect(groups).toEqual([
    ["Network", ["time", "order", "ledger export"]],
    ["Market", ["market list", "market show"]],
    ["Alerts", ["alerts add", "alerts list"]],
  ]);
});
