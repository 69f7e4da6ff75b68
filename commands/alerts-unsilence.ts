import { SILENCE_OPTION } from "../src/answers/alert-options.ts";
import { command } from "../src/bot/command.ts";
import { reply } from "../src/reply/reply.ts";

export const alertsUnsilence = command({
  name: "alerts unsilence",
  summary: "Ends a silence",
  examples: ["alerts unsilence 4hd9x"],
  access: "channel-manager",
  audience: "caller",
  options: { id: SILENCE_OPTION },
  run: () => Promise.resolve(reply({ title: "Not yet" })),
});
