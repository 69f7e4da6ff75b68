// Ledger exports in words: here the subject of a job, its outcome, and the list of jobs. Next: standing.ts (progress),
// ended.ts (the answer once it has ended), code-option.ts (the option that names one).

import type { ExportAsker, ExportJob, ExportStanding } from "../../export/jobs/job.ts";
import { paragraph, table } from "../../reply/block.ts";
import { type Action, buttonsOrChoice, reply, type Reply } from "../../reply/reply.ts";
import { code, commandLine, shortenId, type Text, text, time } from "../../reply/text.ts";
import { formatCount } from "../../units/format-number.ts";
import { fromMillis } from "../../units/nanoseconds.ts";
import { standingWords } from "./standing.ts";

/** The subject of an export; of somebody else's export, only its owner. */
export function jobWords(asker: Pick<ExportAsker, "platform" | "person">, job: ExportJob): Text {
  if (!isOf(asker, job)) {
    return text`an export for ${job.person} on ${job.platform}`;
  }
  const { party, asset, from, to } = job.ask?.options ?? {};
  return typeof party === "string" && typeof asset === "string"
    ? text`the ledger of ${shortenId(party)}, ${asset.length > 20 ? shortenId(asset) : asset}${rangeNote(from, to)}`
    : text`an export`;
}

/** The range as `rangeOptions` words it. */
function rangeNote(from: unknown, to: unknown): string {
  if (typeof from !== "string") return typeof to === "string" ? `, until ${to}` : "";
  return typeof to === "string" ? `, ${from} to ${to}` : `, ${from}`;
}

/** The outcome of an export. `isOwn`: the reader may fetch its file. */
export function stateWords(
  { state, rows, failure, endedAt, expiresAt, code: named }: ExportJob,
  { isOwn }: { readonly isOwn: boolean } = { isOwn: true },
): Text {
  const at = endedAt === undefined ? "" : text` ${time(fromMillis(endedAt))}`;
  const counted = rows === undefined ? "" : `, ${formatCount(rows)} ${rows === 1 ? "row" : "rows"}`;
  switch (state) {
    case "queued":
      return text`waiting`;
    case "running":
      return text`under way`;
    case "delivered":
      return text`delivered${at}${counted}`;
    case "kept": {
      const until = expiresAt === undefined ? "" : text` until ${time(fromMillis(expiresAt))}`;
      if (!isOwn) return text`whole${counted}, kept for its asker${until}`;
      return text`whole${counted}; ${commandLine(`ledger fetch ${named}`)} gives it${until}`;
    }
    case "failed":
      return text`failed${at}${failure === undefined ? "" : `: ${failure}`}`;
    case "cancelled":
      return text`cancelled${at}`;
    case "interrupted":
      return text`interrupted${at}, when the bot was restarted`;
  }
}

const STATE_WORDS: Readonly<Record<ExportJob["state"], string>> = {
  queued: "waiting",
  running: "under way",
  delivered: "delivered",
  kept: "to be fetched",
  failed: "failed",
  cancelled: "cancelled",
  interrupted: "interrupted",
};

const isOpen = ({ state }: ExportJob): boolean => state === "queued" || state === "running";

/** The jobs of a person, or of everybody. */
export function listReply(
  context: { readonly exports: { standing(code: string): ExportStanding | undefined } },
  asker: ExportAsker,
  jobs: readonly ExportJob[],
): Reply {
  if (jobs.length === 0) {
    return reply({
      title: asker.isOperator
        ? "No ledger export in the last 24 hours"
        : "You had no ledger export in the last 24 hours",
      blocks: [paragraph(text`Ask for one with ${commandLine("ledger export <party> <asset>")}.`)],
    });
  }
  const now = (job: ExportJob): Text => {
    const standing = isOpen(job) ? context.exports.standing(job.code) : undefined;
    return standing === undefined ? stateWords(job, { isOwn: isOf(asker, job) }) : standingWords(standing);
  };
  const open = jobs.filter(isOpen).length;
  const count = `${jobs.length} ledger ${jobs.length === 1 ? "export" : "exports"} in the last 24 hours`;
  const own = jobs.filter((job) => isOf(asker, job));
  return reply({
    title: text`${count}${open === 0 ? "" : `, ${open} of them under way or waiting`}`,
    blocks: [
      table({
        name: "ledger-exports",
        rows: jobs,
        columns: [
          ["Code", (job) => code(job.code)],
          ["State", (job) => STATE_WORDS[job.state]],
          ["Ledger", (job) => jobWords(asker, job)],
          ["Asked", (job) => time(fromMillis(job.createdAt)), 3],
          ["How it went", (job) => now(job), 3],
        ],
      }),
    ],
    actions: [
      ...jobActions("Cancel", "ledger cancel", jobs.filter(isOpen)),
      ...jobActions(
        "Fetch",
        "ledger fetch",
        own.filter(({ state }) => state === "kept"),
      ),
      ...againActions(own),
    ],
  });
}

function jobActions(verb: string, command: string, jobs: readonly ExportJob[]): Action[] {
  const prepared = jobs.map(({ code: named }) => ({
    label: `${verb} ${named}`,
    invocation: { command, options: { code: named } },
  }));
  return buttonsOrChoice(`${verb} one`, prepared, "reply");
}

function isOf({ platform, person }: Pick<ExportAsker, "platform" | "person">, job: ExportJob): boolean {
  return job.platform === platform && job.person === person;
}

function againActions(own: readonly ExportJob[]): Action[] {
  const again = own.flatMap(({ code: named, ask, state }) =>
    ask !== undefined && (state === "interrupted" || state === "failed")
      ? [{ label: `Run ${named} again`, invocation: ask }]
      : [],
  );
  return buttonsOrChoice("Run one again", again, "reply");
}
