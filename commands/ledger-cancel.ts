import {
  CODE_OPTION,
  isRunning,
  jobWords,
  noSuchJob,
  stateWords,
  suggestExports,
} from "../src/answers/exports/exports.ts";
import { command } from "../src/bot/command.ts";
import { exportAsker } from "../src/bot/export-asker.ts";
import { paragraph } from "../src/reply/block.ts";
import { reply } from "../src/reply/reply.ts";
import { text } from "../src/reply/text.ts";

export const ledgerCancel = command({
  name: "ledger cancel",
  asked: ["cancel|stop|abort|kill export"],
  summary: "Stop one of your ledger exports at once",
  verb: "Cancel export",
  examples: ["ledger cancel <code>"],
  access: "everyone",
  changes: true,
  shownBy: "ledger list",
  personal: true,
  anyNetwork: true,
  options: { code: { ...CODE_OPTION, label: "Running export", closed: true, suggest: suggestExports(isRunning) } },
  run: async (context) => {
    const asker = exportAsker(context);
    const done = await context.exports.cancel(asker, context.options.code);
    if (done === undefined) throw noSuchJob(context.options.code);
    const { job, stopped } = done;
    const what = jobWords(asker, job);
    return stopped
      ? reply({ title: text`Cancelled: ${what}`, blocks: [paragraph("Nothing of it is kept.")] })
      : reply({ title: text`Nothing to cancel: ${what}`, blocks: [paragraph(stateWords(job))] });
  },
});
