import { SILENCE_OPTIONS } from "../src/answers/alert-options.ts";
import { command } from "../src/bot/command.ts";
import { reply } from "../src/reply/reply.ts";

export const alertsSilence = command({
  name: "alerts silence",
  summary: "Keeps alerts back for a while here: one episode, a kind, a subject, or all",
  examples: ["alerts silence for:1h", "alerts silence node.down subject:api1 for:2h reason:maintenance"],
  access: "channel-manager",
  audience: "caller",
  options: SILENCE_OPTIONS,
  run: () => Promise.resolve(reply({ title: "Not yet" })),
});
