import { EPISODE_OPTION } from "../src/answers/alert-options.ts";
import { command } from "../src/bot/command.ts";
import { reply } from "../src/reply/reply.ts";

export const alertsAck = command({
  name: "alerts ack",
  summary: "Acknowledges an alert: no more reminders of it",
  examples: ["alerts ack network.stalled"],
  access: "channel-manager",
  audience: "caller",
  options: { episode: EPISODE_OPTION },
  run: () => Promise.resolve(reply({ title: "Not yet" })),
});
