import { expect, test } from "vitest";

import { withFirstPicks } from "../../../src/adapters/chat/button-plan.ts";
import type { Action } from "../../../src/reply/document.ts";
import { commandAction, reply, type Reply } from "../../../src/reply/reply.ts";

const list = (labels: readonly string[]): Action => ({
  label: "Asset",
  effect: "reply",
  choices: labels.map((label) => ({ label, invocation: { command: "ledger export", options: { asset: label } } })),
});

const question = (...actions: readonly Action[]): Reply => reply({ title: "Which asset?", asks: true, actions });

/** Each press by its label; a list by what it holds. */
const presses = ({ actions }: Reply): readonly string[] =>
  actions.map((one) => ("choices" in one ? one.choices.map(({ label }) => label).join("|") : one.label));

const save: Action = { ...commandAction("Save my party", "my party"), form: true };
const byId: Action = { ...commandAction("By its id", "ledger export"), form: true };
const long = "Margin check failed · sell 29,410 TSLA/EURo at 370.25";

test.each<readonly [string, Reply, readonly string[]]>([
  [
    "the first two of a list are a press each, and stand in it as well",
    question(save, byId, list(["A", "B", "C", "D"])),
    [save.label, byId.label, "A", "B", "A|B|C|D"],
  ],
  ["a short list stays", question(list(["A", "B", "C"])), ["A|B|C"]],
  ["long words stay in the list", question(list([long, "B", "C", "D"])), [`${long}|B|C|D`]],
  ["of two lists each stays", question(list(["A", "B", "C", "D"]), list(["E", "F"])), ["A|B|C|D", "E|F"]],
  ["an answer asks for nothing", reply({ title: "All assets", actions: [list(["A", "B", "C", "D"])] }), ["A|B|C|D"]],
])("%s, however often it is drawn", (_, given, shown) => {
  const once = withFirstPicks(given);
  expect([presses(once), withFirstPicks(once)]).toEqual([shown, once]);
});
