import { capitalised, enumWords } from "../reply/enum-words.ts";

const GFN_IN_AUCTION = "A good-for-normal order (GFN) is not taken while the market is in an auction.";
const GFA_IN_TRADING = "A good-for-auction order (GFA) is only taken while the market is in an auction.";

/**
 * Why an order was rejected or stopped, in plain words, by the names that release v0.71 sends
 * (enum OrderError in https://github.com/vegaprotocol/vega/blob/v0.71.6/protos/sources/vega/vega.proto). Of two reasons
 * the name changed from one release to another: both are here.
 */
export const ORDER_REASONS: Readonly<Record<string, string>> = {
  ORDER_ERROR_INVALID_MARKET_ID: "The market it names does not exist.",
  ORDER_ERROR_INVALID_ORDER_ID: "Its order id is not valid.",
  ORDER_ERROR_OUT_OF_SEQUENCE: "An amendment came with a version number that was not the next one.",
  ORDER_ERROR_INVALID_REMAINING_SIZE: "An amendment would have left more open than the order's whole size.",
  ORDER_ERROR_TIME_FAILURE: "The node could not tell the network's time.",
  ORDER_ERROR_REMOVAL_FAILURE: "It could not be taken off the book.",
  ORDER_ERROR_INVALID_EXPIRATION_DATETIME:
    "Its expiry time is missing, malformed or already past; a good-till-time order needs one in the future.",
  ORDER_ERROR_INVALID_ORDER_REFERENCE: "Its reference text is not valid.",
  ORDER_ERROR_EDIT_NOT_ALLOWED: "An amendment tried to change something that cannot be changed.",
  ORDER_ERROR_AMEND_FAILURE: "An amendment did not match the order that it was meant for.",
  ORDER_ERROR_NOT_FOUND: "The order was not found on the book.",
  ORDER_ERROR_INVALID_PARTY_ID: "The party that sent it is missing or not valid.",
  ORDER_ERROR_MARKET_CLOSED: "The market is closed.",
  ORDER_ERROR_MARGIN_CHECK_FAILED: "The party's collateral does not cover the margin that this order needs.",
  ORDER_ERROR_MISSING_GENERAL_ACCOUNT: "The party has no account in the market's settlement asset; deposit some first.",
  ORDER_ERROR_INTERNAL_ERROR: "The network hit an internal error that it does not explain.",
  ORDER_ERROR_INVALID_SIZE: "Its size is missing, zero or not valid.",
  ORDER_ERROR_INVALID_PERSISTENCE: "Its time in force does not go with its type.",
  ORDER_ERROR_INVALID_TYPE: "Its type is not valid.",
  ORDER_ERROR_SELF_TRADING: "It would have traded with another order of the same party.",
  ORDER_ERROR_INSUFFICIENT_FUNDS_TO_PAY_FEES: "The party's collateral does not cover the fees of the trade.",
  ORDER_ERROR_INCORRECT_MARKET_TYPE: "It does not fit this type of market.",
  ORDER_ERROR_INVALID_TIME_IN_FORCE: "Its time in force is not valid.",
  ORDER_ERROR_CANNOT_SEND_GFN_ORDER_DURING_AN_AUCTION: GFN_IN_AUCTION,
  ORDER_ERROR_GFN_ORDER_DURING_AN_AUCTION: GFN_IN_AUCTION,
  ORDER_ERROR_CANNOT_SEND_GFA_ORDER_DURING_CONTINUOUS_TRADING: GFA_IN_TRADING,
  ORDER_ERROR_GFA_ORDER_DURING_CONTINUOUS_TRADING: GFA_IN_TRADING,
  ORDER_ERROR_CANNOT_AMEND_TO_GTT_WITHOUT_EXPIRYAT: "An amendment to good till time (GTT) came without an expiry time.",
  ORDER_ERROR_EXPIRYAT_BEFORE_CREATEDAT: "An amendment set an expiry time that lies before the order's creation.",
  ORDER_ERROR_CANNOT_HAVE_GTC_AND_EXPIRYAT: "A good-till-cancelled order (GTC) cannot have an expiry time.",
  ORDER_ERROR_CANNOT_AMEND_TO_FOK_OR_IOC:
    "An order cannot be amended to fill or kill (FOK) or immediate or cancel (IOC).",
  ORDER_ERROR_CANNOT_AMEND_TO_GFA_OR_GFN:
    "An order cannot be amended to good for auction (GFA) or good for normal (GFN).",
  ORDER_ERROR_CANNOT_AMEND_FROM_GFA_OR_GFN:
    "A good-for-auction (GFA) or good-for-normal (GFN) order cannot be amended to another time in force.",
  ORDER_ERROR_CANNOT_SEND_IOC_ORDER_DURING_AUCTION:
    "An immediate-or-cancel order (IOC) is not taken while the market is in an auction.",
  ORDER_ERROR_CANNOT_SEND_FOK_ORDER_DURING_AUCTION:
    "A fill-or-kill order (FOK) is not taken while the market is in an auction.",
  ORDER_ERROR_MUST_BE_LIMIT_ORDER: "A pegged order must be a limit order.",
  ORDER_ERROR_MUST_BE_GTT_OR_GTC: "A pegged order must be good till cancelled (GTC) or good till time (GTT).",
  ORDER_ERROR_WITHOUT_REFERENCE_PRICE: "A pegged order must name the price that it is pegged to.",
  ORDER_ERROR_BUY_CANNOT_REFERENCE_BEST_ASK_PRICE: "A pegged buy order cannot be pegged to the best ask.",
  ORDER_ERROR_OFFSET_MUST_BE_GREATER_OR_EQUAL_TO_ZERO: "The offset of this pegged order must be zero or more.",
  ORDER_ERROR_SELL_CANNOT_REFERENCE_BEST_BID_PRICE: "A pegged sell order cannot be pegged to the best bid.",
  ORDER_ERROR_OFFSET_MUST_BE_GREATER_THAN_ZERO: "The offset of this pegged order must be more than zero.",
  ORDER_ERROR_INSUFFICIENT_ASSET_BALANCE:
    "The party's balance is too low, or it never deposited any of the asset that this order needs.",
  ORDER_ERROR_CANNOT_AMEND_PEGGED_ORDER_DETAILS_ON_NON_PEGGED_ORDER:
    "An amendment tried to change the peg of an order that is not pegged.",
  ORDER_ERROR_UNABLE_TO_REPRICE_PEGGED_ORDER:
    "This pegged order could not be priced again, since the market price that it follows is missing.",
  ORDER_ERROR_UNABLE_TO_AMEND_PRICE_ON_PEGGED_ORDER:
    "The price of a pegged order cannot be amended; change its offset instead.",
  ORDER_ERROR_NON_PERSISTENT_ORDER_OUT_OF_PRICE_BOUNDS:
    "It would have traded outside the market's price bounds, and an order of its kind (FOK, IOC or GFN) may not.",
  ORDER_ERROR_TOO_MANY_PEGGED_ORDERS: "There are too many pegged orders on the network at the moment; try again later.",
  ORDER_ERROR_POST_ONLY_ORDER_WOULD_TRADE: "It is post-only and would have traded at once.",
  ORDER_ERROR_REDUCE_ONLY_ORDER_WOULD_NOT_REDUCE_POSITION:
    "It is reduce-only and would not have reduced the party's position.",
};

/** What an order's reason says first, for a list; in few words where that takes more characters; undefined without one. */
export function reasonClause(reason: string | undefined, most: number): string | undefined {
  const [clause] =
    orderReason(reason)
      ?.replaceAll(/ \([A-Z]+\)/gu, "")
      .split(/[;.]/u, 1) ?? [];
  return clause === undefined || clause.length <= most ? clause : capitalised(shortReason(reason) ?? clause);
}

/** An order's reason in a few words, for headlines; undefined without one. */
export function shortReason(reason: string | undefined): string | undefined {
  return orderReason(reason) === undefined ? undefined : enumWords(reason, "ORDER_ERROR");
}

/** A sentence for an order's reason; undefined without one. An unknown reason becomes readable words. */
export function orderReason(reason: string | undefined): string | undefined {
  if (reason === undefined || reason === "ORDER_ERROR_UNSPECIFIED" || reason === "ORDER_ERROR_NONE") return undefined;
  if (Object.hasOwn(ORDER_REASONS, reason)) return ORDER_REASONS[reason];
  return `The network says: ${enumWords(reason, "ORDER_ERROR")}.`;
}
