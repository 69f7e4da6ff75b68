import { isAlive } from "../src/alerts/route/subscription.ts";
import type { AlertsContext } from "../src/answers/alerts/destination.ts";
import { visibleSubscriptions } from "../src/answers/alerts/subscriptions/subscriptions.ts";
import { marketAmounts, percentWords } from "../src/answers/amounts.ts";
import { answer, askFor, idCell } from "../src/answers/answer.ts";
import { listWords, tradingModeWords } from "../src/reply/enum-words.ts";
import { compareNames, marketsById, noteSeen } from "../src/answers/ids/ids.ts";
import {
  hasEnded,
  isExpectedToTrade,
  isInAuction,
  isLive,
  markOf,
  marketTone,
  shownState,
  spread,
  stateRank,
  stateWords,
} from "../src/answers/markets.ts";
import type { MarketData } from "../src/api/model/market.ts";
import type { MarketNames } from "../src/api/model/names.ts";
import { command } from "../src/bot/command.ts";
import { quoteTyped } from "../src/bot/nearest.ts";
import { plainChoices, type Said } from "../src/bot/options/options.ts";
import { UserError } from "../src/errors.ts";
import { table, type Table } from "../src/reply/block.ts";
import type { Tone } from "../src/reply/reply.ts";
import { type Inline, strong, type Text, text, time, toText, detailText } from "../src/reply/text.ts";
import { withoutUndefined } from "../src/units/without-undefined.ts";
import { compareDecimals, decimal, type Decimal } from "../src/units/decimal.ts";

export const marketList = command({
  name: "market list",
  alsoCalled: ["markets", "prices"],
  asked: [
    "market list|all|every|which|what|overview|trade|open|suspended|auction",
    "which|what|any market halted|stopped|suspended|paused|auction|open|live",
    "price|spread all|every|any",
    "which|what|where|any market {by}",
    "{by} spread",
    "which|what|where|market large|big|high|busy|busiest|active market|activity|interest",
    "busy|busiest|active market|activity|interest",
    "which|what|where market spread|liquidity|book",
    "market",
  ],
  summary: "All markets: mark, spread, state",
  verb: "List markets",
  examples: ["market list", "market list network:testnet"],
  workspaceChooses: true,
  options: {
    by: {
      kind: "text",
      operatorsOnly: true,
      description: "Which come first: tightest, widest (spread), ended; left out = troubled, own, most active",
      example: "tightest",
      closed: true,
      suggest: () => Promise.resolve(plainChoices(Object.keys(BY))),
      said: saidBy,
      reads: parseBy,
    },
  },
  run: async (context) => {
    const { api, signal, network } = context;
    const [{ value, asOf }, names] = await Promise.all([api.getMarketsData({ signal }), marketsById(context)]);
    const nameOf = (market: MarketData): MarketNames | undefined => names.get(market.market ?? "");
    const labelOf = (market: MarketData): string => nameOf(market)?.code ?? market.market ?? "";
    const own = await ownMarkets(context);
    const ordered = inOrder(value.filter(isExpectedToTrade), (market) => {
      // Those that the headline names, then those that somebody here is told of.
      const named = FIRST_TONES.indexOf(marketTone(market));
      const first = named >= 0 ? named : FIRST_TONES.length + (own.has(market.market ?? "") ? 0 : 1);
      return { first, activity: marketAmounts(nameOf(market)).activity(market), label: labelOf(market) };
    });
    // Of those in trouble the first rows have no more than the headline names: most people look for those that trade.
    const [idle, trading] = [true, false].map((is) =>
      ordered.filter((market) => FIRST_TONES.includes(marketTone(market)) === is),
    ) as [MarketData[], MarketData[]];
    const active = FIRST_ROWS - MAX_NAMED;
    const live = [
      ...idle.slice(0, MAX_NAMED),
      ...trading.slice(0, active),
      ...idle.slice(MAX_NAMED),
      ...trading.slice(active),
    ];
    const dead = inOrder(
      value.filter((market) => !live.includes(market)),
      (market) => ({ first: stateRank(market.marketState), activity: NO_ACTIVITY, label: labelOf(market) }),
    );
    const by = context.options.by === undefined ? undefined : BY[parseBy("by", context.options.by)];
    const first = by?.first([...live, ...dead]) ?? live;
    const markets = [...first, ...[...live, ...dead].filter((market) => !first.includes(market))];
    const troubled = live.filter((market) => marketTone(market) === "warning");
    noteSeen(
      context,
      "market",
      markets.toReversed().map((market) => ({ id: market.market, label: nameOf(market)?.code })),
    );
    return answer(context, asOf, {
      title: by?.title(first, markets.length, labelOf) ?? headline(network, markets.length, [live, troubled], labelOf),
      tone: by === undefined ? listTone(live, troubled) : "neutral",
      blocks: [marketTable(context, markets, nameOf, first.length)],
      ask: askFor(context, "market list", withoutUndefined({ by: context.options.by })),
    });
  },
});

/** What may come first instead, and the headline that says so. */
interface By {
  readonly words: RegExp;
  first(markets: readonly MarketData[]): readonly MarketData[];
  title(first: readonly MarketData[], all: number, labelOf: (market: MarketData) => string): Text;
}

const BY: Readonly<Record<"tightest" | "widest" | "ended", By>> = {
  tightest: bySpread("tightest", /^(?:best|(?:tight|narrow|small|low)(?:er|est)?)$/u),
  widest: bySpread("widest", /^(?:wid(?:e|er|est)|worst|bigg?(?:er|est)|larg(?:e|er|est)|high(?:er|est)?)$/u),
  ended: {
    words: /^(?:closed|ended|settled|terminated|cancelled)$/u,
    first: (markets) => markets.filter(({ marketState }) => hasEnded(marketState)),
    title: ({ length }, all) =>
      text`${length} of ${all} ${all === 1 ? "market" : "markets"} ${length === 1 ? "is" : "are"} over`,
  },
};

function bySpread(name: "tightest" | "widest", words: RegExp): By {
  const sign = name === "tightest" ? 1 : -1;
  return {
    words,
    first: (markets) =>
      markets
        .flatMap((market) => {
          const percent = marketTone(market) === "good" ? spread(market)?.percent : undefined;
          return percent === undefined ? [] : { market, percent };
        })
        .toSorted((a, b) => sign * compareDecimals(a.percent, b.percent))
        .map(({ market }) => market),
    title: ([market], _, labelOf) =>
      market === undefined
        ? text`No market has a spread`
        : text`${labelOf(market)} has the ${name} spread, ${percentWords(spread(market)?.percent)}`,
  };
}

function parseBy(option: string, typed: string): keyof typeof BY {
  const name = (Object.keys(BY) as (keyof typeof BY)[]).find((one) => one === typed.trim().toLowerCase());
  if (name !== undefined) return name;
  throw new UserError(`Markets are not listed by ${quoteTyped(typed)}.`, {
    option,
    remedy: `Write ${listWords(Object.keys(BY))}.`,
  });
}

/** `wide` is of spreads; `big` alone of the market. */
function saidBy(words: readonly string[]): Said | undefined {
  for (const [value, by] of Object.entries(BY)) {
    const word = words.find((one) => by.words.test(one));
    if (word !== undefined && (value === "ended" || words.includes("spread") || words.includes("spreads")))
      return { value, words: [word] };
  }
  return undefined;
}

/** Rows above the fold, and how many more are not worth a press. */
const FIRST_ROWS = 7;
const ROWS_TO_SPARE = 2;

const NO_ACTIVITY = decimal(0n);

/** Markets that do not trade come first: those in trouble, then those that wait. */
const FIRST_TONES: readonly Tone[] = ["warning", "neutral"];

interface Order {
  /** The lowest comes first. */
  readonly first: number;
  readonly activity: Decimal;
  readonly label: string;
}

/** Nodes send markets in random order: sorted, two replies can be compared by eye. */
function inOrder(markets: readonly MarketData[], orderOf: (market: MarketData) => Order): readonly MarketData[] {
  return markets
    .map((market) => ({ market, ...orderOf(market) }))
    .toSorted((a, b) => a.first - b.first || compareDecimals(b.activity, a.activity) || compareNames(a.label, b.label))
    .map(({ market }) => market);
}

/** The markets of which the channel or the caller is told. A list of markets needs no database. */
async function ownMarkets(context: AlertsContext & { readonly network: string }): Promise<ReadonlySet<string>> {
  const all = await context.alerts.subscriptions().catch(() => []);
  const here = visibleSubscriptions(all.filter(isAlive), context);
  return new Set(here.filter(({ network }) => network === context.network).flatMap(({ subjects }) => subjects));
}

/** The most markets that the headline names. */
const MAX_NAMED = 3;

/** `14 of 27 markets trade; RICE/USDC: suspended, XMR/USDT: pending`; those that are over are only counted. */
function headline(
  network: string,
  all: number,
  [live, troubled]: readonly [readonly MarketData[], readonly MarketData[]],
  labelOf: (market: MarketData) => string,
): Text {
  if (live.length === 0) return text`${network} has no live markets`;
  const waiting = live.filter((market) => marketTone(market) === "neutral");
  const others = [...troubled, ...waiting];
  const count = text`${live.length - others.length} of ${all} ${all === 1 ? "market trades" : "markets trade"}`;
  if (others.length === 0) return text`${count}, none in trouble`;
  const named =
    others.length > MAX_NAMED
      ? `${others.length} others wait or are in trouble`
      : others.map((market) => `${labelOf(market)}: ${idleWords(market)}`).join(", ");
  return text`${count}; ${named}`;
}

function listTone(live: readonly MarketData[], troubled: readonly MarketData[]): Tone {
  if (live.length === 0) return "neutral";
  return troubled.length === 0 ? "good" : "warning";
}

function marketTable(
  context: { readonly network: string },
  markets: readonly MarketData[],
  nameOf: (market: MarketData) => MarketNames | undefined,
  live: number,
): Table {
  const first = live > FIRST_ROWS + ROWS_TO_SPARE ? FIRST_ROWS : live;
  return table({
    name: "markets",
    ...(first === 0 || first === markets.length ? {} : { fold: first }),
    rows: markets.map((market) => ({ market, names: nameOf(market), ...marketAmounts(nameOf(market)) })),
    columns: [
      ["Market", ({ market, names }) => names?.code ?? idCell(market.market)],
      ["Mark", ({ market, price }) => price(markOf(market)), "right"],
      [
        "Spread",
        ({ market }) =>
          marketTone(market) === "good" ? percentWords(spread(market)?.percent, "column") : idleWords(market),
        "right",
      ],
      ["State", ({ market }) => stateCell(market), 3],
      ["Bid", ({ market, price }) => quoted(market, market.bestBidPrice, market.bestBidVolume, price), "right", 2],
      [
        "Offer",
        ({ market, price }) => quoted(market, market.bestOfferPrice, market.bestOfferVolume, price),
        "right",
        2,
      ],
      ["Open interest", ({ market, size }) => size(market.openInterest), "right", 2],
      ["Mode", ({ market }) => (isLive(market) ? tradingModeWords(market.marketTradingMode) : ""), 3],
      ["Auction ends", ({ market }) => auctionEnd(market), 3],
      [
        "Id",
        ({ market, names }) => (names === undefined ? idCell(market.market) : idCell(market.market).map(asDetail)),
        3,
      ],
    ],
    rowAction: {
      label: "Show",
      invocations: markets.map((market) => askFor(context, "market show", { market: market.market ?? "" })),
      effect: "reply",
    },
    empty: text`No markets.`,
  });
}

function auctionEnd(market: MarketData): Inline | undefined {
  return isInAuction(market) && market.auctionEnd !== undefined ? time(market.auctionEnd, "both") : undefined;
}

/** Nodes write a side of the book that is empty as price 0, volume 0. */
function quoted(
  market: MarketData,
  price: bigint | undefined,
  volume: bigint | undefined,
  show: (price: bigint) => Inline,
): Text {
  if (price === undefined) return toText("–");
  if (price !== 0n || (volume !== undefined && volume !== 0n)) return toText(show(price));
  return toText(isLive(market) ? "none" : detailText("none"));
}

function asDetail(inline: Inline): Inline {
  return inline.kind === "code" ? { ...inline, detail: true } : inline;
}

/** Why a market has no spread that counts, in a word or two: `suspended`, `auction`. */
function idleWords(market: MarketData): string {
  const isIdle = market.marketState === "STATE_ACTIVE";
  return isIdle ? (isInAuction(market) ? "auction" : "no trading") : stateWords(market.marketState);
}

/** Strong where a market is in trouble; a detail where it trades. */
function stateCell(market: MarketData): Text {
  const words = shownState(market);
  return toText(marketTone(market) === "warning" ? strong(words) : words);
}
