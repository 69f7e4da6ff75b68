import type { ChatPlatform } from "../../alerts/platform.ts";
import type { ExportOutcome, ExportRequest } from "../../export/jobs/job.ts";
import { type Block, paragraph } from "../../reply/block.ts";
import { reply, type Reply } from "../../reply/reply.ts";
import { commandLine, shortenId, text } from "../../reply/text.ts";
import { type LedgerReplyContext, ledgerReply } from "./ledger-account.ts";
import { cancelAction } from "./standing.ts";

/** A note about a file that stays behind while its answer is taken along. */
function keptNote(code: string): Block {
  return paragraph(text`The file is kept for 24 hours; ${commandLine(`ledger fetch ${code}`)} gives it.`);
}

/** The answer of a command that waited for an export. */
export function outcomeReply(
  context: LedgerReplyContext,
  { subject, ask }: Pick<ExportRequest, "subject" | "ask">,
  outcome: ExportOutcome,
  chat: ChatPlatform | undefined,
): Reply {
  const ledger = text`Ledger of ${shortenId(subject.query.partyId)}`;
  switch (outcome.kind) {
    case "whole": {
      const whole = ledgerReply(context, { ...outcome, ask });
      const isLeft = context.here.leavesFiles === true && whole.attachments.length > 0;
      return isLeft ? { ...whole, blocks: [...whole.blocks, keptNote(outcome.code)] } : whole;
    }
    case "cancelled":
      return reply({ title: text`${ledger}: cancelled, and nothing of it is kept` });
    case "later":
      return reply({
        title:
          chat === undefined
            ? text`${ledger}: it takes long, and goes on by itself`
            : text`${ledger}: it takes longer than ${chat.name} keeps a reply open, and goes on`,
        blocks: [
          paragraph(
            text`${chat === undefined ? "Once it is done" : "The result comes by direct message. Where you take none from the bot"}, ${commandLine(`ledger fetch ${outcome.code}`)} gives the file for 24 hours.`,
          ),
        ],
        actions: [cancelAction(outcome.code)],
      });
  }
}
