import { EPISODE_OPTION } from "../src/answers/alert-options.ts";
import { command } from "../src/bot/command.ts";
import { reply } from "../src/reply/reply.ts";

export const alertsWhy = command({
  name: "alerts why",
  summary: "The whole story of an alert: what was decided, sent and received, and when",
  examples: ["alerts why network.stalled"],
  access: "everyone",
  audience: "caller",
  options: { episode: EPISODE_OPTION },
  run: () => Promise.resolve(reply({ title: "Not yet" })),
});
