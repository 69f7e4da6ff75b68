import { LOG_OPTIONS } from "../src/answers/alert-options.ts";
import { command } from "../src/bot/command.ts";
import { reply } from "../src/reply/reply.ts";

export const alertsLog = command({
  name: "alerts log",
  summary: "What was decided and sent, newest first; as a file, all of it",
  examples: ["alerts log", "alerts log node.down", "alerts log file:yes"],
  access: "everyone",
  audience: "caller",
  options: LOG_OPTIONS,
  run: () => Promise.resolve(reply({ title: "Not yet" })),
});
