/** What happens to an order, `after` blocks from its making. Whatever is not said stays as it was. */
interface OrderStep {
  readonly after: number;
  readonly status?: string;
  readonly reason?: string;
  /** Parts of a hundred of the size still open. */
  readonly remainingPercent?: number;
  /** An amendment: the version rises by one, the price by so many parts per thousand. */
  readonly amendedPerMille?: number;
}

/** The life of an order, of which the network holds many. */
export interface OrderScript {
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

/** Every status, type, time in force and kind of peg, and the reasons that people meet most. */
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
  limit("stopped by self-trading", "IOC", [
    { after: 0, status: "STATUS_STOPPED", reason: "ORDER_ERROR_SELF_TRADING", remainingPercent: 60 },
  ]),
  {
    name: "market order, filled",
    type: "TYPE_MARKET",
    timeInForce: "TIME_IN_FORCE_IOC",
    steps: [{ after: 0, status: "STATUS_FILLED", remainingPercent: 0 }],
  },
  {
    name: "market order out of bounds",
    type: "TYPE_MARKET",
    timeInForce: "TIME_IN_FORCE_FOK",
    steps: [{ after: 0, status: "STATUS_STOPPED", reason: "ORDER_ERROR_NON_PERSISTENT_ORDER_OUT_OF_PRICE_BOUNDS" }],
  },
  {
    name: "close-out",
    type: "TYPE_NETWORK",
    timeInForce: "TIME_IN_FORCE_FOK",
    steps: [{ after: 0, status: "STATUS_FILLED", remainingPercent: 0 }],
  },
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
