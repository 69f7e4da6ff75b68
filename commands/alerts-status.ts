import { command } from "../src/bot/command.ts";
import { reply } from "../src/reply/reply.ts";

export const alertsStatus = command({
  name: "alerts status",
  summary: "How the networks and the alerts stand: verdicts, watchers, what is open, what is owed",
  examples: ["alerts status"],
  access: "everyone",
  audience: "channel",
  options: {},
  run: () => Promise.resolve(reply({ title: "Not yet" })),
});
