import { TO_OPTION } from "../src/answers/alert-options.ts";
import { command } from "../src/bot/command.ts";
import { reply } from "../src/reply/reply.ts";

export const alertsDrill = command({
  name: "alerts drill",
  summary: "Sends a message the whole way of an alert, and tells how long it took",
  examples: ["alerts drill"],
  access: "channel-manager",
  audience: "caller",
  options: { to: TO_OPTION },
  run: () => Promise.resolve(reply({ title: "Not yet" })),
});
