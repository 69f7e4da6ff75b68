import type { Moment } from "../chain/chain.ts";
import type { PagedList } from "../gateway/pages.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { type Market, type MarketCatalogue, priceAt } from "./market.ts";

/** A change of an order, `after` blocks from its creation. Fields left out stay unchanged. */
interface OrderStep {
  readonly after: number;
  readonly status?: string;
  readonly reason?: string;
  /** Parts of a hundred of the size still open. */
  readonly remainingPercent?: number;
  /** An amendment: the version rises by one, the price by so many parts per thousand. */
  readonly amendedPerMille?: number;
}

/** The steps of an order; the network has many orders of each script. */
interface OrderScript {
  readonly name: string;
  readonly type: string;
  readonly timeInForce: string;
  readonly postOnly?: true;
  readonly reduceOnly?: true;
  readonly pegged?: { readonly reference: string; readonly offset: string };
  /** Blocks from making to expiry. */
  readonly expiresAfter?: number;
  readonly provision?: true;
  readonly steps: readonly OrderStep[];
}

const ACTIVE: OrderStep = { after: 0, status: "STATUS_ACTIVE" };
const FILLED: OrderStep = { after: 0, status: "STATUS_FILLED", remainingPercent: 0 };
const stopped = (reason: string): OrderStep => ({
  after: 0,
  status: "STATUS_STOPPED",
  reason: `ORDER_ERROR_${reason}`,
});

const limit = (name: string, timeInForce: string, steps: readonly OrderStep[], more: Partial<OrderScript> = {}) => ({
  name,
  type: "TYPE_LIMIT",
  timeInForce: `TIME_IN_FORCE_${timeInForce}`,
  steps,
  ...more,
});

const rejected = (reason: string, more: Partial<OrderScript> = {}): OrderScript =>
  limit(
    `rejected ${reason.toLowerCase()}`,
    "GTC",
    [{ after: 0, status: "STATUS_REJECTED", reason: `ORDER_ERROR_${reason}` }],
    more,
  );

/** Every status, type, time in force and kind of peg, and the most common reasons. */
export const ORDER_SCRIPTS: readonly OrderScript[] = [
  limit("amended and partly filled", "GTC", [
    ACTIVE,
    { after: 40, amendedPerMille: 4 },
    { after: 90, remainingPercent: 75 },
    { after: 140, amendedPerMille: -9 },
    { after: 200, remainingPercent: 30 },
    { after: 260, amendedPerMille: 2 },
  ]),
  limit("filled", "GTC", [
    ACTIVE,
    { after: 300, remainingPercent: 40 },
    { after: 700, remainingPercent: 0, status: "STATUS_FILLED" },
  ]),
  limit("cancelled", "GTC", [ACTIVE, { after: 500, amendedPerMille: 3 }, { after: 900, status: "STATUS_CANCELLED" }], {
    postOnly: true,
  }),
  limit("expired", "GTT", [ACTIVE, { after: 1200, status: "STATUS_EXPIRED" }], { expiresAfter: 1200 }),
  limit("waiting to expire", "GTT", [ACTIVE, { after: 77, remainingPercent: 88 }], { expiresAfter: 5_000_000 }),
  limit("partly filled", "IOC", [{ after: 0, status: "STATUS_PARTIALLY_FILLED", remainingPercent: 35 }], {
    reduceOnly: true,
  }),
  limit("fill or kill, stopped", "FOK", [{ after: 0, status: "STATUS_STOPPED" }]),
  limit("stopped by self-trading", "IOC", [{ ...stopped("SELF_TRADING"), remainingPercent: 60 }]),
  limit("market order, filled", "IOC", [FILLED], { type: "TYPE_MARKET" }),
  limit("market order out of bounds", "FOK", [stopped("NON_PERSISTENT_ORDER_OUT_OF_PRICE_BOUNDS")], {
    type: "TYPE_MARKET",
  }),
  limit("close-out", "FOK", [FILLED], { type: "TYPE_NETWORK" }),
  limit("pegged to the best bid", "GTC", [ACTIVE, { after: 60, amendedPerMille: 1 }], {
    pegged: { reference: "PEGGED_REFERENCE_BEST_BID", offset: "25" },
  }),
  limit("pegged to the best offer, of a provision", "GTC", [ACTIVE, { after: 60, amendedPerMille: 1 }], {
    pegged: { reference: "PEGGED_REFERENCE_BEST_ASK", offset: "40" },
    provision: true,
  }),
  limit("parked in an auction", "GTC", [ACTIVE, { after: 150, status: "STATUS_PARKED" }], {
    pegged: { reference: "PEGGED_REFERENCE_MID", offset: "100" },
  }),
  limit("for the auction only", "GFA", [ACTIVE, { after: 400, status: "STATUS_CANCELLED" }]),
  limit("for normal trading", "GFN", [ACTIVE]),
  rejected("MARGIN_CHECK_FAILED"),
  rejected("INSUFFICIENT_ASSET_BALANCE"),
  rejected("POST_ONLY_ORDER_WOULD_TRADE", { postOnly: true }),
  rejected("REDUCE_ONLY_ORDER_WOULD_NOT_REDUCE_POSITION", { reduceOnly: true }),
  rejected("MARKET_CLOSED"),
  rejected("INVALID_EXPIRATION_DATETIME", { timeInForce: "TIME_IN_FORCE_GTT", expiresAfter: 1 }),
  rejected("TOO_MANY_PEGGED_ORDERS", { pegged: { reference: "PEGGED_REFERENCE_MID", offset: "1" } }),
  rejected("GFA_ORDER_DURING_CONTINUOUS_TRADING", { timeInForce: "TIME_IN_FORCE_GFA" }),
];

/** A new set of orders, one per script, is made this often. */
const SET_BLOCKS = 20_000;
/** How many sets a node remembers: about a month. */
const SETS_KEPT = 185;
/** The set of the network's first day, which is never dropped, so that its ids never change. */
const PERMANENT_SET = 0;

interface Order {
  readonly id: string;
  readonly set: number;
  readonly index: number;
  readonly script: OrderScript;
}

/** An order after some of its steps. */
interface OrderState {
  readonly madeAt: number;
  changedAt?: number;
  status: string;
  reason?: string | undefined;
  /** Parts of a hundred. */
  remaining: number;
  version: number;
  perMille: number;
}

export class Orders {
  readonly #random: SeededRandom;
  readonly #catalogue: MarketCatalogue;
  #kept: { lastSet: number; byId: Map<string, Order> } | undefined;
  /** The orders kept, by their party; made when somebody asks for those of one. */
  #byParty: ReadonlyMap<string, readonly Order[]> | undefined;

  constructor(catalogue: MarketCatalogue, random: SeededRandom) {
    this.#catalogue = catalogue;
    this.#random = random;
  }

  /** The id of a permanent order, by the name of its script. */
  permanentId(name: string): string {
    const index = ORDER_SCRIPTS.findIndex((script) => script.name === name);
    return this.#id(PERMANENT_SET, index);
  }

  /** The ids of the newest complete set, by the name of their script. */
  newest(moment: Moment): Map<string, string> {
    const set = Math.max(PERMANENT_SET, Math.floor(moment.height / SET_BLOCKS) - 1);
    return new Map(ORDER_SCRIPTS.map((script, index) => [script.name, this.#id(set, index)]));
  }

  /** The order as it is now, or the last state of that version; undefined where there is none. */
  find(id: string, version: number | undefined, moment: Moment): Record<string, unknown> | undefined {
    const order = this.#index(moment).get(id);
    const state = order && this.#stateOf(order, version, moment);
    return order && state && this.#record(order, state, moment);
  }

  #stateOf(order: Order, version: number | undefined, moment: Moment): OrderState | undefined {
    const madeAt = this.#madeAt(order);
    const known = order.script.steps.filter((step) => madeAt + step.after <= moment.height);
    const state: OrderState = { madeAt, status: "STATUS_ACTIVE", remaining: 100, version: 1, perMille: 0 };
    for (const step of known) {
      const next = step.amendedPerMille === undefined ? state.version : state.version + 1;
      if (version !== undefined && next > version) break;
      if (step.after > 0) state.changedAt = madeAt + step.after;
      state.version = next;
      state.perMille += step.amendedPerMille ?? 0;
      state.status = step.status ?? state.status;
      state.reason = step.reason ?? state.reason;
      state.remaining = step.remainingPercent ?? state.remaining;
    }
    if (known.length === 0 || (version !== undefined && state.version !== version)) return undefined;
    return state;
  }

  /** The orders of a party or of all, in one status or in any, in the order in which they were made. */
  list(party: string | null, status: string | null, moment: Moment): PagedList<Order> {
    const known = this.#index(moment);
    this.#byParty ??= Map.groupBy(known.values(), (order) => this.#party(order));
    const rows = (party === null ? [...known.values()] : (this.#byParty.get(party) ?? []))
      .filter((order) => this.#madeAt(order) <= moment.height)
      .filter((order) => status === null || this.#stateOf(order, undefined, moment)?.status === status)
      .toSorted((a, b) => this.#madeAt(a) - this.#madeAt(b));
    const keyOf = (order: Order): string => `${this.#madeAt(order)}:${order.id}`;
    const compareKeys = (a: string, b: string): number => parseInt(a, 10) - parseInt(b, 10);
    return { rows, keyOf, compareKeys, render: ({ id }) => this.find(id, undefined, moment) ?? {} };
  }

  #party({ script, set, index }: Order): string {
    const party = script.type === "TYPE_NETWORK" ? 0 : this.#random.int(0, 11, "order-party", set, index);
    return this.#random.hex(32, "party", party);
  }

  #record(order: Order, now: OrderState, moment: Moment): Record<string, unknown> {
    const { script, set, index } = order;
    const market = this.#market(order);
    const roll = (low: number, high: number, what: string): number => this.#random.int(low, high, what, set, index);
    const size = BigInt(roll(2, 5000, "order-size")) * 100n;
    const atMarket = script.type !== "TYPE_LIMIT" || (script.pegged !== undefined && now.status === "STATUS_PARKED");
    const price = (priceAt(market, now.madeAt, this.#random) * BigInt(1000 + now.perMille)) / 1000n;
    const expires =
      script.expiresAfter === undefined ? "0" : moment.timeOf(now.madeAt + script.expiresAfter).toString();
    return {
      id: order.id,
      marketId: market.id,
      partyId: this.#party(order),
      side: script.pegged?.reference.endsWith("ASK")
        ? "SIDE_SELL"
        : roll(0, 1, "order-side") === 0
          ? "SIDE_BUY"
          : "SIDE_SELL",
      price: atMarket ? "0" : price.toString(),
      size: size.toString(),
      remaining: ((size * BigInt(now.remaining)) / 100n).toString(),
      timeInForce: script.timeInForce,
      type: script.type,
      createdAt: moment.timeOf(now.madeAt).toString(),
      status: now.status,
      expiresAt: expires,
      reference: script.type === "TYPE_NETWORK" ? "close-out <distressed>" : `sim-${set}-${index}`,
      // Absent, not empty, where nothing went wrong.
      ...(now.reason === undefined ? {} : { reason: now.reason }),
      updatedAt: now.changedAt === undefined ? "0" : moment.timeOf(now.changedAt).toString(),
      version: String(now.version),
      batchId: String(roll(0, 4, "order-batch")),
      peggedOrder: script.pegged ?? null,
      liquidityProvisionId: script.provision ? this.#random.hex(32, "provision", set, index) : "",
      postOnly: script.postOnly ?? false,
      reduceOnly: script.reduceOnly ?? false,
    };
  }

  #market(order: Order): Market {
    const markets = this.#catalogue.trading;
    return markets[(order.set + order.index) % markets.length] ?? this.#catalogue.first;
  }

  #madeAt(order: Order): number {
    return order.set * SET_BLOCKS + 100 + this.#random.int(0, SET_BLOCKS - 200, "order-made", order.set, order.index);
  }

  #id(set: number, index: number): string {
    return this.#random.hex(32, "order", set, index);
  }

  #index(moment: Moment): Map<string, Order> {
    const lastSet = Math.floor(moment.height / SET_BLOCKS);
    if (this.#kept?.lastSet !== lastSet) {
      const byId = new Map<string, Order>();
      const sets = [PERMANENT_SET];
      for (let set = Math.max(PERMANENT_SET + 1, lastSet - SETS_KEPT); set <= lastSet; set++) sets.push(set);
      for (const set of sets) {
        for (const [index, script] of ORDER_SCRIPTS.entries()) {
          const id = this.#id(set, index);
          byId.set(id, { id, set, index, script });
        }
      }
      this.#kept = { lastSet, byId };
      this.#byParty = undefined;
    }
    return this.#kept.byId;
  }
}
