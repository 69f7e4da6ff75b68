import type { ChatPlatform } from "../../alerts/destination.ts";
import type { Delivery, EndedJob } from "../../export/jobs/deliver.ts";
import type { ExportOutcome, ExportRequest, ExportResult, ExportStanding } from "../../export/jobs/job.ts";
import { type Block, paragraph } from "../../reply/block.ts";
import { type Action, commandAction, reply, type Reply } from "../../reply/reply.ts";
import { commandLine, shortenId, text, type TextPart, time } from "../../reply/text.ts";
import { fromMillis } from "../../units/time.ts";
import { markSimulated } from "../../bot/simulated.ts";
import { cancelAction, jobWords, standingWords, stateWords } from "./exports.ts";
import { type LedgerReplyContext, ledgerReply } from "./ledger-account.ts";

/**
 * The outcome of the reader's own job, with its files: for `ledger fetch`, and for a direct message. `standing`: the
 * progress of a job that waits or runs.
 */
export function endedReply(
  context: Omit<LedgerReplyContext, "network">,
  { job, delivery }: EndedJob,
  standing?: ExportStanding,
): Reply {
  const { code, ask } = job;
  const again: Action[] = ask === undefined ? [] : [{ label: "Run it again", invocation: ask, effect: "reply" }];
  const said = (title: string, sentence: TextPart, more: Pick<Partial<Reply>, "tone" | "actions"> = {}): Reply =>
    reply({ title: text`${title}: ${jobWords(job, job)}`, blocks: [paragraph(sentence)], actions: again, ...more });
  switch (job.state) {
    case "queued":
    case "running":
      return said("Not done yet", standing === undefined ? stateWords(job) : standingWords(standing), {
        actions: [commandAction("Look again", "ledger fetch", { code }, "replace"), cancelAction(code)],
      });
    case "kept": {
      const { result, network } = job;
      if (delivery?.elsewhere === true) {
        return said(
          "Whole, but out of reach here",
          "Its file lies where another process of the bot runs, and this one cannot read it. Run the export again; or ask for the file once more, since another process may answer.",
          {
            tone: "warning",
            actions: [...again, commandAction("Ask for the file again", "ledger fetch", { code }, "replace")],
          },
        );
      }
      if (result === undefined || delivery === undefined || isGone(delivery, result)) {
        return said("No longer kept", "Its file was removed to make room for later ones.", { tone: "warning" });
      }
      const { platforms, here } = context;
      const whole = ledgerReply(
        { platforms, here, network, now: () => context.now() },
        { code, result, ask, delivery },
      );
      const marked = result.file.asOf.simulated ? markSimulated(whole) : whole;
      return { ...marked, blocks: [...marked.blocks, ...keptNote(job)] };
    }
    case "delivered":
      return said(
        "Delivered already",
        job.rows === 0
          ? "It had no entries, so there was no file."
          : "Its file came with the answer, and no copy of it is kept.",
      );
    case "failed":
      return said("This failed", job.failure ?? "Nothing of it is kept.", { tone: "bad" });
    case "cancelled":
      return said("Cancelled", "Nothing of it is kept.");
    case "interrupted":
      return said(
        "The bot was restarted during an export",
        "Nothing of it is kept, and it does not run again by itself.",
        { tone: "warning" },
      );
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

/** A note under an answer that is shown without its file. */
function stayingNote(code: string): Block {
  return paragraph(text`The file is kept for 24 hours; ${commandLine(`ledger fetch ${code}`)} gives it.`);
}

/** The answer of a command that waited for an export. */
export function outcomeReply(
  context: LedgerReplyContext,
  { subject, ask }: Pick<ExportRequest, "subject" | "ask">,
  outcome: ExportOutcome,
  chat: ChatPlatform | undefined,
): Reply {
  const ledger = text`Ledger of ${context.partyName ?? shortenId(subject.query.partyId)}`;
  switch (outcome.kind) {
    case "whole": {
      const whole = ledgerReply(context, { ...outcome, ask });
      const isLeft = context.here.leavesFiles === true && whole.attachments.length > 0;
      return isLeft ? { ...whole, blocks: [...whole.blocks, stayingNote(outcome.code)] } : whole;
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
