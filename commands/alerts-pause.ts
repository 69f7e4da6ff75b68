import { SUBSCRIPTION_OPTION } from "../src/answers/alert-options.ts";
import { command } from "../src/bot/command.ts";
import { reply } from "../src/reply/reply.ts";

export const alertsPause = command({
  name: "alerts pause",
  summary: "Holds one alert back until it is resumed",
  examples: ["alerts pause 7k2mq"],
  access: "everyone",
  audience: "caller",
  options: { id: SUBSCRIPTION_OPTION },
  run: () => Promise.resolve(reply({ title: "Not yet" })),
});
