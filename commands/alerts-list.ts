import { command } from "../src/bot/command.ts";
import { reply } from "../src/reply/reply.ts";

export const alertsList = command({
  name: "alerts list",
  summary: "What this channel is told of, and what you watch for yourself",
  examples: ["alerts list"],
  access: "everyone",
  audience: "caller",
  options: { ended: { kind: "flag", description: "Also those that are over", default: false } },
  run: () => Promise.resolve(reply({ title: "Not yet" })),
});
