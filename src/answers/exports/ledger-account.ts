import type { Platforms } from "../../alerts/destination.ts";
import type { AssetNames } from "../../api/model/names.ts";
import type { Target } from "../../bot/invocation.ts";
import { formatLine } from "../../bot/grammar/grammar.ts";
import { quoteValue } from "../../bot/grammar/tokens.ts";
import type { ExportResult, ExportSubject } from "../../export/jobs/job.ts";
import type { LedgerAccount, LedgerFlows } from "../../export/ledger-account.ts";
import { type Block, details, facts, field, type Field, fields, paragraph, table } from "../../reply/block.ts";
import { type Action, type Attachment, commandAction, type Reply } from "../../reply/reply.ts";
import { tableAttachment } from "../../reply/csv.ts";
import {
  code,
  commandLine,
  id,
  type Inline,
  shortenId,
  strong,
  type Text,
  text,
  type TextPart,
  time,
} from "../../reply/text.ts";
import { formatDuration, formatWholeDuration, nanoseconds, type Nanoseconds, toMillis } from "../../units/time.ts";
import { formatBytes, formatCount } from "../../units/format-number.ts";
import { assetAmount, smallestUnits, summedAmounts } from "../amounts.ts";
import { answer, millisBetween } from "../answer.ts";

import { rangeOptions, rangeWords } from "../export-range.ts";
import { type Delivered, deliveryWords } from "./delivery.ts";
import { enumWords } from "../../reply/enum-words.ts";

/** How the beginning of a node's history is known. */
const HISTORY_WORDS = {
  presumed: "A standard node keeps ledger entries for 6 months",
  set: "The operators of this bot say how long this node keeps ledger entries",
  seen: "That is the earliest entry this node has sent",
} as const;

/** A first row this much later than the start gets a note. */
const LATE_MILLIS = 86_400_000;

export interface LedgerReplyContext {
  readonly network: string;
  readonly platforms: Platforms;
  readonly here: Pick<Target, "platform" | "leavesFiles">;
  /** The name under which the reader saved the party. */
  readonly partyName?: string | undefined;
  now(): Nanoseconds;
}

/** So much of a hash tells the exports of a day apart. */
const HASH_BEGINNING = 12;

/**
 * Says whether the file that arrived is the one that was delivered, in a chat that brings along the file of this very
 * message. Another says how to check it, by its hash; elsewhere by the beginning of that: the whole one stands above.
 */
function checkAction({ platforms, here }: LedgerReplyContext, sent: readonly Attachment[]): Action[] {
  const [file] = sent;
  if (file === undefined) return [];
  const chat = platforms.chat(here.platform);
  const { name, sha256 } = file;
  const hash = chat === undefined ? sha256.slice(0, HASH_BEGINNING) : sha256;
  const options = chat?.returnsFiles === true ? { file: name } : { sha256: hash };
  return [commandAction(chat?.returnsFiles === true ? "Check the file" : "How to check it", "ledger verify", options)];
}

/** The reply to a whole export: the party's gain or loss, and the proof that its file is complete. */
export function ledgerReply(
  context: LedgerReplyContext,
  { result, ...delivered }: Omit<Delivered, "account"> & { readonly result: ExportResult },
): Reply {
  const { account, asOf } = result.file;
  const words = deliveryWords(context.platforms, context.here.platform, { ...delivered, account });
  const asset = assetOf(account, result);
  const isWhole = account.endIsProven && account.partial === undefined && !account.outgoingOnly;
  return answer(context, asOf, {
    title: text`${headline(account, result, asset, context.partyName)}${labels(account)}`,
    lasting: true,
    until: result.query.to,
    tone: isWhole ? (account.rows === 0 ? "neutral" : "good") : "warning",
    blocks: [
      ...warnings(account, result.query.from),
      ...failedNote(account, asOf.node),
      ...words.blocks,
      ...facts(factsOf(account, result, asset)),
      ...details([
        ...(account.flows === undefined ? [] : flowTables(account.flows, asset)),
        fields(detailFields(result, asset, delivered.delivery.attachments)),
      ]),
    ],
    attachments: delivered.delivery.attachments,
    actions: [...words.actions, ...checkAction(context, delivered.delivery.attachments)],
  });
}

/** The asset as the account has it, so that a kept export is worded like a fresh one. */
function assetOf({ unit }: LedgerAccount, { query }: ExportSubject): AssetNames {
  return { id: query.assetId, name: undefined, symbol: unit.symbol, decimals: unit.decimals, erc20: undefined };
}

function headline(
  { rows, raw, flows }: LedgerAccount,
  { query: { partyId, assetId } }: ExportSubject,
  asset: AssetNames,
  party = shortenId(partyId),
): Text {
  const name = asset.symbol ?? shortenId(assetId);
  if (rows === 0) return text`The ledger of ${party} in ${name} has no entries here`;
  if (raw || flows === undefined) return text`Raw ledger of ${party} in ${name}: ${rowWords(rows)}`;
  const { out, net } = flows.total;
  if (net === undefined) return text`${party} sent ${assetAmount(BigInt(out), asset)} in ${rowWords(rows)}`;
  const gained = BigInt(net);
  if (gained === 0n) return text`${party} neither gained nor lost ${name} in ${rowWords(rows)}`;
  const amount = amountWords(flows, asset)(gained < 0n ? -gained : gained);
  return text`${party} ${gained > 0n ? "gained" : "lost"} ${amount} in ${rowWords(rows)}`;
}

/** Words for the net, for income and outgo, and for the balances: people add them up. */
function amountWords(flows: LedgerFlows, asset: AssetNames): (units: bigint) => Inline {
  const { total } = flows;
  if (total.in === undefined || total.net === undefined) return (units) => assetAmount(units, asset);
  const net = BigInt(total.net);
  const balance = balanceOf(flows);
  return summedAmounts(asset, [
    [BigInt(total.in), -BigInt(total.out), -net],
    ...(balance === undefined ? [] : [[balance.closing, -balance.opening, -net]]),
  ]);
}

function rowWords(rows: number): string {
  return `${formatCount(rows)} ${rows === 1 ? "entry" : "entries"}`;
}

function labels({ endIsProven, partial, outgoingOnly }: LedgerAccount): string {
  return [
    ...(endIsProven ? [] : [", END NOT CONFIRMED"]),
    ...(partial === undefined ? [] : [", PARTIAL HISTORY"]),
    ...(outgoingOnly ? [", OUTGOING ONLY"] : []),
  ].join("");
}

function warnings(account: LedgerAccount, from: Nanoseconds | undefined): Block[] {
  const { endIsProven, partial, outgoingOnly, rows } = account;
  const said: TextPart[] = [];
  if (!endIsProven) {
    said.push(
      text`${strong("END NOT CONFIRMED.")} The node, or a proxy before it, closed the connection without a sign that the file is whole: rows at the end may be missing. Compare it with another node's file before you rely on it.`,
    );
  }
  if (partial === undefined) said.push(...lateNote(account, from));
  else {
    said.push(
      text`${strong("PARTIAL HISTORY.")} ${from === undefined ? "No start was given" : "The range begins earlier than this node's history"}: entries before ${time(timeOf(partial.from))} may be missing. ${HISTORY_WORDS[partial.how]}, and a node says nothing of those it has dropped.`,
    );
  }
  if (outgoingOnly) {
    said.push(
      text`${strong("OUTGOING ONLY.")} This node's release tells only what the party sent, and no other node of the network told more. What came in, the net and the balance are unknown.`,
    );
  }
  if (rows === 0) {
    said.push(
      `${endIsProven ? "There are no entries" : "No entry arrived"}, so there is no file. A node says the same of a party or an asset that it does not know: if you expected entries, check both ids.`,
    );
  }
  return said.map(paragraph);
}

/** Which nodes failed, and which gave the file. */
function failedNote({ failed = [], nodes = [] }: LedgerAccount, node: string): Block[] {
  const giver = nodes.length === 0 ? node : nodes.join(" and ");
  if (failed.length === 0) return nodes.length === 0 ? [] : [paragraph(`The range came in slices, from ${giver}.`)];
  const words = failed.map(({ node, why }) => `${node} ${why}`).join("; ");
  const ends = /[?!.]$/u.test(words) ? "" : ".";
  return [paragraph(`${words}${ends} ${giver} gave the whole file instead, and it has nothing of what came before.`)];
}

/** A first entry long after the start, in a range that the node's history covers. */
function lateNote({ firstTime }: LedgerAccount, from: Nanoseconds | undefined): Text[] {
  if (from === undefined || firstTime === undefined) return [];
  const late = millisBetween(from, timeOf(firstTime));
  if (late < LATE_MILLIS) return [];
  return [
    text`The first entry is of ${time(timeOf(firstTime))}, ${formatDuration(late)} after the start: either nothing happened before, or this node no longer has it.`,
  ];
}

/** The most important first. */
function factsOf(account: LedgerAccount, { query }: ExportSubject, asset: AssetNames): Field[] {
  const { flows, rows } = account;
  const total = rows === 0 ? undefined : flows?.total;
  const balance = flows === undefined ? undefined : balanceOf(flows);
  const amount = flows === undefined ? undefined : amountWords(flows, asset);
  const span = spanText(account);
  const dropped = droppedWords(account);
  return [
    ...(span === undefined ? [] : [field("Entries", span, { wide: true })]),
    ...(total?.in === undefined ? [] : [field("Received", amount?.(BigInt(total.in)))]),
    ...(total === undefined ? [] : [field("Sent", amount?.(BigInt(total.out)))]),
    ...(balance === undefined || amount === undefined
      ? []
      : [field("Balance", text`${amount(balance.opening)} before, ${amount(balance.closing)} after`, { wide: true })]),
    ...(dropped === undefined ? [] : [field("Left out", dropped, { wide: true })]),
    field("Asked for", text`${rangeWords({ from: query.from, to: query.to })}`, { wide: true }),
  ];
}

/** The sum over the party's accounts; undefined unless each balance is known. */
function balanceOf({ balances, balancesUnknown }: LedgerFlows): { opening: bigint; closing: bigint } | undefined {
  if (balances.length === 0 || balancesUnknown > 0) return undefined;
  const sum = (side: "opening" | "closing"): bigint => balances.reduce((all, one) => all + BigInt(one[side]), 0n);
  return { opening: sum("opening"), closing: sum("closing") };
}

function droppedWords({ dropped }: LedgerAccount): string | undefined {
  const { asset, party, range } = dropped;
  const all = asset + party + range;
  if (all === 0) return undefined;
  const reasons = [
    ...(asset === 0 ? [] : [`${formatCount(asset)} of another asset`]),
    ...(party === 0 ? [] : [`${formatCount(party)} of other parties`]),
    ...(range === 0 ? [] : [`${formatCount(range)} outside the range`]),
  ];
  return `${formatCount(all)} ${all === 1 ? "row" : "rows"} that the node sent unasked: ${reasons.join(", ")}`;
}

function flowTables({ types, balances, balancesUnknown }: LedgerFlows, asset: AssetNames): Block[] {
  const { symbol, ...bare } = asset;
  const cell = (units: string | undefined): TextPart =>
    units === undefined ? "–" : assetAmount(BigInt(units), { ...bare, symbol: undefined });
  const titled = (title: string): string => (symbol === undefined ? title : `${title} (${symbol})`);
  const byType = table({
    name: "transfer-types",
    rows: types,
    columns: [
      ["Transfer type", ({ type }) => (type === "" ? "–" : enumWords(type, "TRANSFER_TYPE"))],
      ["Rows", ({ rows }) => formatCount(rows), "right", 2],
      [titled("In"), (flow) => cell(flow.in), "right"],
      [titled("Out"), (flow) => cell(flow.out), "right"],
      [titled("Net"), (flow) => cell(flow.net), "right"],
    ],
  });
  const byAccount = table({
    name: "balances",
    rows: balances,
    columns: [
      ["Account", ({ account }) => enumWords(account, "ACCOUNT_TYPE")],
      ["Market", ({ market }) => (market === "" ? "–" : id(market)), 2],
      [titled("Before"), ({ opening }) => cell(opening), "right"],
      [titled("After"), ({ closing }) => cell(closing), "right"],
    ],
  });
  return [
    ...(types.length === 0 ? [] : [byType]),
    ...(balances.length === 0 ? [] : [byAccount]),
    ...(balancesUnknown === 0
      ? []
      : [
          paragraph(
            `The balances of ${formatCount(balancesUnknown)} of the party's accounts cannot be told from the entries beyond doubt, so they are not given.`,
          ),
        ]),
  ];
}

/** The tables of an answer as the files that it comes with. */
export function tableFiles(account: LedgerAccount): Attachment[] {
  if (account.flows === undefined) return [];
  const asset = { id: "", name: undefined, erc20: undefined, symbol: undefined, decimals: undefined, ...account.unit };
  return flowTables(account.flows, asset).flatMap((block) => (block.kind === "table" ? [tableAttachment(block)] : []));
}

function detailFields(result: ExportResult, asset: AssetNames, sent: readonly Attachment[]): Field[] {
  const { account, columns } = result.file;
  const { rows, sizeBytes, sha256, raw, flows } = account;
  const exactSize = `${formatCount(sizeBytes)} bytes`;
  const { partyId, assetId } = result.query;
  const file =
    rows === 0
      ? []
      : [
          field("Rows", formatCount(rows)),
          ...(flows?.total.net === undefined ? [] : [field("Net", assetAmount(BigInt(flows.total.net), asset))]),
          field("Size", sizeBytes < 1000 ? exactSize : `${formatBytes(sizeBytes)} (${exactSize})`),
          field("SHA-256", code(sha256), { wide: true }),
          // Archives and parts are other files, with hashes of their own.
          ...sent
            .filter((one) => one.sha256 !== sha256)
            .map((one) => field(`SHA-256 of ${one.name}`, code(one.sha256), { wide: true })),
          ...amountsField(columns, asset),
          field("Columns", columns.join(", "), { wide: true }),
          field(
            "Form",
            raw
              ? "the node's bytes; rows outside what was asked may be among them"
              : "one form for all releases of a node, sorted by time (docs/ledger.md)",
            { wide: true },
          ),
        ];
  return [
    ...file,
    field("Party", id(partyId), { wide: true }),
    field("Asset", asset.symbol === undefined ? id(assetId) : text`${asset.symbol} ${id(assetId)}`, { wide: true }),
    field("The same again", commandLine(lineOf(result)), { wide: true }),
  ];
}

/** The unit of the file's integers, which stay as the node sends them. */
function amountsField(columns: readonly string[], asset: AssetNames): Field[] {
  const integers = columns.filter((name) => name === "quantity" || name === "effect" || name.endsWith("_balance"));
  if (integers.length === 0) return [];
  const one = smallestUnits(asset);
  const said =
    one === undefined
      ? "raw integers; this node does not say how many decimals the asset has"
      : `raw integers: ${one} is 1 ${asset.symbol ?? "of the asset"}`;
  const rounded = "A spreadsheet that opens the file keeps only 15 digits of them (docs/ledger.md).";
  return [field("Amounts", text`${said} (${integers.join(", ")}). ${rounded}`, { wide: true })];
}

/** The line that asks for exactly this again, whenever it is typed: short, since chats bound what can be typed. */
function lineOf({ query, asset, raw, columns }: ExportSubject): string {
  const { partyId, assetId } = query;
  return formatLine({
    command: `ledger export ${partyId} ${quoteValue(asset?.symbol ?? assetId)}`,
    options: {
      ...rangeOptions(query),
      ...(columns === undefined ? {} : { columns: columns.join(",") }),
      ...(raw ? { raw: "yes" } : {}),
    },
  });
}

function spanText({ firstTime, lastTime }: LedgerAccount): Text | undefined {
  if (firstTime === undefined || lastTime === undefined) return undefined;
  const [first, last] = [timeOf(firstTime), timeOf(lastTime)];
  if (first === last) return text`${time(first)}`;
  const span = formatWholeDuration(Math.max(0, toMillis(last) - toMillis(first)));
  return text`${time(first)} to ${time(last)} (${span})`;
}

function timeOf(decimal: string): Nanoseconds {
  return nanoseconds(BigInt(decimal));
}
