import { expect, test } from "vitest";

import { talkToSimulator } from "./conversation.ts";

// Each wrong value of a line is named in one answer, also what only the network, or the command itself, knows to be wrong.

test.each([
  ["ledger export zzz QQQ from:yesterweek columns:a,a", ["from", "“zzz”", "“QQQ”", "a twice"]],
  ["ledger export zzz QQQ from:2023-05-03 to:2023-05-01", ["earlier than", "“zzz”", "“QQQ”"]],
  ["alerts add market.price NOPE/XYZ high:abc quiet:zz", ["“NOPE/XYZ”", "high", "quiet"]],
  ["alerts add market.price NOPE/XYZ", ["“NOPE/XYZ”", "needs a threshold"]],
  ["alerts add node.dwn NOPE/XYZ rounds:0", ["“node.dwn”", "“NOPE/XYZ”", "rounds"]],
  [
    "alerts add node.down sim-9 high:5 mention:@nobody",
    ["sim-9", "high is for market.price", "Nobody can be notified"],
  ],
  ["alerts silence nodee.dwn for:zzz zone:Mars", ["“nodee.dwn”", "for is", "“Mars”"]],
  ["alerts silence node.down subject:sim-9 from:qq for:2h", ["“sim-9”", "from is"]],
  ["rotations node:nobody first:zzz", ["“nobody”", "first"]],
])("%s", async (line, named) => {
  const talk = await talkToSimulator();
  const said = await talk.ask(line);
  for (const words of named) expect(said).toContain(words);
  expect(talk.lastReply.failure).toBe("caller");
  // No choice that mends one value alone.
  expect(talk.lastReply.actions).toEqual([]);
});

test("where the network is wrong, no name is looked up on another one", async () => {
  const talk = await talkToSimulator();
  expect(await talk.ask("market show NOPE/XYZ network:moon")).not.toContain("NOPE");
});

test("a saved party's name is right, and so is all of them", async () => {
  const talk = await talkToSimulator();
  await talk.ask(`my party ${talk.samples.partyId} name:desk`);
  expect(await talk.ask("ledger export desk QQQ from:yesterweek")).not.toContain("desk");
  expect(await talk.ask("stake all network:moon")).not.toContain("all”");
});
