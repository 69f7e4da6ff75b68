import type { ExportOutcome, ExportSubject } from "../../export/jobs/job.ts";
import { paragraph } from "../../reply/block.ts";
import { reply, type Reply } from "../../reply/reply.ts";
import { code, shortenId, text } from "../../reply/text.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import { ledgerReply } from "./ledger-account.ts";

/** What a command that waited for an export says of it. */
export function outcomeReply(
  context: { readonly network: string; now(): Nanoseconds },
  subject: ExportSubject,
  outcome: ExportOutcome,
): Reply {
  const ledger = text`Ledger of ${shortenId(subject.query.partyId)}`;
  switch (outcome.kind) {
    case "whole":
      return ledgerReply(context, outcome.result, outcome.attachment === undefined ? [] : [outcome.attachment]);
    case "cancelled":
      return reply({ title: text`${ledger}: cancelled, and nothing of it is kept` });
    case "later":
      return reply({
        title: text`${ledger}: it takes longer, and goes on`,
        blocks: [
          paragraph(text`Once it is done, ${code(`ledger fetch ${outcome.code}`)} gives the file for 24 hours.`),
        ],
      });
  }
}
