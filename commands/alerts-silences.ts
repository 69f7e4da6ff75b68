import { command } from "../src/bot/command.ts";
import { reply } from "../src/reply/reply.ts";

export const alertsSilences = command({
  name: "alerts silences",
  summary: "The silences that hold, or will",
  examples: ["alerts silences"],
  access: "everyone",
  audience: "caller",
  options: {},
  run: () => Promise.resolve(reply({ title: "Not yet" })),
});
