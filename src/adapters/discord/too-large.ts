import { oneLine } from "../../reply/plain-text.ts";
import type { Ask } from "../../reply/reply.ts";
import { formatBytes } from "../../units/format-number.ts";
import { formatUtc, fromSeconds, toSeconds } from "../../units/nanoseconds.ts";
import { commandLine } from "./buttons.ts";
import { escapeMarkdown, inlineCode } from "./escape.ts";
import type { UnsendableFile } from "./fit-files.ts";
import { MAX_FILES, MAX_TOTAL_FILE_BYTES } from "./limits.ts";

/** How full a part may become: entries are not spread evenly over time. */
const RANGE_FILL = 0.7;
const RANGES_SHOWN = 4;

/**
 * One sentence for each file that could not be sent, with ranges that should fit where the file says what it covers;
 * nothing where all were. At most `length` characters.
 */
export function tooLargeText(
  lost: readonly UnsendableFile[],
  maxBytes: number,
  ask: Ask | undefined,
  length: number,
): string {
  const sentences = lost.map(({ file, packedBytes }) => {
    const { sizeBytes, covers } = file.attachment;
    const name = escapeMarkdown(oneLine(file.name));
    const size = formatBytes(sizeBytes);
    if (sizeBytes <= maxBytes) {
      return `**${name} does not fit beside the other files**: it has ${size}, and a message takes ${MAX_FILES} files of ${formatBytes(MAX_TOTAL_FILE_BYTES)} in all.`;
    }
    const packed = packedBytes === undefined ? "" : `, ${formatBytes(packedBytes)} compressed`;
    const said = `**${name} is too large to send here**: it has ${size}${packed}, and Discord takes ${formatBytes(maxBytes)} here.`;
    return `${said}${rangesText(covers, packedBytes ?? sizeBytes, maxBytes, ask)}`;
  });
  const text = sentences.join("\n");
  return text.length <= length
    ? text
    : `${lost.length} files are too large to send here; Discord takes ${formatBytes(maxBytes)} each.`;
}

function rangesText(
  covers: UnsendableFile["file"]["attachment"]["covers"],
  bytes: number,
  maxBytes: number,
  ask: Ask | undefined,
): string {
  const parts = BigInt(Math.max(2, Math.ceil(bytes / (maxBytes * RANGE_FILL))));
  if (covers === undefined || ask === undefined) return "";
  const first = toSeconds(covers.from);
  const seconds = toSeconds(covers.to) + 1n - first;
  if (seconds < parts) return " Its entries lie too close together to be split by time.";
  const cut = (index: bigint): string => formatUtc(fromSeconds(first + (seconds * index) / parts));
  const shown = Math.min(RANGES_SHOWN, Number(parts));
  const lines = Array.from({ length: shown }, (_, index) => {
    const options = { ...ask.options, from: cut(BigInt(index)), to: cut(BigInt(index) + 1n) };
    return `\n${inlineCode(oneLine(commandLine({ command: ask.command, options })))}`;
  });
  const more = Number(parts) > shown ? `\nand so on, ${parts} parts in all.` : "";
  return ` Ask for it in ${parts} parts, which should fit:${lines.join("")}${more}`;
}
