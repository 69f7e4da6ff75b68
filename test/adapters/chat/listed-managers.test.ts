import { expect, test } from "vitest";

import type { Bot } from "../../../src/bot/bot.ts";
import type { Caller } from "../../../src/bot/invocation.ts";
import { withListedManagers } from "../../../src/adapters/chat/listed-managers.ts";
import { echoBot } from "../web/harness.ts";

const CHANNEL = { platform: "discord", workspace: "g1", channel: "c1", files: { maxBytes: 1, maxCount: 1 } } as const;

async function callerSeen(bot: Bot, asked: () => Caller | undefined, caller: Caller, workspace = true) {
  const { workspace: _, ...direct } = CHANNEL;
  const here = workspace ? CHANNEL : direct;
  await bot.run({ command: "alerts add", options: {}, here, caller, signal: new AbortController().signal });
  return asked();
}

function setUp(listed: readonly string[]) {
  const inner = echoBot();
  const bot = withListedManagers(inner, listed);
  return (id: string, mayManageChannel: boolean, workspace = true) =>
    callerSeen(bot, () => inner.asked.at(-1)?.caller, { id, name: id, mayManageChannel }, workspace);
}

test.each([
  { listed: [], id: "11", had: true, has: true },
  { listed: [], id: "11", had: false, has: false },
  { listed: ["11"], id: "11", had: false, has: true },
  { listed: ["11"], id: "12", had: true, has: false },
])("with $listed, $id who managed the channel: $had may: $has", async ({ listed, id, had, has }) => {
  expect(await setUp(listed)(id, had)).toMatchObject({ id, mayManageChannel: has });
});

test.each([
  { groups: ["77", "11"], has: true },
  { groups: ["77"], has: false },
])("whoever is in a listed role may: $groups", async ({ groups, has }) => {
  const inner = echoBot();
  const bot = withListedManagers(inner, ["11"]);
  const caller = { id: "12", name: "12", mayManageChannel: false, groups };
  expect(await callerSeen(bot, () => inner.asked.at(-1)?.caller, caller)).toMatchObject({
    groups,
    mayManageChannel: has,
  });
});

test("who may not is told why, and rules in direct messages all the same", async () => {
  const ask = setUp(["11"]);
  expect(await ask("12", true)).toMatchObject({ mayManageChannel: false, mayNotManage: expect.any(String) });
  expect(await ask("12", true, false)).toEqual({ id: "12", name: "12", mayManageChannel: true });
});

test("who is listed manages every channel of the server, and who is not manages none, whatever the platform says", async () => {
  const inner = echoBot();
  const bot = withListedManagers(inner, ["11"]);
  const seen = (id: string) =>
    callerSeen(bot, () => inner.asked.at(-1)?.caller, { id, name: id, mayManageChannel: true, managesWorkspace: true });
  expect(await seen("11")).toMatchObject({ managesWorkspace: true });
  expect(await seen("12")).not.toHaveProperty("managesWorkspace");
  const managed = () => Promise.resolve(new Set(["c1"]));
  const caller = { id: "12", name: "12", mayManageChannel: true };
  await bot.run({
    command: "alerts told",
    options: {},
    here: CHANNEL,
    caller,
    managed,
    signal: new AbortController().signal,
  });
  expect(await inner.asked.at(-1)?.managed?.()).toEqual(new Set());
});

test("a form, too, is sent by those who are listed alone", async () => {
  const asked: (Caller | undefined)[] = [];
  const note = async (invocation: { readonly caller: Caller }) => {
    asked.push(invocation.caller);
    return undefined;
  };
  const submit: Bot["submit"] = async (invocation) => {
    await note(invocation);
    return { ok: false, faults: [] };
  };
  const bot = withListedManagers({ ...echoBot(), present: note, submit }, ["11"]);
  const caller = { id: "12", name: "12", mayManageChannel: true };
  const invocation = {
    command: "alerts add",
    options: {},
    here: CHANNEL,
    caller,
    signal: new AbortController().signal,
  };
  await bot.submit(invocation);
  await bot.present(invocation);
  expect(asked.map((one) => one?.mayManageChannel)).toEqual([false, false]);
});
