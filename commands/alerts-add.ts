import { SUBSCRIPTION_OPTIONS, TO_OPTION } from "../src/answers/alert-options.ts";
import { command } from "../src/bot/command.ts";
import { reply } from "../src/reply/reply.ts";

export const alertsAdd = command({
  name: "alerts add",
  summary: "Tells this channel of what happens; or you alone of an order, a stake or a bundle",
  examples: [
    "alerts add",
    "alerts add markets BTC/USDT style:thread",
    "alerts add market.price BTC/USDT high:70000",
    "alerts add order.final a1b2c3d4",
  ],
  access: "everyone",
  audience: "caller",
  options: { ...SUBSCRIPTION_OPTIONS, to: TO_OPTION },
  run: () => Promise.resolve(reply({ title: "Not yet" })),
});
