import type { Reply } from "../../reply/reply.ts";
import { toMillis, type Nanoseconds } from "../../units/nanoseconds.ts";
import { cutToWidth } from "./cell-width.ts";
import { toSpans } from "./span.ts";
import { displayOptions, type Terminal } from "./terminal.ts";

/** Redrawing more often is a blur. */
const REDRAW_MILLIS = 100;
/** Back to the first column, erase the line (ECMA-48 EL). */
const ERASE = "\r\u001B[2K";

/** One line that says how far a job is, drawn again and again in its place; nothing where nobody watches. */
export function progressLine(terminal: Terminal, now: () => Nanoseconds): { show(reply: Reply): void; clear(): void } {
  const { err, preferences } = terminal;
  let drawnAt: number | undefined;
  return {
    show(reply) {
      if (!err.isTty || preferences.term === "dumb") return;
      const at = toMillis(now());
      if (drawnAt !== undefined && at - drawnAt < REDRAW_MILLIS) return;
      drawnAt = at;
      const first = reply.blocks.find((block) => block.kind === "paragraph");
      const text = [reply.title, ...(first === undefined ? [] : [first.text])]
        .map((part) =>
          toSpans(part, { links: false, now: now() })
            .map((span) => span.text)
            .join(""),
        )
        .join(": ");
      // The last column stays free: some terminals go to the next line when it is filled.
      err.stream.write(`${ERASE}${cutToWidth(text, displayOptions(err, preferences).width - 1)}`);
    },
    clear() {
      if (drawnAt !== undefined) err.stream.write(ERASE);
      drawnAt = undefined;
    },
  };
}
