import { expect, it } from "vitest";

import { openAudienceSettings } from "../../src/bot/audience-settings.ts";
import type { AnswerChoice } from "../../src/store/store.ts";
import { settled } from "../api/virtual-clock.ts";

const choice = (markets: AnswerChoice["markets"]): AnswerChoice => ({
  platform: "slack",
  workspace: "T1",
  markets,
  by: "ann",
  at: 1,
});

it.each([
  ["that shares its store, within seconds", true, "channel"],
  ["that has its store to itself, never", false, "caller"],
] as const)("a choice made elsewhere is seen by a process %s", async (_which, shared, seen) => {
  let stored = choice("caller");
  let time = 0;
  const settings = await openAudienceSettings(
    { all: async () => [stored], keep: async () => undefined },
    { shared, now: () => time },
  );
  const ask = async (): Promise<string | undefined> => {
    const found = settings.of({ platform: "slack", workspace: "T1" })?.markets;
    await settled();
    return found;
  };
  stored = choice("channel");
  time += 4999;
  expect([await ask(), await ask()]).toEqual(["caller", "caller"]);
  time += 1;
  await ask();
  expect(await ask()).toBe(seen);
});

it("a choice stays as it was read last where the store fails", async () => {
  let time = 0;
  let fails = false;
  const all = async (): Promise<AnswerChoice[]> => {
    if (fails) throw new Error("no database");
    return [choice("channel")];
  };
  const settings = await openAudienceSettings({ all, keep: async () => undefined }, { shared: true, now: () => time });
  fails = true;
  time += 60_000;
  settings.of({ platform: "slack", workspace: "T1" });
  await settled();
  expect(settings.of({ platform: "slack", workspace: "T1" })?.markets).toBe("channel");
});
