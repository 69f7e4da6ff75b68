import { expect, test } from "vitest";

import type { AnswerAudience, Preview } from "../../../../src/adapters/adapter.ts";
import type { Question } from "../../../../src/adapters/web/invocations/question.ts";
import type { ApiClient } from "../../../../src/api/api-client.ts";
import { createBot } from "../../../../src/bot/bot.ts";
import type { AnyCommand } from "../../../../src/bot/command.ts";
import { UserError } from "../../../../src/errors.ts";
import { silentLog } from "../../../../src/log.ts";
import { type Ask, reply } from "../../../../src/reply/reply.ts";
import { noAlertService } from "../../../support/alert-service.ts";
import { startConsole } from "../harness.ts";
import { NO_EXPORTS } from "../../../support/export-jobs.ts";
import { PLATFORMS } from "../../../support/platforms.ts";

function sample(name: string, audience: "caller" | "channel", more: Partial<AnyCommand> = {}): AnyCommand {
  return {
    name,
    summary: name,
    examples: [name],
    access: "everyone",
    audience,
    options: {},
    run: async () => reply({ title: name }),
    ...more,
  };
}

// These commands ask no network.
const bot = createBot({
  platforms: PLATFORMS,
  commands: [
    sample("time", "channel"),
    sample("market show", "caller"),
    sample("my parties", "caller", { personal: true }),
    sample("answers set", "channel", { announced: true, changes: true }),
    sample("stake", "channel", {
      run: async () => Promise.reject(new UserError("There is no such party.", { remedy: "Name another." })),
    }),
  ],
  clients: [{ network: "mainnet", simulated: false } as ApiClient],
  seen: { note: async () => {}, find: async () => [] },
  parties: { save: async () => "saved", list: async () => [], forget: async () => false, erase: async () => undefined },
  exports: NO_EXPORTS,
  alerts: noAlertService(),
  log: silentLog(),
});

const asked = (command: string, options: Ask["options"] = {}): Pick<AnswerAudience, "ask"> => ({
  ask: { command, options },
});

test.each<[Question, AnswerAudience]>([
  [{ text: "time" }, { visibility: "channel", isDefault: true, ...asked("time") }],
  [{ text: "time private:yes" }, { visibility: "caller", isDefault: false, ...asked("time", { private: "yes" }) }],
  [{ text: "market show" }, { visibility: "caller", isDefault: true, ...asked("market show") }],
  [
    { command: "market show", options: { private: false } },
    { visibility: "channel", isDefault: false, ...asked("market show", { private: false }) },
  ],
  [{ text: "my parties" }, { visibility: "caller", isDefault: true, personal: true, ...asked("my parties") }],
  // What changes something is not asked again.
  [{ text: "answers set" }, { visibility: "channel", isDefault: false }],
  // A failure is for the asker only, whether the line could be parsed or not.
  [{ text: "tiem" }, { visibility: "caller", isDefault: true }],
  [{ text: "stake private:no" }, { visibility: "caller", isDefault: true }],
])("%j is previewed for %j", async (question, audience) => {
  const seen: unknown[] = [];
  const spy: Preview = { platform: "discord", name: "Discord", render: (_reply, as) => void seen.push(as) };
  await using harness = await startConsole(bot, { previews: [spy] });
  await harness.post("/api/invocations?previews=1", question);
  expect(seen).toEqual([audience]);
});
