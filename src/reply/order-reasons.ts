import { capitalised, enumWords } from "./enum-words.ts";

const GFN_IN_AUCTION = "Good for normal is not taken in an auction; send such an order (GFN) once it is over.";
const GFA_IN_TRADING = "Good for auction is only taken in an auction; send such an order (GFA) in one.";

/**
 * Why an order was rejected or stopped, in plain words: a clause that stands in headlines, then more, by the names that release v0.71 sends
 * (enum OrderError in https://github.com/vegaprotocol/vega/blob/v0.71.6/protos/sources/vega/vega.proto). Of two reasons
 * the name changed from one release to another: both are here.
 */
export const ORDER_REASONS: Readonly<Record<string, string>> = {
  ORDER_ERROR_INVALID_MARKET_ID: "Its market does not exist.",
  ORDER_ERROR_INVALID_ORDER_ID: "Its order id is not valid.",
  ORDER_ERROR_OUT_OF_SEQUENCE: "An amendment is out of turn; its version number was not the next one.",
  ORDER_ERROR_INVALID_REMAINING_SIZE:
    "An amendment leaves more open than its size; that may be no more than the whole size.",
  ORDER_ERROR_TIME_FAILURE: "The node could not tell the network's time.",
  ORDER_ERROR_REMOVAL_FAILURE: "It could not be taken off the book.",
  ORDER_ERROR_INVALID_EXPIRATION_DATETIME:
    "Its expiry time is not valid; a good-till-time order (GTT) needs one in the future.",
  ORDER_ERROR_INVALID_ORDER_REFERENCE: "Its reference text is not valid.",
  ORDER_ERROR_EDIT_NOT_ALLOWED: "An amendment changes what cannot be changed.",
  ORDER_ERROR_AMEND_FAILURE: "An amendment does not fit the order; it was meant for another one.",
  ORDER_ERROR_NOT_FOUND: "It was not found on the book.",
  ORDER_ERROR_INVALID_PARTY_ID: "Its party is missing or not valid.",
  ORDER_ERROR_MARKET_CLOSED: "The market is closed.",
  ORDER_ERROR_MARGIN_CHECK_FAILED: "The margin is not covered; the party's collateral is less than this order needs.",
  ORDER_ERROR_MISSING_GENERAL_ACCOUNT:
    "The party has no account in the asset; deposit some of the market's settlement asset first.",
  ORDER_ERROR_INTERNAL_ERROR: "The network had an internal error; it does not explain it.",
  ORDER_ERROR_INVALID_SIZE: "Its size is missing, zero or not valid.",
  ORDER_ERROR_INVALID_PERSISTENCE: "Its time in force does not go with its type.",
  ORDER_ERROR_INVALID_TYPE: "Its type is not valid.",
  ORDER_ERROR_SELF_TRADING: "It would have traded with its own party; another order of the same party was in its way.",
  ORDER_ERROR_INSUFFICIENT_FUNDS_TO_PAY_FEES:
    "The fees are not covered; the party's collateral is less than the fees of the trade.",
  ORDER_ERROR_INCORRECT_MARKET_TYPE: "It does not fit this type of market.",
  ORDER_ERROR_INVALID_TIME_IN_FORCE: "Its time in force is not valid.",
  ORDER_ERROR_CANNOT_SEND_GFN_ORDER_DURING_AN_AUCTION: GFN_IN_AUCTION,
  ORDER_ERROR_GFN_ORDER_DURING_AN_AUCTION: GFN_IN_AUCTION,
  ORDER_ERROR_CANNOT_SEND_GFA_ORDER_DURING_CONTINUOUS_TRADING: GFA_IN_TRADING,
  ORDER_ERROR_GFA_ORDER_DURING_CONTINUOUS_TRADING: GFA_IN_TRADING,
  ORDER_ERROR_CANNOT_AMEND_TO_GTT_WITHOUT_EXPIRYAT:
    "An amendment lacks an expiry time; good till time (GTT) needs one.",
  ORDER_ERROR_EXPIRYAT_BEFORE_CREATEDAT:
    "An amendment expires before the order began; its expiry time lies before the order's creation.",
  ORDER_ERROR_CANNOT_HAVE_GTC_AND_EXPIRYAT:
    "A good-till-cancelled order has no expiry time; this one (GTC) came with one.",
  ORDER_ERROR_CANNOT_AMEND_TO_FOK_OR_IOC:
    "No order can be made fill or kill or IOC; an amendment tried it (FOK, or immediate or cancel, IOC).",
  ORDER_ERROR_CANNOT_AMEND_TO_GFA_OR_GFN:
    "No order can be made good for auction or normal; an amendment tried it (GFA, GFN).",
  ORDER_ERROR_CANNOT_AMEND_FROM_GFA_OR_GFN:
    "Good for auction or normal cannot be amended; such an order (GFA, GFN) keeps its time in force.",
  ORDER_ERROR_CANNOT_SEND_IOC_ORDER_DURING_AUCTION:
    "Immediate or cancel is not taken in an auction; send such an order (IOC) once it is over.",
  ORDER_ERROR_CANNOT_SEND_FOK_ORDER_DURING_AUCTION:
    "Fill or kill is not taken in an auction; send such an order (FOK) once it is over.",
  ORDER_ERROR_MUST_BE_LIMIT_ORDER: "A pegged order must be a limit order.",
  ORDER_ERROR_MUST_BE_GTT_OR_GTC:
    "A pegged order must stay on the book; good till cancelled (GTC) or good till time (GTT).",
  ORDER_ERROR_WITHOUT_REFERENCE_PRICE: "A pegged order must name its reference price.",
  ORDER_ERROR_BUY_CANNOT_REFERENCE_BEST_ASK_PRICE: "A buy order cannot be pegged to the best ask.",
  ORDER_ERROR_OFFSET_MUST_BE_GREATER_OR_EQUAL_TO_ZERO: "The offset of its peg must be zero or more.",
  ORDER_ERROR_SELL_CANNOT_REFERENCE_BEST_BID_PRICE: "A sell order cannot be pegged to the best bid.",
  ORDER_ERROR_OFFSET_MUST_BE_GREATER_THAN_ZERO: "The offset of its peg must be more than zero.",
  ORDER_ERROR_INSUFFICIENT_ASSET_BALANCE:
    "The party's balance is too low; it may never have deposited any of the asset that this order needs.",
  ORDER_ERROR_CANNOT_AMEND_PEGGED_ORDER_DETAILS_ON_NON_PEGGED_ORDER:
    "An amendment changes a peg that is not there; this order is not pegged.",
  ORDER_ERROR_UNABLE_TO_REPRICE_PEGGED_ORDER: "Its peg has no price; the market price that it follows is missing.",
  ORDER_ERROR_UNABLE_TO_AMEND_PRICE_ON_PEGGED_ORDER:
    "The price of a pegged order cannot be amended; change its offset instead.",
  ORDER_ERROR_NON_PERSISTENT_ORDER_OUT_OF_PRICE_BOUNDS:
    "It would have traded outside the price bounds; an order of its kind (FOK, IOC or GFN) may not.",
  ORDER_ERROR_TOO_MANY_PEGGED_ORDERS: "The network has too many pegged orders; try again later.",
  ORDER_ERROR_POST_ONLY_ORDER_WOULD_TRADE: "It is post-only and would have traded at once.",
  ORDER_ERROR_REDUCE_ONLY_ORDER_WOULD_NOT_REDUCE_POSITION:
    "It is reduce-only and would not reduce; the party's position would have stayed or grown.",
};

/** What an order's reason says first, within a headline: `the margin is not covered`; undefined without one. */
export function reasonClause(reason: string | undefined): string | undefined {
  const sentence = orderReason(reason);
  if (sentence === undefined || !Object.hasOwn(ORDER_REASONS, reason ?? ""))
    return sentence === undefined ? undefined : enumWords(reason, "ORDER_ERROR");
  const [said = ""] = sentence.split(/[;.]/u, 1);
  return `${said.slice(0, 1).toLowerCase()}${said.slice(1)}`;
}

/** What is left to say behind that; undefined where that is all. */
export function reasonRest(reason: string | undefined): string | undefined {
  const said = orderReason(reason) ?? "";
  const rest = capitalised(said.replace(capitalised(reasonClause(reason) ?? ""), "").replace(/^[;.] ?/u, ""));
  return rest === "" ? undefined : rest;
}

/** A sentence for an order's reason; undefined without one. An unknown reason becomes readable words. */
export function orderReason(reason: string | undefined): string | undefined {
  if (reason === undefined || reason === "ORDER_ERROR_UNSPECIFIED" || reason === "ORDER_ERROR_NONE") return undefined;
  if (Object.hasOwn(ORDER_REASONS, reason)) return ORDER_REASONS[reason];
  return `The network says: ${enumWords(reason, "ORDER_ERROR")}.`;
}
