import { exportAsker } from "../../bot/export-asker.ts";
import { quoteTyped } from "../../bot/nearest.ts";
import type { TextOption } from "../../bot/options/options.ts";
import { UserError } from "../../errors.ts";
import { plainText } from "../../reply/plain-text.ts";
import { jobWords } from "./exports.ts";

/** Names an export; completes the caller's own. */
export const CODE_OPTION = {
  kind: "text",
  required: true,
  description: "The export's code; ledger list shows it",
  example: "7k2m9xqd",
  maxLength: 40,
  suggest: async (typed, context) => {
    const asker = exportAsker(context);
    const wanted = typed.trim().toLowerCase();
    return (await context.exports.list(asker))
      .filter(({ code }) => code.startsWith(wanted))
      .map((job) => ({
        label: `${job.code}: ${plainText(jobWords(asker, job))}, ${job.state}`.slice(0, 100),
        value: job.code,
      }));
  },
} as const satisfies TextOption;

/** The mistake of an unknown code. It is the same for somebody else's job, so that nobody learns of that job. */
export function noSuchJob(typed: string): UserError {
  return new UserError(`There is no export ${quoteTyped(typed)} of yours.`, {
    option: "code",
    remedy: "Exports are kept for 24 hours. This shows yours:",
    suggestion: "ledger list",
  });
}
