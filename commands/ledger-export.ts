import { decimalsOf } from "../src/answers/amounts.ts";
import { askFor } from "../src/answers/answer.ts";
import { exportRange, rangeName, rangeOptions } from "../src/answers/export-range.ts";
import { outcomeReply } from "../src/answers/exports/ended.ts";
import { standingReply } from "../src/answers/exports/exports.ts";
import { tableFiles, verifiedReply } from "../src/answers/exports/verified.ts";
import { ASSET, assetsById, noteSeen, PARTY } from "../src/answers/ids/ids.ts";
import { resolveId, idOption } from "../src/answers/ids/typed-ids.ts";
import type { AssetNames } from "../src/api/model/names.ts";
import { command, type CommandContext } from "../src/bot/command.ts";
import { exportAsker } from "../src/bot/export-asker.ts";
import { stem } from "../src/bot/grammar/stem.ts";
import { formatLine } from "../src/bot/grammar/grammar.ts";
import { sentenceOf } from "../src/bot/options/parse-options.ts";
import { parseTimeSpan } from "../src/bot/options/time-span.ts";
import { together, UserError } from "../src/errors.ts";
import type { ExportSubject } from "../src/export/jobs/job.ts";
import type { FileColumnName } from "../src/export/normalise/file-columns.ts";
import { paragraph } from "../src/reply/block.ts";
import type { Ask, Reply } from "../src/reply/reply.ts";
import { text } from "../src/reply/text.ts";

/** What each column of an export holds, in the order of the file. */
const COLUMN_WORDS: Readonly<Record<FileColumnName, string>> = {
  vega_time: "Time",
  quantity: "Quantity, as the node writes it",
  effect: "Effect on the party",
  transfer_type: "Type of transfer",
  asset_id: "Asset",
  account_from_market_id: "From: market",
  account_from_party_id: "From: party",
  account_from_account_type: "From: type of account",
  account_from_balance: "From: balance after it",
  account_to_market_id: "To: market",
  account_to_party_id: "To: party",
  account_to_account_type: "To: type of account",
  account_to_balance: "To: balance after it",
  amount: "Amount in units of the asset",
};

/** The columns to choose from. A node of a later release may have more, which can be typed. */
const COLUMN_CHOICES = Object.entries(COLUMN_WORDS).map(([value, words]) => ({ label: `${words} (${value})`, value }));

const CHECK_WORDS: ReadonlySet<string> = new Set(
  [
    "check",
    "verify",
    "validate",
    "prove",
    "proof",
    "confirm",
    "reconcile",
    "control",
    "test",
    "hash",
    "sure",
    "correct",
  ].map(stem),
);

const options = {
  party: idOption(PARTY, {
    question: "Whose ledger?",
    phrase: "of …",
    description: "Whose ledger: an id or a saved name; left out = the party you saved",
    hint: "An id or a saved name; left out: the party you saved",
    saved: "party",
    needed: true,
  }),
  asset: idOption(ASSET, {
    required: true,
    question: "The ledger of which asset?",
    phrase: "in …",
    description: "Its symbol (USDT) or id",
  }),
  from: {
    kind: "time",
    phrase: "from …",
    hint: "A time (UTC); of a day or a month alone: all of it",
    description: "From when (UTC): 7d, 2023-05-01, last month; without to, a day or month is all of it",
  },
  to: {
    kind: "time",
    phrase: "until …",
    section: "Until when",
    hint: "Until when (UTC), that day included; empty: now",
    description: "Until when (UTC), that day included; left out = now, or the end of the day or month in from",
  },
  columns: {
    kind: "text",
    section: "The file",
    description: "Only these columns, separated by commas",
    hint: "None chosen: all of them. The file has them in the order chosen",
    several: [{ heading: "Columns", choices: COLUMN_CHOICES }],
    example: "vega_time,quantity,transfer_type",
    maxLength: 1000,
    reads: (_option: string, typed: string) => parseColumns(typed, false),
  },
  raw: { kind: "flag", section: "The file", description: "The file just as the node sends it", default: false },
  check: {
    kind: "flag",
    section: "The file",
    phrase: "and check it",
    description: "The file is read back before you get it, and you are told whether it is unchanged",
    default: false,
    said: (words: readonly string[]) => {
      const said = words.filter((one) => CHECK_WORDS.has(stem(one)));
      const before = words[words.indexOf(said[0] ?? "") - 1] ?? "";
      const isNot = /^(?:no|not|without|never)$/u.test(before);
      return said.length === 0 ? undefined : { value: isNot ? "no" : "yes", words: isNot ? [before, ...said] : said };
    },
  },
} as const;
type Context = CommandContext<typeof options>;

export const ledgerExport = command({
  name: "ledger export",
  asked: [
    "export|download|dl|csv|excel|xls|dump|save|spreadsheet|extract|pull|fetch {from}",
    "export|download|dl|csv|excel|xls|dump|save|spreadsheet|extract|pull|fetch trade|data|activity|everything|all {from}",
    "export|download|dl|csv|excel|xls|dump|save|spreadsheet|extract|pull|fetch|give|ledger|statement {from} check|verify|validate|prove|proof|audit|reconcile|control|sure|right|correct",
    "export|download|dl|csv|dump|backup|save|file|spreadsheet ledger|transfer|entry|statement|movement|posting|history|transaction|account|file|tax",
    "ledger|transfer|transaction|trade|data|activity|file|entry|statement|movement|posting|accounting|bookkeeping|tax|audit|fill|record {from}",
    "export",
    "ledger|statement|balance|profit|loss|pnl|deposit|withdraw|withdrawal",
    "i|my|we|our have|hold|own|balance {asset}",
    "i|my|we|our|{party} gain|lose|lost|earn|make|made|profit|loss|deposit|withdraw {asset}|{from}",
    "how|what i|my|we|our|{party} gain|lose|lost|earn|make|made|pay|paid|spend|spent|fee|profit|loss {from}",
  ],
  opposite: "ledger cancel",
  askedFirst: true,
  shows: (given) => ({
    says: `${sentenceOf({ name: "ledger export", title: "Export a ledger", options }, given)}: only you will see it`,
    press: "Choose the party",
  }),
  summary: "A party's ledger of one asset, as CSV",
  verb: "Export",
  title: "Export a ledger",
  examples: [
    'ledger export <party> USDT from:"last month"',
    "ledger export <party> USDT from:2023-05",
    "ledger export <party> USDT from:7d columns:vega_time,quantity",
  ],
  options,
  run: async (context) => {
    const asked = context.options;
    const lineWith = (from: string, to: string): string =>
      formatLine({ command: "ledger export", options: { party: asked.party, asset: asked.asset, from, to } });
    const [range, columns, partyId, assetId] = await together(
      () => exportRange(asked.from, asked.to, context.now(), lineWith),
      () => parseColumns(asked.columns, asked.raw),
      // Before the asset: its error says so where an asset stands in the party's place.
      () => resolveParty(asked.party, asked.asset, context),
      () => resolveId(ASSET, asked.asset, context, "asset"),
    );
    const asset = (await assetsById(context)).get(assetId);
    const { from, to } = range;
    const subject: ExportSubject = {
      query: { partyId, assetId, ...(from === undefined ? {} : { from }), to },
      raw: asked.raw,
      ...(asset === undefined ? {} : { asset }),
      ...(columns === undefined ? {} : { columns }),
    };
    const ask = repeatable(context, subject);
    const outcome = await context.exports.run({
      api: context.api,
      asker: exportAsker(context),
      ask,
      subject,
      request: {
        unit: unitOf(asset),
        name: `ledger-${partyId.slice(0, 8)}-${asset?.symbol ?? assetId.slice(0, 8)}-${rangeName(range)}`,
      },
      signal: context.signal,
      limits: context.here.files,
      ...(context.here.leavesFiles === true ? { keepsFile: true } : {}),
      ...(context.here.answerWithin === undefined ? {} : { answerWithin: context.here.answerWithin }),
      onStanding: (standing) => context.progress(standingReply(subject, standing)),
    });
    noteSeen(context, "party", [{ id: partyId }]);
    noteSeen(context, "asset", [{ id: assetId, label: asset?.symbol }]);
    // Others do not know the caller's name of a party.
    const saved = context.audience === "caller" ? await context.parties.list().catch(() => []) : [];
    const partyName = saved.find(({ id }) => id === partyId)?.name;
    const chat = context.platforms.chat(context.here.platform);
    const answered = outcomeReply({ ...context, partyName }, { subject, ask }, outcome, chat);
    return asked.check ? checked(answered, context) : answered;
  },
});

/** The answer with what reading its file anew says of it. What arrives in a chat is checked by its button. */
async function checked(answered: Reply, context: Context): Promise<Reply> {
  const [file] = answered.attachments;
  if (file === undefined) return answered;
  const given = { name: file.name, bytes: file.open() };
  const result = await context.exports.verify(exportAsker(context), given, tableFiles);
  const verified = verifiedReply(file.name, result);
  const isSame = /^(?:same|packed)$/u.test(result.found?.verdict.kind ?? "");
  return {
    ...answered,
    tone: verified.tone === "good" ? answered.tone : verified.tone,
    blocks: [
      paragraph(
        text`Checked before it is handed over: ${isSame ? "read back, the file is unchanged" : verified.title}.`,
      ),
      ...answered.blocks,
    ],
    actions: answered.actions.filter((one) => !("invocation" in one) || one.invocation.command !== "ledger verify"),
  };
}

/** The command that asks for the same again, whenever it is given: with the range as it was, not as it was typed. */
function repeatable(context: Context, { query, asset, raw }: ExportSubject): Ask {
  return askFor(context, "ledger export", {
    party: query.partyId,
    asset: asset?.symbol ?? query.assetId,
    ...rangeOptions(query),
    columns: context.options.columns,
    raw: raw ? true : undefined,
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
    const saved = await context.parties.list().catch(() => []);
    throw new UserError(`${asset.label} is an asset, no party.`, {
      option: "party",
      explains: ["asset"],
      cause: thrown,
      remedy:
        saved.length === 0
          ? "Give the party first. For example:"
          : (named) => `For the party that you saved, leave ${named("party")} out. Give the rest by name:`,
      suggestion: formatLine({
        command: "ledger export",
        options: {
          ...(saved.length === 0 ? { party: "<party>" } : {}),
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
    throw new UserError((named) => `${named("columns")} and ${named("raw")} cannot go together.`, {
      option: "columns",
      remedy: (named) => `Leave one out: ${named("raw")} gives the node's bytes untouched, with all columns.`,
    });
  }
  const columns = typed.split(/[,;\s]+/u).filter((column) => column !== "");
  if (columns.length === 0) {
    throw new UserError((named) => `${named("columns")} names no column.`, {
      option: "columns",
      remedy: (named) => `Write ${named("columns", "vega_time,quantity")}.`,
    });
  }
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) {
    throw new UserError((named) => `${named("columns")} names ${twice} twice.`, {
      option: "columns",
      remedy: "Name each column once.",
    });
  }
  return columns;
}

function unitOf(asset: AssetNames | undefined): { readonly symbol?: string; readonly decimals?: number } {
  const { symbol } = asset ?? {};
  const decimals = decimalsOf(asset);
  return { ...(symbol === undefined ? {} : { symbol }), ...(decimals === undefined ? {} : { decimals }) };
}
