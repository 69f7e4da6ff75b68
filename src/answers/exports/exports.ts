// Ledger exports in words: here the option that names a job, its subject, progress and outcome, and the list of jobs.
// Next: ended.ts (the answer once it has ended).

import type { ExportAsker, ExportJob, ExportStanding, ExportSubject } from "../../export/jobs/job.ts";
import { exportAsker } from "../../bot/export-asker.ts";
import { cutShort, quoteTyped } from "../../bot/nearest.ts";
import { type Choice, MAX_CHOICE_LENGTH, type SuggestContext, type TextOption } from "../../bot/options/options.ts";
import { UserError } from "../../errors.ts";
import { plainText } from "../../reply/plain-text.ts";
import { paragraph, table } from "../../reply/block.ts";
import { type Action, buttonsOrChoice, choiceActions, commandAction, reply, type Reply } from "../../reply/reply.ts";
import { code, commandLine, type Inline, shortenId, type Text, text, time } from "../../reply/text.ts";
import { formatDuration, formatUtc, fromMillis } from "../../units/time.ts";
import { formatBytes, formatCount } from "../../units/format-number.ts";
import { rangeWords } from "../export-range.ts";

/** The subject of an export; of somebody else's export, only its owner. */
export function jobWords(asker: Pick<ExportAsker, "platform" | "person">, job: ExportJob): Text {
  if (!isOf(asker, job)) {
    return text`an export for ${job.person} on ${job.platform}`;
  }
  const ledger = ledgerOf(job);
  return ledger === undefined ? text`an export` : text`the ledger of ${ledger}`;
}

/** Whose ledger it is, in what, and of what time. */
function ledgerOf({ ask }: ExportJob): Text | undefined {
  const { party, asset, from, to } = ask?.options ?? {};
  return typeof party === "string" && typeof asset === "string"
    ? text`${shortenId(party)}, ${asset.length > 20 ? shortenId(asset) : asset}${rangeNote(from, to)}`
    : undefined;
}

/** The range as `rangeOptions` words it. */
function rangeNote(from: unknown, to: unknown): Text {
  if (typeof from !== "string") return typeof to === "string" ? text`, until ${endWords(to)}` : [];
  return typeof to === "string" ? text`, ${endWords(from)} to ${endWords(to)}` : text`, ${endWords(from)}`;
}

/** A day, a month or a year by its name, else a moment. */
function endWords(typed: string): Inline | string {
  return typed.endsWith("Z") ? time(fromMillis(Date.parse(typed))) : typed;
}

/** The outcome of an export. `isOwn`: the reader may fetch its file. */
export function stateWords(
  { state, rows, failure, endedAt, expiresAt, code: named }: ExportJob,
  { isOwn }: { readonly isOwn: boolean } = { isOwn: true },
): Text {
  const at = endedAt === undefined ? "" : text` ${time(fromMillis(endedAt))}`;
  const counted = rows === undefined ? "" : `, ${formatCount(rows)} ${rows === 1 ? "row" : "rows"}`;
  if (state === "kept") {
    const until = expiresAt === undefined ? "" : text` until ${time(fromMillis(expiresAt))}`;
    if (!isOwn) return text`whole${counted}, kept for its asker${until}`;
    return text`whole${counted}; ${commandLine(`ledger fetch ${named}`)} gives it${until}`;
  }
  const more: Partial<Record<ExportJob["state"], string>> = {
    delivered: counted,
    failed: failure === undefined ? "" : `: ${failure}`,
    interrupted: ", when the bot was restarted",
  };
  return text`${STATE_WORDS[state]}${at}${more[state] ?? ""}`;
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
  // One look at each, so that its state and its progress are of the same moment.
  const standings = new Map(jobs.filter(isOpen).map(({ code: named }) => [named, context.exports.standing(named)]));
  const now = (job: ExportJob): Text => {
    const standing = standings.get(job.code);
    return standing === undefined ? stateWords(job, { isOwn: isOf(asker, job) }) : standingWords(standing);
  };
  // An export that is fetched in slices waits again before each.
  const isWaiting = (job: ExportJob): boolean => standings.get(job.code)?.state === "queued";
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
          ["Ledger", (job) => shortWords(asker, job)],
          ["State", (job) => STATE_WORDS[isWaiting(job) ? "queued" : job.state]],
          ["Code", (job) => code(job.code), 2],
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
      ...checkActions(own),
      ...againActions(own),
    ],
  });
}

function jobActions(verb: string, command: string, jobs: readonly ExportJob[]): Action[] {
  const values = jobs.map(({ code: named }) => ({ label: `${verb} ${named}`, value: named }));
  return choiceActions(`${verb} one`, values, (named) => ({ command, options: { code: named } }));
}

/** How the files of delivered exports are checked. */
function checkActions(own: readonly ExportJob[]): Action[] {
  const values = own.flatMap((job) =>
    job.state === "delivered" && job.sha256 !== undefined ? [{ label: `Check ${job.code}`, value: job.sha256 }] : [],
  );
  const [only, ...others] = values;
  const named = only === undefined || others.length > 0 ? values : [{ ...only, label: "How to check it" }];
  return buttonsOrChoice(
    "Check one",
    named.map(({ label, value }) => ({ label, invocation: { command: "ledger verify", options: { sha256: value } } })),
    "reply",
  );
}

/** The same where a heading says that it is an export. */
function shortWords(asker: Pick<ExportAsker, "platform" | "person">, job: ExportJob): Text {
  return (isOf(asker, job) ? ledgerOf(job) : undefined) ?? jobWords(asker, job);
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

/** The hashes of the caller's exports, in words; of the same file the newest. */
export async function suggestDelivered(
  typed: string,
  context: Pick<SuggestContext, "exports" | "caller" | "here" | "platforms">,
): Promise<readonly Choice[]> {
  const asker = exportAsker(context);
  const wanted = typed.trim().toLowerCase();
  const own = (await context.exports.list(asker)).filter((job) => isOf(asker, job));
  const files = Map.groupBy(own, ({ sha256 }) => sha256);
  return [...files].flatMap(([sha256, [job]]) => {
    if (job === undefined || sha256?.startsWith(wanted) !== true) return [];
    const ledger = plainText(shortWords(asker, job));
    const made = formatUtc(fromMillis(job.endedAt ?? job.createdAt)).slice(5, 16);
    return [{ label: cutShort(`made ${made} UTC · ${job.code} · ${ledger}`, MAX_CHOICE_LENGTH), value: sha256 }];
  });
}

/** Whether an export can still be stopped. */
export function isRunning({ endedAt }: ExportJob): boolean {
  return endedAt === undefined;
}

/** Completion of the code of one of the caller's exports. */
export function suggestExports(fits: (job: ExportJob) => boolean = () => true): NonNullable<TextOption["suggest"]> {
  return async (typed, context) => {
    const asker = exportAsker(context);
    const wanted = typed.trim().toLowerCase();
    return (await context.exports.list(asker))
      .filter((job) => job.code.startsWith(wanted) && fits(job))
      .map((job) => {
        const words = `${job.code}: ${plainText(jobWords(asker, job))}, ${job.state}`;
        return { label: cutShort(words, MAX_CHOICE_LENGTH), value: job.code };
      });
  };
}

/** Names an export; completes the caller's own. */
export const CODE_OPTION = {
  kind: "text",
  label: "Export",
  required: true,
  question: "Which export?",
  description: "The export's code; ledger list shows it",
  example: "7k2m9xqd",
  maxLength: 40,
  suggest: suggestExports(),
} as const satisfies TextOption;

/** The mistake of an unknown code. It is the same for somebody else's job, so that nobody learns of that job. */
export function noSuchJob(typed: string): UserError {
  return new UserError(`There is no export ${quoteTyped(typed)} of yours.`, {
    option: "code",
    remedy: "Exports are kept for 24 hours. This shows yours:",
    suggestion: "ledger list",
  });
}

/** A button that stops a job. */
export function cancelAction(code: string): Action {
  return commandAction("Cancel", "ledger cancel", { code });
}

/** The progress of an export, with a button to stop it. */
export function standingReply({ query, asset }: ExportSubject, standing: ExportStanding): Reply {
  const what = text`${asset?.symbol ?? "One asset"}, ${rangeWords({ from: query.from, to: query.to })}.`;
  return reply({
    title: text`Ledger of ${shortenId(query.partyId)}: ${standingWords(standing)}`,
    blocks: [paragraph(what)],
    actions: [cancelAction(standing.code)],
  });
}

/** The progress of an export. The bot's own queue and a node's rate limit have different sentences. */
export function standingWords(standing: ExportStanding): Text {
  switch (standing.state) {
    case "queued": {
      const { place, of, waitMillis } = standing;
      const begins =
        waitMillis === undefined
          ? ""
          : waitMillis < 1000
            ? ", it begins soon"
            : `, it begins in about ${formatDuration(waitMillis, 1)}`;
      return text`waiting for other exports, place ${place} of ${of}${begins}`;
    }
    case "refused":
      return text`the data node asks for fewer requests; it is asked again at ${time(fromMillis(standing.until))}`;
    case "running": {
      const { bytes, rows, bytesPerSecond, share } = standing;
      if (bytes === 0) return text`asking the node`;
      const speed = bytesPerSecond === undefined ? "" : `, ${formatBytes(bytesPerSecond)} a second`;
      const part = share === undefined ? "" : ` (${Math.floor(share * 100)} %)`;
      return text`${formatCount(rows)} rows, ${formatBytes(bytes)}${part} so far${speed}`;
    }
  }
}
