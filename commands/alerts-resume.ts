import { SUBSCRIPTION_OPTION } from "../src/answers/alert-options.ts";
import { command } from "../src/bot/command.ts";
import { reply } from "../src/reply/reply.ts";

export const alertsResume = command({
  name: "alerts resume",
  summary: "Goes on with an alert that was paused",
  examples: ["alerts resume 7k2mq"],
  access: "everyone",
  audience: "caller",
  options: { id: SUBSCRIPTION_OPTION },
  run: () => Promise.resolve(reply({ title: "Not yet" })),
});
