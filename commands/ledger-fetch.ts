import { CODE_OPTION, noSuchJob } from "../src/answers/exports/exports.ts";
import { endedReply } from "../src/answers/exports/ended.ts";
import { command } from "../src/bot/command.ts";
import { exportAsker } from "../src/bot/export-asker.ts";

export const ledgerFetch = command({
  name: "ledger fetch",
  asked: ["fetch|send|again|resend|lost file|export|csv"],
  summary: "The file of one of your exports, kept for 24 h",
  verb: "Fetch file",
  examples: ["ledger fetch <code>"],
  personal: true,
  anyNetwork: true,
  options: {
    code: CODE_OPTION,
    message: {
      kind: "integer",
      description: "Which message, if the file needs several",
      min: 1,
      max: 3,
    },
  },
  run: async (context) => {
    const found = await context.exports.fetch(
      exportAsker(context),
      context.options.code,
      { limits: context.here.files, number: context.options.message ?? 1 },
      context.signal,
    );
    if (found === undefined) throw noSuchJob(context.options.code);
    return endedReply(context, found, context.exports.standing(found.job.code));
  },
});
