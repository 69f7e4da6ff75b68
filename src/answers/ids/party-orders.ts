import type { Visibility } from "../../bot/invocation.ts";
import { FINAL_STATUSES } from "../../alerts/judge/kinds/event.ts";
import type { Order } from "../../api/model/order.ts";
import type { CommandContext } from "../../bot/command.ts";
import { stem } from "../../bot/grammar/stem.ts";
import { cutShort } from "../../bot/nearest.ts";
import {
  type Choice,
  type Options,
  plainChoices,
  type Said,
  type SuggestContext,
  type TextOption,
} from "../../bot/options/options.ts";
import { SAVE_PARTY_ACTION } from "../../bot/options/saved-parties.ts";
import { MAX_CHOICES } from "../../bot/options/suggest-values.ts";
import { formatDuration, inTime, type Milliseconds, type Nanoseconds } from "../../units/time.ts";
import { paragraph } from "../../reply/block.ts";
import { type Action, type Ask, askedBack, choiceActions, commandAction, type Reply } from "../../reply/reply.ts";
import { shortenId, text, type TextPart } from "../../reply/text.ts";
import { capitalised, enumWords } from "../../reply/enum-words.ts";
import type { SeenId } from "../../store/store.ts";
import { marketAmounts } from "../amounts.ts";
import { askFor, formActions, millisBetween } from "../answer.ts";
import { reasonClause } from "../../reply/order-reasons.ts";
import { orderState, orderWords } from "../order-words.ts";
import { MARKET, marketsById, type NamesContext, noteSeen, ORDER, PARTY } from "./ids.ts";
import { askAboutId, lookUp, resolveId, saidId, suggestIds } from "./typed-ids.ts";

/** Another reason why a node knows no such order. */
export const ORDERS_ARE_DROPPED = "A standard node drops orders after a month.";

/** Asks for an order beside other values that are wrong. @throws UserError for an id that the network does not know. */
export async function findOrder(option: string, typed: string, context: SuggestContext): Promise<void> {
  const resolving = lookUp(context);
  const id = await resolveId(ORDER, typed, resolving, option);
  const question = context.api.getOrder(id, undefined, { signal: context.signal });
  await askAboutId(ORDER, id, option, resolving, question, ORDERS_ARE_DROPPED);
}

/** Shorter than the time limit of a whole completion. */
const ORDERS_WAIT_MILLIS: Milliseconds = 1000;

/** An answer may wait longer, for a machine that is busy: without the newest orders it would ask whose. */
const NEWEST_WAIT_MILLIS: Milliseconds = 3000;

/** How many of the orders that may be those of others are offered beside the parties, or the caller's own. */
const SEEN_OFFERED = 10;

/** Completion for an order: those of the party that the caller saved, then those seen. */
export async function suggestOrders(typed: string, context: SuggestContext): Promise<readonly Choice[]> {
  const saved = inTime(savedOrders(context), { millis: ORDERS_WAIT_MILLIS }, (): readonly Choice[] => []);
  const [orders, seen] = await Promise.all([saved, suggestIds(ORDER)(typed, context)]);
  const low = typed.trim().toLowerCase();
  const fitting = orders.filter(({ label, value }) => value.startsWith(low) || label.toLowerCase().includes(low));
  const offered = new Set(fitting.map(({ value }) => value));
  const others = seen.filter(({ value }) => !offered.has(value));
  const own = fitting.slice(0, MAX_CHOICES - Math.min(others.length, SEEN_OFFERED));
  return [...own, ...others].slice(0, MAX_CHOICES);
}

async function savedOrders(context: SuggestContext, only: OnlyOrders = {}): Promise<readonly Choice[]> {
  const [party] = await context.parties.list().catch(() => []);
  return party === undefined ? [] : listOrders({ ...only, party: party.id }, context);
}

/** Of “my last order”, the newest, in the state that is said, of the party that the caller saved: for the caller alone. */
export async function saidOrder(
  words: readonly string[],
  context: SuggestContext & { readonly audience?: Visibility },
): Promise<Said | undefined> {
  const id = await saidId(ORDER)(words, context);
  const [, last] = /^(?!.*\b(?:are|were)\b).*\b(last|latest|newest) (?:order|bid|offer)\b/u.exec(words.join(" ")) ?? [];
  if (id !== undefined || last === undefined || context.audience !== "caller") return id;
  const state = saidState(words);
  const market = (await saidId(MARKET)(words, context))?.value;
  const saved = savedOrders(context, { state: state?.value, market, byAge: true });
  const [newest] = await inTime(saved, { millis: NEWEST_WAIT_MILLIS }, (): readonly Choice[] => []);
  return newest === undefined ? undefined : { value: newest.value, words: [last, ...(state?.words ?? [])] };
}

/** What a choice holds everywhere, of two lines on Slack. */
const LABEL_LENGTH = 100;

/** Which orders are listed. `now`: the age of each is said, too. `byAge`: the newest first, live or not. */
interface OnlyOrders {
  readonly party?: string;
  readonly state?: string | undefined;
  /** Its id, its code, or a part of that: `eth`. */
  readonly market?: string | undefined;
  readonly now?: Nanoseconds;
  readonly byAge?: boolean;
}

interface ListedOrder extends Choice {
  readonly seen: SeenId;
  readonly party: string | undefined;
  /** How many such orders its party has. */
  readonly count: number;
}

/**
 * The orders of a party, or of all, in words: of one state the newest alone, else live ones before those that have ended.
 * Their beginnings can be typed then.
 */
async function listOrders(
  { party, state = "", market: only = "", now, byAge = false }: OnlyOrders,
  context: NamesContext & Pick<SuggestContext, "seen">,
): Promise<readonly ListedOrder[]> {
  const { api, seen, signal } = context;
  const status = ENDED_STATES.has(state) ? `STATUS_${state.toUpperCase()}` : undefined;
  const [all, markets] = await Promise.all([api.getOrders({ party, status }, { signal }), marketsById(context)]);
  // Some nodes ignore the status.
  const isOf = ({ marketId = "" }: Order): boolean => {
    const code = markets.get(marketId)?.code?.toLowerCase() ?? "";
    return [marketId, code, ...code.split(/\W/u), ""].includes(only.toLowerCase());
  };
  const orders = all.filter((order) => orderState(order).toLowerCase().startsWith(state) && isOf(order));
  const owned = Map.groupBy(orders, ({ partyId }) => partyId);
  const hasEnded = (order: Order): boolean => !byAge && order.status !== undefined && FINAL_STATUSES.has(order.status);
  const listed = orders
    .toSorted((a, b) => Number(hasEnded(a)) - Number(hasEnded(b)) || Number((b.createdAt ?? 0n) - (a.createdAt ?? 0n)))
    .flatMap((order): ListedOrder[] => {
      const { createdAt, id, marketId = "", partyId } = order;
      if (id === undefined) return [];
      const market = markets.get(marketId);
      const said = orderWords(order, market?.code, marketAmounts(market));
      const age =
        now === undefined || createdAt === undefined
          ? ""
          : ` · ${formatDuration(millisBetween(createdAt, now), 1)} ago`;
      // Of one state, it is asked why: a menu has that below what tells orders apart.
      const why = state === "" ? undefined : reasonClause(order.reason);
      const told = capitalised(`${said}${age}`);
      const label =
        why === undefined ? `${capitalised(orderState(order))} · ${said}${age}` : `${told} · ${capitalised(why)}`;
      const count = owned.get(partyId)?.length ?? 1;
      return [{ label, value: id, party: partyId, count, seen: { id, label: seenLabel(order, market?.code) } }];
    })
    .slice(0, MAX_CHOICES);
  const noted = listed.map((one) => one.seen);
  noteSeen({ network: api.network, seen }, "order", noted);
  // Of orders that are told alike, the beginning of the id is enough.
  const alike = Map.groupBy(listed, ({ label }) => label);
  return listed.map((one) => {
    const tail = alike.get(one.label)?.length === 1 ? "" : ` · ${one.value.slice(0, 8)}`;
    return { ...one, label: `${cutShort(one.label, LABEL_LENGTH - tail.length)}${tail}` };
  });
}

/** How an order ends without having traded, by the words of those who ask why: `turn…down` with others between. */
const STATE_WORDS: readonly (readonly [state: string, words: string])[] = [
  [
    "rejected",
    "rejected refused declined denied bounced failed binned blocked invalid void error wrong not…accept no…accept not…through not…go turn…down throw…out thrown…out kick…out kick…back knock…back",
  ],
  ...["cancelled", "stopped", "expired"].map((word) => [word, word] as const),
];

const ENDED_STATES: ReadonlySet<string> = new Set(STATE_WORDS.map(([state]) => state));

/** The state that a question asks about; the words stand in this order. */
function saidState(words: readonly string[]): Said | undefined {
  const stems = words.map(stem);
  for (const [value, all] of STATE_WORDS) {
    for (const one of all.split(" ")) {
      const [first = "", last] = one.split("…").map(stem);
      const at = stems.indexOf(first);
      const end = last === undefined ? at : stems.indexOf(last, at + 1);
      if (at !== -1 && end !== -1) return { value, words: [...new Set([at, end])].map((place) => words[place] ?? "") };
    }
  }
  return undefined;
}

/** Which orders are offered. */
export const STATE_OPTION = {
  kind: "text",
  phrase: "that was …",
  description: "Only those in this state: rejected, stopped",
  example: "rejected",
  suggest: async () => plainChoices([...ENDED_STATES]),
  said: saidState,
} as const satisfies TextOption;

/** The orders to choose from: `rejected orders`. */
export function ordersInState(state = ""): string {
  return state === "" ? "orders" : `${state.trim().toLowerCase()} orders`;
}

/** `rejected BTC/USDT`: a final status, which holds for good, and the market. */
export function seenLabel({ status }: Order, code: string | undefined): string {
  const final = status !== undefined && FINAL_STATUSES.has(status) ? [enumWords(status, "STATUS")] : [];
  return [...final, ...(code === undefined ? [] : [code])].join(" ");
}

type ChoosingContext = Omit<CommandContext<Options>, "options"> & {
  readonly options: { readonly [name in "party" | "state" | "market"]?: string | undefined } & {
    readonly version?: number | undefined;
  };
};

/**
 * Which order is meant: of those of the caller's party, or of the one that was named; without one, of the newest of all,
 * and of the parties that have some. Nobody else sees them.
 */
export async function chooseOrder(context: ChoosingContext): Promise<Reply> {
  const { network, parties } = context;
  const { party: typed, version, market } = context.options;
  const state = context.options.state?.trim().toLowerCase();
  const what = ordersInState(state);
  const ofMarket = market === undefined ? "" : ` in ${market}`;
  const which = (words: TextPart, actions: readonly Action[], title: TextPart = "Which order?"): Reply =>
    askedBack(title, [paragraph(words)], actions);
  if (context.audience === "channel") {
    return which("They are shown to you alone.", [
      commandAction("Show my orders", "order", { state, market, party: typed, network }),
    ]);
  }
  const byId = formActions(context, "By its id", "order", { version, network });
  const withId = (id: string): Ask => askFor(context, "order", { id });
  const ofParty = (party: string): Ask => askFor(context, "order", { state, market, party });
  const now = context.now();
  const listNewest = async () => {
    const listing = listOrders({ state, market, now }, context);
    const listed = await inTime(listing, { millis: NEWEST_WAIT_MILLIS }, (): readonly ListedOrder[] => []);
    // Another party has none that is on hand.
    const owners = new Map(listed.map(({ party = "", count }) => [party, count]));
    owners.delete("");
    const ids = [...owners.keys()].map((id) => ({ id }));
    noteSeen(context, "party", ids);
    const having = Array.from(owners, ([value, count]) => {
      const orders = count === 1 ? what.replace(/s$/u, "") : what;
      return { value, label: `${shortenId(value)} · ${count} ${orders}` };
    });
    return { listed, having };
  };
  if (typed === undefined) {
    const [{ listed, having }, seen] = await Promise.all([listNewest(), suggestIds(ORDER)("", context)]);
    const orders = listed.length > 0 ? listed : seen.filter(({ label }) => label.toLowerCase().startsWith(state ?? ""));
    const actions = [
      ...choiceActions(listed.length > 0 ? `Newest ${what}` : "Shown before", orders.slice(0, SEEN_OFFERED), withId),
      ...choiceActions(`${capitalised(what)} of a party`, having, ofParty),
      SAVE_PARTY_ACTION,
      ...byId,
    ];
    const newestWords = listed.length > 0 ? `The newest ${what}${ofMarket} of all parties on ${network}. ` : "";
    const words = `${newestWords}Save your party, and its own are offered at once.`;
    return which(words, actions, orders.length > 0 ? undefined : "Whose order?");
  }
  const partyId = await resolveId(PARTY, typed, context, "party");
  const orders = await listOrders({ party: partyId, state, market, now }, context);
  const saved = (await parties.list().catch(() => [])).find(({ id }) => id === partyId);
  const party = saved?.name ?? shortenId(partyId);
  const inAnyState =
    state === undefined ? [] : [commandAction("In any state", "order", { market, party: partyId, network })];
  if (orders.length > 0) {
    const words = text`The newest ${orders.length} ${what}${ofMarket} of ${party} on ${network}.`;
    return which(words, [...choiceActions(capitalised(what), orders, withId), ...inAnyState, ...byId]);
  }
  const others = (await listNewest()).having.filter(({ value }) => value !== partyId);
  const why = "Nodes drop orders after a month, and some list none; by its id one is found all the same.";
  return which(
    why,
    [...inAnyState, ...choiceActions("Those of another party", others, ofParty), ...byId],
    text`${network} lists no ${what}${ofMarket} of ${party}`,
  );
}
