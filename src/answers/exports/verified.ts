import type { ChatPlatform } from "../../alerts/destination.ts";
import type { VerifiedFile } from "../../export/jobs/verify-file.ts";
import { type Block, details, facts, field, fields, paragraph } from "../../reply/block.ts";
import { commandAction, reply, type Reply } from "../../reply/reply.ts";
import { code, joinText, text, type Text, time } from "../../reply/text.ts";
import { formatCount } from "../../units/format-number.ts";
import { fromMillis, nanoseconds } from "../../units/time.ts";

export { tableFiles } from "./ledger-account.ts";

type Found = Required<VerifiedFile>["found"];
type Difference = Extract<Found["verdict"], { kind: "differs" }>["differences"][number];

/**
 * Whether a file that is given back is one that this bot made. Where only its hash was given, `given` says to whom: no file
 * was read, so that nothing is proved of any.
 */
export function verifiedReply(
  given: string | { readonly chat: ChatPlatform | undefined },
  { sha256, rows, found }: VerifiedFile,
): Reply {
  const name = typeof given === "string" ? given : undefined;
  const what = name === undefined ? text`This hash` : text`${code(name)}`;
  const hash = field("SHA-256", code(sha256), { wide: true });
  if (found === undefined) {
    return reply({
      tone: "warning",
      failure: "caller",
      title: text`${what} is of no export that is known here`,
      blocks: [
        paragraph(
          name === undefined
            ? "Its export was made elsewhere, by somebody else, or more than 400 days ago. Give the file if you have it: then a changed one is recognised, too."
            : "Its export was made elsewhere, by somebody else, or more than 400 days ago; or the file was changed too much. An archive that was packed again is recognised by the file in it: give that.",
        ),
        ...details([fields([...(rows === undefined ? [] : [field("Rows", formatCount(rows))]), hash])]),
      ],
    });
  }
  const differs = found.verdict.kind === "differs";
  return reply({
    tone: differs ? "bad" : name === undefined ? "neutral" : "good",
    // A script must stop at a file that differs.
    ...(differs ? { failure: "caller" } : {}),
    title: name === undefined ? hashTitle(found) : text`${what} ${verdictWords(found)}`,
    blocks: [
      ...differences(found),
      ...facts(factsOf(found, rows, name === undefined)),
      ...(typeof given === "string" ? [] : [paragraph(text`No file was read. ${checkWords(given.chat, sha256)}`)]),
      ...details([fields([hash])]),
    ],
    actions:
      typeof given !== "string" && given.chat?.returnsFiles === true
        ? [{ ...commandAction("Give the file", "ledger verify"), form: true }]
        : [],
  });
}

/** How people check a file of their own where they ask. */
function checkWords(chat: ChatPlatform | undefined, sha256: string): Text {
  if (chat === undefined) return text`To check your copy, give the file itself.`;
  if (chat.returnsFiles === true) return text`To check your copy, give it to the command, as its option file.`;
  return text`On ${chat.name} this bot takes no files. To check your copy on a computer, compare its SHA-256 with ${code(sha256)}. On Linux sha256sum prints it, on a Mac shasum -a 256, on Windows certutil -hashfile with SHA256 behind the file.`;
}

/** Every export with this hash: that of which somebody thinks is among them. */
function hashTitle({ verdict, code: named, again }: Found): Text {
  if (verdict.kind === "packed") return text`This is the SHA-256 of ${code(verdict.name)}, from export ${code(named)}`;
  const codes = [named, ...again.slice(0, AGAIN_SHOWN).map((other) => other.code)].map((one) => text`${code(one)}`);
  return text`This is the SHA-256 of the file of export ${joinText(codes, ", ")}`;
}

function verdictWords({ verdict, code: named }: Found): Text {
  switch (verdict.kind) {
    case "same":
      return text`is the file of export ${code(named)}, byte for byte`;
    case "packed":
      return text`is ${code(verdict.name)} as export ${code(named)} was delivered, byte for byte`;
    case "rewritten":
      return text`has the rows of export ${code(named)}, written otherwise: line ends, quotes or a byte order mark differ`;
    case "reordered":
      return text`has the rows of export ${code(named)}, in another order`;
    case "differs":
      return text`is not the file of export ${code(named)}, which it resembles`;
  }
}

function differences({ verdict }: Found): Block[] {
  if (verdict.kind !== "differs") return [];
  return [{ kind: "list", title: text`It differs`, items: verdict.differences.map(differenceWords) }];
}

function differenceWords(difference: Difference): Text {
  switch (difference.what) {
    case "columns":
      return text`in its columns: ${difference.found.join(", ")}; they were ${difference.expected.join(", ")}`;
    case "rows":
      return text`in its rows: ${formatCount(difference.found)}; there were ${formatCount(difference.expected)}`;
    case "sum":
      return text`in the sum of ${code(difference.column)}: ${difference.found ?? "a cell is no integer, as where a spreadsheet saved it"}; it was ${difference.expected}`;
    case "order":
      return text`in its order: the rows are not sorted by time, and cells may differ, too`;
    case "cells":
      return text`in some cell, or in the order of its rows: their number and the sums agree, the bytes do not`;
    case "broken":
      return text`from row ${formatCount(difference.row)} on, where ${formatCount(difference.expected)} were delivered: that is no whole row (${difference.why}), so the file was cut short or damaged there`;
    case "bytes":
      return text`in its bytes; of a raw export, and of a file that is no CSV, nothing more can be told`;
  }
}

/** How many exports of the same bytes are named. */
const AGAIN_SHOWN = 3;

function againWords(again: Found["again"]): Text {
  const shown = again.slice(0, AGAIN_SHOWN);
  const named = joinText(
    shown.map(({ code: other, madeAt }) => text`${code(other)} of ${time(fromMillis(madeAt))}`),
    ", ",
  );
  return again.length > AGAIN_SHOWN ? text`${named} and ${again.length - AGAIN_SHOWN} more` : named;
}

/** The rows and the span of the export; of what else was delivered, such as a table beside it, its own rows. */
function factsOf(
  { network, node, madeAt, delivered, again, verdict, account }: Found,
  ownRows: number | undefined,
  isHash: boolean,
) {
  const { rows, firstTime, lastTime } = verdict.kind === "packed" ? { rows: ownRows } : account;
  const [first, last] = [firstTime, lastTime].map((at) =>
    at === undefined ? undefined : time(nanoseconds(BigInt(at))),
  );
  return [
    ...(!isHash || delivered === undefined ? [] : [field("File", code(delivered), { wide: true })]),
    field("Made", text`${time(fromMillis(madeAt))}${node === null ? "" : ` from ${node}`} on ${network}`, {
      wide: true,
    }),
    ...(again.length === 0 ? [] : [field("The same again", againWords(again), { wide: true })]),
    ...(rows === undefined ? [] : [field("Rows", formatCount(rows))]),
    ...(first === undefined || last === undefined ? [] : [field("Span", text`${first} to ${last}`, { wide: true })]),
  ];
}
