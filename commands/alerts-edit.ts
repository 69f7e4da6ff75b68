import { SUBSCRIPTION_OPTIONS, SUBSCRIPTION_OPTION } from "../src/answers/alert-options.ts";
import { command } from "../src/bot/command.ts";
import { reply } from "../src/reply/reply.ts";

export const alertsEdit = command({
  name: "alerts edit",
  summary: "Changes one alert: what is named is changed, the rest stays",
  examples: ["alerts edit 7k2mq quiet:22:00-07:00 zone:Europe/Berlin", "alerts edit 7k2mq high:75000"],
  access: "everyone",
  audience: "caller",
  options: { id: SUBSCRIPTION_OPTION, ...SUBSCRIPTION_OPTIONS },
  run: () => Promise.resolve(reply({ title: "Not yet" })),
});
