import { expect, onTestFinished, test } from "vitest";

import { loopbackNode, type StubResponse } from "../support/loopback-node.ts";
import { saying } from "../support/said.ts";
import { talk } from "../support/talk.ts";
import { talkToSimulator } from "./conversation.ts";

test("one node: its version and commit, and whether the bot was built for it", async () => {
  const { ask } = await talkToSimulator();
  const screen = await ask("info");
  expect(screen).toMatch(saying("✓", "mainnet", "v0.71.6"));
  expect(screen).toMatch(saying("✓", "v0.71", "v0.71.6"));
  expect(screen).toMatch(saying("0d6ad7f1e7d2f0f1b5c8a1b5c7e9f0a3d4c2b1a0"));
});

test("another release is named beside the one the bot was built for", async () => {
  const { ask, simulator } = await talkToSimulator();
  simulator.configure("mainnet", 1, { version: "v0.74.1" });
  const screen = await ask("info");
  expect(screen).toMatch(saying("v0.71", "v0.74.1"));
  expect(screen).toMatch(/^✓/u);
});

test("differences between nodes are marked", async () => {
  const { ask, simulator } = await talkToSimulator({ nodes: 3 });
  expect(await ask("info")).toMatch(saying("sim-3", "v0.71.4", /[0-9a-f]{40}/u));
  simulator.configure("mainnet", 3, { version: "v0.71.6", commitHash: "ff".repeat(20) });
  const screen = await ask("info");
  expect(screen).toMatch(/^!/u);
  expect(screen).toMatch(saying("sim-3", "v0.71.6"));
});

test("a node that does not answer has its line; when none does, the network failed", async () => {
  const { ask, askFor, simulator } = await talkToSimulator({ nodes: 3 });
  simulator.faults.set({ kind: "die", network: "mainnet", node: 2 });
  const screen = await ask("info");
  expect(screen).toMatch(saying("!", 1, 3));
  expect(screen).toMatch(saying("sim-2"));
  simulator.faults.set({ kind: "die", network: "mainnet" });
  expect(await ask("info")).toMatch(saying("✗", "mainnet", 3, "sim-1", "sim-2", "sim-3"));
  expect(await askFor("info")).toMatchObject({ failure: "network" });
});

test("a silent node does not delay the others' answers, and is reported as silent", { timeout: 15_000 }, async () => {
  const { ask, simulator } = await talkToSimulator({ nodes: 3 });
  simulator.faults.set({ kind: "slow", millis: 60_000, network: "mainnet", node: 2 });
  const screen = await ask("info");
  expect(screen).toMatch(saying("!", 1, 3));
  expect(screen).toMatch(saying("sim-2", "3 s"));
  expect(screen).toMatch(/sim-3 +v0\.71\./u);
});

test.each<[string, readonly StubResponse[], RegExp]>([
  ["one that names nothing", [{ body: { version: "" } }], saying("!", "mainnet")],
  ["two that name nothing", [{ body: { version: "" } }, { body: { version: "" } }], saying("!", "mainnet", 2, 2)],
  [
    "one of two",
    [{ body: { version: "" } }, { body: { version: "v0.71.6", commitHash: "ab" } }],
    saying("!", "mainnet", 1, 2),
  ],
  ["pages of a proxy", [{ body: "<html>hello" }, { status: 404, body: "<html>" }], saying("✗", "mainnet", 2)],
])("no version is no good news: %s", async (_name, says, shown) => {
  expect(await askNodes(says, "info")).toMatch(shown);
});

async function askNodes(says: readonly StubResponse[], line: string): Promise<string> {
  const nodes = await Promise.all(says.map((say) => loopbackNode(() => say)));
  const conversation = await talk({ networks: { mainnet: nodes.map(({ url }) => url) } });
  onTestFinished(async () => {
    await conversation[Symbol.asyncDispose]();
    await Promise.all(nodes.map((node) => node.close()));
  });
  return conversation.ask(line);
}
