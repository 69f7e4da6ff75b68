import { expect, test } from "vitest";

import { talkToSimulator } from "./conversation.ts";

test("one node: its version and commit, and whether the bot was built for it", async () => {
  const { ask } = await talkToSimulator();
  const screen = await ask("info");
  expect(screen).toMatch(/^✓ mainnet: data node v0\.71\.6/u);
  expect(screen).toContain("Built for v0.71; this node says v0.71.6.");
  expect(screen).toMatch(/Commit +0d6ad7f1e7d2f0f1b5c8a1b5c7e9f0a3d4c2b1a0/u);
});

test("another release is named beside the one the bot was built for", async () => {
  const { ask, simulator } = await talkToSimulator();
  simulator.configure("mainnet", 1, { version: "v0.74.1" });
  const screen = await ask("info");
  expect(screen).toContain("Built for v0.71; this node says v0.74.1.");
  expect(screen).toContain("passed through");
});

test("differences between nodes are marked", async () => {
  const { ask, simulator } = await talkToSimulator({ nodes: 3 });
  expect(await ask("info")).toMatch(/sim-3 +v0\.71\.4 +[0-9a-f]{40} +other version/u);
  simulator.configure("mainnet", 3, { version: "v0.71.6", commitHash: "ff".repeat(20) });
  const screen = await ask("info");
  expect(screen).toContain("from different commits");
  expect(screen).toMatch(/sim-3 +v0\.71\.6 +(ff){20} +other commit/u);
});

test("a node that does not answer has its line; when none does, the network failed", async () => {
  const { ask, askFor, simulator } = await talkToSimulator({ nodes: 3 });
  simulator.faults.set({ kind: "die", network: "mainnet", node: 2 });
  const screen = await ask("info");
  expect(screen).toMatch(/^! .*1 of 3 nodes did not answer/u);
  expect(screen).toMatch(/sim-2 .* no answer: broke off the connection/u);
  simulator.faults.set({ kind: "die", network: "mainnet" });
  expect(await askFor("info")).toMatchObject({ failure: "network", tone: "bad" });
});
