import { smallestUnits } from "../src/answers/amounts.ts";
import { answer } from "../src/answers/answer.ts";
import { exportRange, type ExportRange, rangeName, rangeWords, retentionBlocks } from "../src/answers/export-range.ts";
import { ASSET, assetsById, PARTY } from "../src/answers/ids/ids.ts";
import { resolveId } from "../src/answers/ids/resolve-id.ts";
import { noteSeen } from "../src/answers/ids/seen-ids.ts";
import { suggestIds } from "../src/answers/ids/suggest-ids.ts";
import type { AssetNames } from "../src/api/model/names.ts";
import { command, type CommandContext } from "../src/bot/command.ts";
import { formatLine } from "../src/bot/grammar/grammar.ts";
import { parseTimeSpan } from "../src/bot/options/time-span.ts";
import { UserError } from "../src/errors.ts";
import type { LedgerFile } from "../src/export/ledger-exports.ts";
import { type Block, details, facts, field, type Field, paragraph } from "../src/reply/block.ts";
import { reply, type Reply } from "../src/reply/reply.ts";
import { code, id, shortenId, strong, text, type Text, time } from "../src/reply/text.ts";
import { formatWholeDuration } from "../src/units/duration.ts";
import { formatBytes, formatCount } from "../src/units/format-number.ts";
import { type Nanoseconds, toMillis } from "../src/units/nanoseconds.ts";

const options = {
  party: {
    kind: "text",
    description: "The party's id; left out = the one you saved",
    example: "f8ac93d1…",
    saved: "party",
    suggest: suggestIds(PARTY),
  },
  asset: {
    kind: "text",
    required: true,
    description: "The asset: its symbol or id",
    example: "USDT",
    suggest: suggestIds(ASSET),
  },
  from: { kind: "time", description: "Start, inclusive (UTC): 2023-05-01, 7d, last month" },
  to: {
    kind: "time",
    description: "End (UTC); a bare date includes that day; left out = now, or the end of last month",
  },
  columns: {
    kind: "text",
    section: "The file",
    description: "Only these columns, in this order, separated by commas",
    example: "vega_time,quantity,transfer_type",
    maxLength: 1000,
  },
  raw: { kind: "flag", section: "The file", description: "The node's bytes as they are", default: false },
} as const;
type Context = CommandContext<typeof options>;

export const ledgerExport = command({
  name: "ledger export",
  summary: "A party's ledger of one asset, as CSV",
  verb: "Export",
  examples: [
    "ledger export <party> USDT from:2023-05-01 to:2023-05-31",
    'ledger export <party> USDT from:"last month"',
    "ledger export <party> USDT from:7d columns:vega_time,quantity",
  ],
  access: "everyone",
  audience: "caller",
  options,
  run: async (context) => {
    const asked = { ...context.options, party: requireParty(context.options.party) };
    const range = exportRange(asked.from, asked.to, context.now(), (from, to) =>
      formatLine({ command: "ledger export", options: { party: asked.party, asset: asked.asset, from, to } }),
    );
    const columns = parseColumns(asked.columns, asked.raw);
    const [partyId, assetId] = await Promise.all([
      resolveParty(asked.party, asked.asset, context),
      resolveId(ASSET, asked.asset, context, "asset"),
    ]);
    const asset = (await assetsById(context)).get(assetId);
    const { from, to } = range;
    context.progress(progressReply(partyId, asset, range, 0, 0));
    const file = await context.exports.export(context.api, {
      query: { partyId, assetId, ...(from === undefined ? {} : { from }), to },
      ...(columns === undefined ? {} : { columns }),
      raw: asked.raw,
      name: `ledger-${partyId.slice(0, 8)}-${asset?.symbol ?? assetId.slice(0, 8)}-${rangeName(range)}`,
      signal: context.signal,
      onProgress: ({ bytes, rows }) => context.progress(progressReply(partyId, asset, range, bytes, rows)),
    });
    noteSeen(context, "party", [{ id: partyId }]);
    noteSeen(context, "asset", [{ id: assetId, label: asset?.symbol }]);
    return finished(context, file, { partyId, assetId, asset, range });
  },
});

function requireParty(party: string | undefined): string {
  if (party !== undefined) return party;
  throw new UserError("ledger export needs a party.", {
    option: "party",
    remedy: "Name one, or save yours as the default with my party <id>. Type for example:",
    suggestion: ledgerExport.examples[0] ?? "",
  });
}

/** Values go in order, party first: a caller with a saved party who starts with the asset has put it in the party's place. */
async function resolveParty(party: string, next: string, context: Context): Promise<string> {
  try {
    return await resolveId(PARTY, party, context, "party");
  } catch (thrown) {
    const typed = party.trim().toLowerCase();
    const names = thrown instanceof UserError ? await ASSET.names(context) : [];
    const asset = names.find(({ label }) => label?.toLowerCase() === typed);
    if (asset === undefined) throw thrown;
    throw new UserError(`${asset.label} is an asset, and the party comes first.`, {
      option: "party",
      cause: thrown,
      remedy: "Where the party that you saved is meant, give the rest by name. Type for example:",
      suggestion: formatLine({
        command: "ledger export",
        options: {
          asset: asset.label ?? asset.id,
          from: parseTimeSpan(next, context.now()) === undefined ? "7d" : next,
        },
      }),
    });
  }
}

function parseColumns(typed: string | undefined, raw: boolean): readonly string[] | undefined {
  if (typed === undefined) return undefined;
  if (raw) {
    throw new UserError("columns and raw cannot go together.", {
      option: "columns",
      remedy: "raw gives the node's bytes untouched, with all columns; leave one of the two out.",
    });
  }
  const columns = typed
    .split(/[,;\s]+/u)
    .map((column) => column.trim())
    .filter((column) => column !== "");
  if (columns.length === 0) {
    throw new UserError("columns names no column.", { option: "columns", remedy: "Write columns:vega_time,quantity." });
  }
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) {
    throw new UserError(`columns names ${twice} twice.`, { option: "columns", remedy: "Name each column once." });
  }
  return columns;
}

function progressReply(
  partyId: string,
  asset: AssetNames | undefined,
  range: ExportRange,
  bytes: number,
  rows: number,
): Reply {
  return reply({
    title: text`Exporting the ledger of ${shortenId(partyId)}${bytes === 0 ? "" : `: ${formatCount(rows)} rows so far`}`,
    blocks: [
      paragraph(
        text`${asset?.symbol ?? "One asset"}, ${rangeWords(range)}: ${bytes === 0 ? "asking the node" : `${formatBytes(bytes)} received`}. The file comes when the node is done.`,
      ),
    ],
  });
}

function finished(
  context: Context,
  file: LedgerFile,
  asked: { partyId: string; assetId: string; asset: AssetNames | undefined; range: ExportRange },
): Reply {
  const { partyId, assetId, asset, range } = asked;
  const { attachment, rows, dropped, firstTime, lastTime, asOf, endIsProven } = file;
  const given = context.options;
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
      ? [paragraph(`${endIsProven ? "There are no entries: the" : "The"} file holds the header row only.`)]
      : []),
    ...facts([
      field("Asked", text`${rangeWords(range)}`, { wide: true }),
      field("Span", spanText(firstTime, lastTime), { wide: true }),
      field("Size", formatBytes(attachment.sizeBytes)),
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
          field("Exact size", `${formatCount(attachment.sizeBytes)} bytes`),
          ...amountsField(file.columns, asset),
          field("Columns", file.columns.length === 0 ? undefined : file.columns.join(", "), { wide: true }),
          field("Party", id(partyId), { wide: true }),
          field("Asset", asset?.symbol === undefined ? id(assetId) : text`${asset.symbol} ${id(assetId)}`, {
            wide: true,
          }),
          field("SHA-256", code(attachment.sha256), { wide: true }),
        ],
      },
    ]),
  ];
  if (given.raw)
    blocks.push(paragraph("Raw: the bytes are as the node sent them; rows outside what was asked may be among them."));
  return answer(context, asOf, {
    title: text`Ledger of ${shortenId(partyId)}, ${asset?.symbol ?? shortenId(assetId)}: ${formatCount(rows)} ${rows === 1 ? "row" : "rows"}${endIsProven ? "" : ", END NOT CONFIRMED"}`,
    tone: endIsProven ? (rows === 0 ? "neutral" : "good") : "warning",
    blocks,
    attachments: [attachment],
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
