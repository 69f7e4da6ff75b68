import type { Delivery, EndedJob } from "../../export/jobs/deliver.ts";
import type { ExportResult, ExportStanding } from "../../export/jobs/job.ts";
import { type Block, paragraph } from "../../reply/block.ts";
import { type Action, reply, type Reply } from "../../reply/reply.ts";
import { commandLine, text, time } from "../../reply/text.ts";
import { fromMillis } from "../../units/nanoseconds.ts";
import { markSimulated } from "../../bot/simulated.ts";
import { jobWords, stateWords } from "./exports.ts";
import { type LedgerReplyContext, ledgerReply } from "./ledger-account.ts";
import { cancelAction, standingWords } from "./standing.ts";

/**
 * What became of somebody's own job, with its files: for `ledger fetch`, and for a direct message. `standing`: how far
 * one is that waits or runs.
 */
export function endedReply(
  context: Omit<LedgerReplyContext, "network">,
  { job, delivery }: EndedJob,
  standing?: ExportStanding,
): Reply {
  const what = jobWords(job, job);
  const again: Action[] =
    job.ask === undefined ? [] : [{ label: "Run it again", invocation: job.ask, effect: "reply" }];
  switch (job.state) {
    case "queued":
    case "running":
      return reply({
        title: text`Not done yet: ${what}`,
        blocks: [paragraph(standing === undefined ? stateWords(job) : standingWords(standing))],
        actions: [
          {
            label: "Look again",
            invocation: { command: "ledger fetch", options: { code: job.code } },
            effect: "replace",
          },
          cancelAction(job.code),
        ],
      });
    case "kept": {
      const { code, result, ask, network } = job;
      if (delivery?.elsewhere === true) {
        const fetch = { command: "ledger fetch", options: { code } };
        return reply({
          tone: "warning",
          title: text`Whole, but out of reach here: ${what}`,
          blocks: [
            paragraph(
              "Its file lies where another process of the bot runs, and this one cannot read it. Run the export again; or ask for the file once more, since another process may answer.",
            ),
          ],
          actions: [...again, { label: "Ask for the file again", invocation: fetch, effect: "replace" }],
        });
      }
      if (result === undefined || delivery === undefined || isGone(delivery, result)) {
        return reply({
          tone: "warning",
          title: text`No longer kept: ${what}`,
          blocks: [paragraph("Its file was removed to make room for later ones.")],
          actions: again,
        });
      }
      const { platforms, here } = context;
      const whole = ledgerReply(
        { platforms, here, network, now: () => context.now() },
        { code, result, ask, delivery },
      );
      const marked = result.file.asOf.simulated ? markSimulated(whole) : whole;
      return { ...marked, blocks: [...marked.blocks, ...keptNote(job)], actions: [...marked.actions] };
    }
    case "delivered":
      return reply({
        title: text`Delivered already: ${what}`,
        blocks: [
          paragraph(
            job.rows === 0
              ? "It had no entries, so there was no file."
              : "Its file came with the answer, and no copy of it is kept.",
          ),
        ],
        actions: again,
      });
    case "failed":
      return reply({
        tone: "bad",
        title: text`This failed: ${what}`,
        blocks: [paragraph(job.failure ?? "Nothing of it is kept.")],
        actions: again,
      });
    case "cancelled":
      return reply({ title: text`Cancelled: ${what}`, blocks: [paragraph("Nothing of it is kept.")], actions: again });
    case "interrupted":
      return reply({
        tone: "warning",
        title: text`The bot was restarted during an export: ${what}`,
        blocks: [paragraph("Nothing of it is kept, and it does not run again by itself.")],
        actions: again,
      });
  }
}

function isGone({ attachments, tooLarge }: Delivery, { file }: ExportResult): boolean {
  return attachments.length === 0 && tooLarge === undefined && file.account.rows > 0;
}

function keptNote({ code, expiresAt, rows }: EndedJob["job"]): Block[] {
  if (expiresAt === undefined || rows === 0) return [];
  return [
    paragraph(text`${commandLine(`ledger fetch ${code}`)} gives the file again until ${time(fromMillis(expiresAt))}.`),
  ];
}
