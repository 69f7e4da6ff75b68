import { describe, expect, test } from "vitest";

import { localRunner } from "../../../src/adapters/terminal/line-runner.ts";
import type { ApiClient } from "../../../src/api/api-client.ts";
import { createBot } from "../../../src/bot/bot.ts";
import { command } from "../../../src/bot/command.ts";
import { silentLog } from "../../../src/log.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { reply } from "../../../src/reply/reply.ts";
import { noAlertService } from "../../support/alert-service.ts";
import { NO_EXPORTS } from "../../support/export-jobs.ts";
import { PLATFORMS } from "../../support/platforms.ts";

// The command below never touches its client.
const client = (network: string): ApiClient => ({ network, simulated: false }) as ApiClient;

const whereAmI = command({
  name: "where",
  summary: "Says what it was asked",
  examples: ["where"],
  access: "channel-manager",
  audience: "channel",
  options: { who: { kind: "text", description: "Who", example: "me" } },
  run: async (context) => {
    const { network, here, options } = context;
    context.progress(reply({ title: "half way" }));
    return reply({ title: `${here.platform} ${network} ${options.who ?? "nobody"}` });
  },
});

/** Takes one question; anything else is the mistake that it was. */
const question = command({
  name: "ask",
  summary: "Takes a question",
  options: { question: { kind: "text", required: true, rest: true, description: "A question", example: "up now" } },
  run: async ({ here, network, options, slip }) => {
    if (options.question !== "up now") throw slip ?? new Error("another question");
    return reply({ title: `${here.platform} ${network} is up` });
  },
});

const runner = localRunner(
  createBot({
    platforms: PLATFORMS,
    commands: [whereAmI, question],
    clients: [client("mainnet"), client("testnet")],
    seen: { note: async () => {}, find: async () => [] },
    parties: {
      save: async () => "saved",
      list: async () => [],
      forget: async () => false,
      erase: async () => undefined,
    },
    exports: NO_EXPORTS,
    alerts: noAlertService(),
    log: silentLog(),
  }),
);
const { signal } = new AbortController();
const title = async (line: string, network?: string): Promise<string> =>
  plainText((await runner.run(line, { signal, ...(network === undefined ? {} : { network }) })).title);

describe("a line is asked", () => {
  test.each([
    ["where", undefined, "terminal mainnet nobody"],
    ["where me", "testnet", "terminal testnet me"],
    ["where network:mainnet", "testnet", "terminal mainnet nobody"],
    ['where "a b"', "testnet", "terminal testnet a b"],
    ["up now", "testnet", "terminal testnet is up"],
  ])("%s with the network %s: %s", async (line, network, said) => {
    expect(await title(line, network)).toBe(said);
  });

  test.each([
    ["wher", "testnet", "wher"],
    ['where "a', "testnet", '"'],
    ["where", "moon", "moon"],
  ])("%s with the network %s is refused, naming %s", async (line, network, named) => {
    const answer = await runner.run(line, { signal, network });
    expect([answer.failure, plainText(answer.title)]).toEqual(["caller", expect.stringContaining(named)]);
  });

  test("and says how far it is", async () => {
    const heard: string[] = [];
    await runner.run("where", { signal, progress: (report) => heard.push(plainText(report.title)) });
    expect(heard).toEqual(["half way"]);
  });
});

test("a line is completed", async () => {
  expect(await runner.complete("wh")).toEqual([{ line: "where ", label: "Says what it was asked" }]);
});
