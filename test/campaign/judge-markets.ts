import { readRows } from "./database.ts";
import { parse } from "csv-parse/sync";

import { enumWords } from "../../src/reply/enum-words.ts";
import { toldBy } from "./judge.ts";
import { plain, type Transcript } from "./transcript.ts";

/** Each market's state at the bot's last observation, by its label as titles show it. */
export type StoredMarkets = ReadonlyMap<string, string>;

/** Undefined while messages are still owed to that destination, whose transcript is then behind the observation. */
export async function storedMarkets(url: string, destination: string): Promise<StoredMarkets | undefined> {
  const [open] = await readRows<{ owed: number }>(
    url,
    `SELECT count(*) AS owed FROM alert_deliveries
     WHERE destination = '${destination}' AND state IN ('owed', 'sending') AND shown IS NULL`,
  );
  const [snapshot] = await readRows<{ data: string }>(
    url,
    "SELECT data FROM watcher_snapshots WHERE network = 'testnet' AND watcher = 'markets'",
  );
  if (snapshot === undefined || open?.owed !== 0) return undefined;
  const { markets } = JSON.parse(snapshot.data) as {
    markets: Record<string, { label?: string; state?: string; tradingMode?: string }>;
  };
  return new Map(
    Object.values(markets).map(({ label = "", state = "", tradingMode = "" }) => [
      plain(label),
      `${enumWords(state, "STATE")}, ${enumWords(tradingMode, "TRADING_MODE")}`,
    ]),
  );
}

interface MarketChange {
  readonly market: string;
  /** The state before. Absent for a new market, and for a change that only a digest's file lists. */
  readonly before?: string;
  readonly after: string;
}

/**
 * A market's changes are a chain: each begins where the one before ended, so that a lost, doubled or misplaced one breaks
 * it, and the last one ends in the market's last observed state. Its auctions begin and end in turn. One message may say
 * several auctions: of a market that such a message names, no more auctions end than began.
 */
export function judgeMarkets(
  transcript: Transcript,
  stored: StoredMarkets | undefined,
): {
  count: number;
  auctions: number;
  faults: string[];
} {
  const faults: string[] = [];
  const last = new Map<string, string>();
  const labels = new Set([...(stored?.keys() ?? []), ...labelsIn(transcript)]);
  const alone = new Map<string, boolean>();
  const grouped = new Map<string, number>();
  let count = 0;
  let begun = 0;
  for (const { title, text } of toldBy(transcript)) {
    for (const { market, before, after } of changesIn(title, text)) {
      const known = last.get(market);
      if (known !== undefined && before !== undefined && !isPartOf(before, known)) {
        faults.push(`${transcript.name}: ${market} was ${before} before it was ${after}, but had been ${known}`);
      }
      if (known === after) faults.push(`${transcript.name}: that ${market} is ${after} was told twice`);
      last.set(market, after);
      count += 1;
    }
    const auction = auctionIn(title);
    if (auction === undefined) continue;
    const { began, over } = auction;
    const change = over ? 0 : began ? 1 : -1;
    const named = [...labels].filter((label) => label === auction.market || isNamedIn(text, label));
    if (began || over) begun += named.length;
    for (const market of named) {
      const isOpen = alone.get(market) ?? false;
      if (named.length > 1 || SEVERAL.test(auction.market))
        grouped.set(market, (grouped.get(market) ?? (isOpen ? 1 : 0)) + change);
      else if (grouped.has(market)) grouped.set(market, (grouped.get(market) ?? 0) + change);
      else if (isOpen === began && !over) faults.push(`${transcript.name}: out of turn: ${title}`);
      alone.set(market, began && !over);
    }
  }
  for (const [market, open] of grouped) {
    if (open < 0) faults.push(`${transcript.name}: more auctions of ${market} ended than began`);
  }
  for (const [market, after] of last) {
    const stands = stored?.get(market);
    if (stands !== undefined && stands !== after) {
      faults.push(`${transcript.name}: ${market} was last told to be ${after}, and was seen to be ${stands}`);
    }
  }
  return { count, auctions: begun, faults };
}

function changesIn(title: string, text: string): MarketChange[] {
  const line =
    /^[^\p{L}\p{N}]*(?<market>.+) on testnet is (?:new: (?<first>.+)|now (?<now>.+); before: (?<before>.+))$/u.exec(
      title,
    );
  if (line?.groups !== undefined) {
    const { market = "", before, first, now = "" } = line.groups;
    return [{ market, after: bare(first ?? now), ...(before === undefined ? {} : { before: bare(before) }) }];
  }
  if (!/^[^\p{L}\p{N}]*\d+ changes of markets on/u.test(title)) return [];
  const rows = text.split(/\r?\n/u).filter((row) => row.startsWith("market.state,"));
  return rows.map((row) => {
    const [[, , market = "", after = ""] = []] = parse(row);
    // A file keeps the signs that a title does without.
    return { market: plain(market), after: bare(after) };
  });
}

/** A message names only those parts of the state before that have changed. */
function isPartOf(before: string, known: string): boolean {
  const all = known.split(", ");
  return before.split(", ").every((word) => all.includes(word));
}

/** Without the reason, and without the last price of a market that is over: with another one the state is the same. */
function bare(words: string): string {
  return words.replace(/, mark price .* at the end$/u, "").replace(/ \([^)]*\)$/u, "");
}

/** In the place of a market's name. */
const SEVERAL = /^\d+(?: of \d+)? markets$/u;

function labelsIn(transcript: Transcript): readonly string[] {
  return toldBy(transcript).flatMap(({ title, text }) => [
    ...changesIn(title, text).map(({ market }) => market),
    ...[auctionIn(title)?.market ?? ""].filter((market) => market !== "" && !SEVERAL.test(market)),
  ]);
}

/** Whether a list of a message names a market, and not one whose name goes on. */
function isNamedIn(text: string, label: string): boolean {
  const plain = text.replaceAll(/[*`\\]/gu, "");
  for (let at = plain.indexOf(label); at >= 0; at = plain.indexOf(label, at + 1)) {
    if (!/[\w/-]/u.test(`${plain[at - 1] ?? ""}${plain[at + label.length] ?? ""}`)) return true;
  }
  return false;
}

/** A live auction's beginning or end, or both at once; of several markets `3 markets`, which the text names. */
function auctionIn(title: string): { market: string; began: boolean; over: boolean } | undefined {
  const match =
    /^[^\p{L}\p{N}]*(?<over>Over already: |)(?:Resolved: )?(?<market>.+?) (?:on testnet (?:is|are) in an auction since|(?<past>on testnet (?:was|were) in an auction|(?:is|are) in an auction on testnet: |on testnet are in an auction: ))/u.exec(
      title,
    );
  const { over: word, market, past } = match?.groups ?? {};
  if (word === undefined || market === undefined) return undefined;
  const over = word !== "";
  return { market, began: over || past === undefined, over };
}
