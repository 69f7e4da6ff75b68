import type { ExportStanding, ExportSubject } from "../../export/jobs/job.ts";
import { paragraph } from "../../reply/block.ts";
import { type Action, commandAction, reply, type Reply } from "../../reply/reply.ts";
import { shortenId, text, type Text, time } from "../../reply/text.ts";
import { formatDuration } from "../../units/duration.ts";
import { formatBytes, formatCount } from "../../units/format-number.ts";
import { fromMillis } from "../../units/nanoseconds.ts";
import { rangeWords } from "../export-range.ts";

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
