import type { Platforms } from "../../alerts/destination.ts";
import { formatLine } from "../../bot/grammar/grammar.ts";
import type { Delivery, TooLarge } from "../../export/jobs/deliver.ts";
import type { LedgerAccount } from "../../export/ledger-account.ts";
import { type Block, paragraph } from "../../reply/block.ts";
import type { Action, Ask } from "../../reply/reply.ts";
import { commandLine, link, text } from "../../reply/text.ts";
import { formatBytes } from "../../units/format-number.ts";
import { formatUtc, fromSeconds, nanoseconds, toSeconds } from "../../units/time.ts";

/** A delivery whose file is not complete in one message: further messages follow, or the file lies elsewhere. */
export interface Delivered {
  readonly code: string;
  readonly account: LedgerAccount;
  /** The command that asks for the same again. */
  readonly ask: Ask | undefined;
  readonly delivery: Delivery;
}

/** The words for a file that is not complete in this message; empty where it is. */
export function deliveryWords(
  platforms: Platforms,
  platform: string,
  { code, account, ask, delivery: { message, tooLarge } }: Delivered,
): { readonly blocks: Block[]; readonly actions: Action[] } {
  if (message !== undefined) {
    const { number, of } = message;
    const next = { command: "ledger fetch", options: { code, message: number + 1 } };
    return {
      blocks: [paragraph(`Message ${number} of ${of}: the file comes in parts, each with the header.`)],
      actions: number < of ? [{ label: `Next parts (${number + 1} of ${of})`, invocation: next, effect: "reply" }] : [],
    };
  }
  if (tooLarge === undefined) return { blocks: [], actions: [] };
  const { sizeBytes, compressedBytes, maxBytes, link: url } = tooLarge;
  const packed = compressedBytes === undefined ? "" : `, ${formatBytes(compressedBytes)} compressed`;
  const size = `It has ${formatBytes(sizeBytes)}${packed}, and ${platforms.nameOf(platform)} takes ${formatBytes(maxBytes)} a file here.`;
  if (url !== undefined) {
    return {
      blocks: [
        paragraph(
          text`The file is too large to send here. ${size} ${link("Download it", url)} within 24 hours; whoever has the link can.`,
        ),
      ],
      actions: [{ label: "Download", url }],
    };
  }
  return {
    blocks: [paragraph(`The file is too large to send here. ${size}`), ...ranges(tooLarge, account, ask)],
    actions: [],
  };
}

/** The planned fill of each range: entries are not spread evenly over time. */
const RANGE_FILL = 0.7;
const RANGES_SHOWN = 4;

/** Shorter ranges, whose files should fit: at most four of them as lines to type. */
function ranges(
  { sizeBytes, compressedBytes = sizeBytes, maxBytes }: TooLarge,
  { firstTime, lastTime }: LedgerAccount,
  ask: Ask | undefined,
): Block[] {
  if (firstTime === undefined || lastTime === undefined || ask === undefined) return [];
  const parts = BigInt(Math.max(2, Math.ceil(compressedBytes / (maxBytes * RANGE_FILL))));
  const first = toSeconds(nanoseconds(BigInt(firstTime)));
  const seconds = toSeconds(nanoseconds(BigInt(lastTime))) + 1n - first;
  if (seconds < parts) return [paragraph("Its entries lie too close together to be split by time.")];
  const cut = (index: bigint): string => formatUtc(fromSeconds(first + (seconds * index) / parts)).slice(0, 19);
  const shown = Math.min(RANGES_SHOWN, Number(parts));
  const lines = Array.from({ length: shown }, (_, index) => {
    const options = { ...ask.options, from: cut(BigInt(index)), to: cut(BigInt(index) + 1n) };
    return text`${commandLine(formatLine({ command: ask.command, options }))}`;
  });
  const more = Number(parts) > shown ? `, and so on, ${parts} in all` : "";
  return [paragraph(`Ask for it in ${parts} ranges, which should fit${more}:`), { kind: "list", items: lines }];
}
