import type { AssetNames } from "../../api/model/names.ts";
import type { ExportOutcome, ExportResult, ExportSubject } from "../../export/jobs/job.ts";
import type { Attachment } from "../../reply/attachment.ts";
import { type Block, details, facts, field, type Field, paragraph } from "../../reply/block.ts";
import { reply, type Reply } from "../../reply/reply.ts";
import { code, id, shortenId, strong, text, type Text, time } from "../../reply/text.ts";
import { formatWholeDuration } from "../../units/duration.ts";
import { formatBytes, formatCount } from "../../units/format-number.ts";
import { type Nanoseconds, toMillis } from "../../units/nanoseconds.ts";
import { smallestUnits } from "../amounts.ts";
import { answer } from "../answer.ts";
import { rangeWords, retentionBlocks } from "../export-range.ts";

/** What a command that waited for an export says of it. */
export function outcomeReply(
  context: { readonly network: string; now(): Nanoseconds },
  subject: ExportSubject,
  outcome: ExportOutcome,
): Reply {
  const ledger = text`Ledger of ${shortenId(subject.query.partyId)}`;
  switch (outcome.kind) {
    case "whole":
      return resultReply(context, outcome.result, outcome.attachment === undefined ? [] : [outcome.attachment]);
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

/** A whole export. */
export function resultReply(
  context: { readonly network: string; now(): Nanoseconds },
  result: ExportResult,
  attachments: readonly Attachment[],
): Reply {
  const { file, query, asset, raw } = result;
  const { partyId, assetId } = query;
  const { rows, dropped, firstTime, lastTime, asOf, endIsProven } = file;
  const range = { from: query.from, to: query.to };
  const blocks: Block[] = [
    ...(endIsProven
      ? []
      : [
          paragraph(
            text`${strong("END NOT CONFIRMED.")} The node, or a proxy before it, closed the connection without a sign that the file is whole: rows at the end may be missing. Compare it with another node's file before you rely on it.`,
          ),
        ]),
    ...retentionBlocks(range, firstTime, context.now()),
    ...(rows === 0
      ? [paragraph(`${endIsProven ? "There are no entries" : "No entry came"}, so there is no file.`)]
      : []),
    ...facts([
      field("Asked", text`${rangeWords(range)}`, { wide: true }),
      field("Span", spanText(firstTime, lastTime), { wide: true }),
      ...attachments.map(({ sizeBytes }) => field("Size", formatBytes(sizeBytes))),
      ...(dropped === 0
        ? []
        : [
            field(
              "Rows left out",
              text`${formatCount(dropped)}, which the node sent though they lie outside what was asked`,
              { wide: true },
            ),
          ]),
    ]),
    ...details([
      {
        kind: "fields",
        fields: [
          field("Rows", formatCount(rows)),
          ...attachments.map(({ sizeBytes }) => field("Exact size", `${formatCount(sizeBytes)} bytes`)),
          ...amountsField(file.columns, asset),
          field("Columns", file.columns.length === 0 ? undefined : file.columns.join(", "), { wide: true }),
          field("Party", id(partyId), { wide: true }),
          field("Asset", asset?.symbol === undefined ? id(assetId) : text`${asset.symbol} ${id(assetId)}`, {
            wide: true,
          }),
          ...attachments.map(({ sha256 }) => field("SHA-256", code(sha256), { wide: true })),
        ],
      },
    ]),
  ];
  if (raw)
    blocks.push(paragraph("Raw: the bytes are as the node sent them; rows outside what was asked may be among them."));
  return answer(context, asOf, {
    title: text`Ledger of ${shortenId(partyId)}, ${asset?.symbol ?? shortenId(assetId)}: ${formatCount(rows)} ${rows === 1 ? "row" : "rows"}${endIsProven ? "" : ", END NOT CONFIRMED"}`,
    tone: endIsProven ? (rows === 0 ? "neutral" : "good") : "warning",
    blocks,
    attachments,
  });
}

/** The unit of the file's integers, which stay as the node sends them. */
function amountsField(columns: readonly string[], asset: AssetNames | undefined): Field[] {
  const raw = columns.filter((column) => column === "quantity" || column === "effect" || column.endsWith("_balance"));
  if (raw.length === 0) return [];
  const one = smallestUnits(asset);
  const said =
    one === undefined
      ? "raw integers; this node does not say how many decimals the asset has"
      : `raw integers: ${one} is 1 ${asset?.symbol ?? "of the asset"}`;
  return [field("Amounts", text`${said} (${raw.join(", ")})`, { wide: true })];
}

function spanText(first: Nanoseconds | undefined, last: Nanoseconds | undefined): Text | undefined {
  if (first === undefined || last === undefined) return undefined;
  if (first === last) return text`${time(first, "utc")}`;
  return text`${time(first, "utc")} to ${time(last, "utc")} (${formatWholeDuration(Math.max(0, toMillis(last) - toMillis(first)))})`;
}
