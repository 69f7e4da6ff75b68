import { listReply } from "../src/answers/exports/exports.ts";
import { command } from "../src/bot/command.ts";
import { exportAsker } from "../src/bot/export-asker.ts";

export const ledgerList = command({
  name: "ledger list",
  asked: ["my|list|which|show|where|what export", "export run|queue|wait|ready|finish|done"],
  summary: "Your ledger exports of the last 24 hours",
  verb: "List exports",
  personal: true,
  anyNetwork: true,
  run: async (context) => {
    const asker = exportAsker(context);
    return listReply(context, asker, await context.exports.list(asker));
  },
});
