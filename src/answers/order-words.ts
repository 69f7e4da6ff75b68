import type { Order } from "../api/order.ts";
import type { Tone } from "../reply/reply.ts";
import { decimal, roundedPercentOf } from "../units/decimal.ts";
import { capitalised, enumWords, timeInForceWords } from "./enum-words.ts";
import { percentWords, type MarketAmounts } from "./market-amounts.ts";
import { orderReason } from "./order-reasons.ts";

/** Only these stand on the book or may return to it. */
const LIVE_STATUSES = ["STATUS_ACTIVE", "STATUS_PARKED"];

export function isLiveOrder(order: Order): boolean {
  return LIVE_STATUSES.includes(order.status ?? "");
}

export function orderTone(status: string | undefined): Tone {
  switch (status) {
    case "STATUS_FILLED":
      return "good";
    case "STATUS_REJECTED":
      return "bad";
    case "STATUS_STOPPED":
    case "STATUS_PARKED":
    case "STATUS_PARTIALLY_FILLED":
      return "warning";
    default:
      return "neutral";
  }
}

/** `Sell 10 BTC/USDT at 62,500.00` */
export function orderWords(order: Order, market: string, amounts: MarketAmounts): string {
  const side = capitalised(enumWords(order.side, "SIDE"));
  return `${order.side === undefined ? "Order of" : side} ${amounts.size(order.size)} ${market}${priceWords(order, amounts)}`;
}

function priceWords(order: Order, amounts: MarketAmounts): string {
  const peg = pegWords(order, amounts);
  if (peg !== undefined) return `, pegged to ${peg}`;
  if (order.type === "TYPE_MARKET") return " at market price";
  return order.price === undefined ? "" : ` at ${amounts.price(order.price)}`;
}

/** `mid + 12.50`; a buy order's offset counts downwards, a sell order's upwards. Undefined where it is not pegged. */
export function pegWords(order: Order, amounts: MarketAmounts): string | undefined {
  const { peggedOrder, side } = order;
  if (peggedOrder === undefined) return undefined;
  const reference = enumWords(peggedOrder.reference, "PEGGED_REFERENCE");
  if (peggedOrder.offset === undefined) return reference;
  const sign = side === "SIDE_BUY" ? "−" : side === "SIDE_SELL" ? "+" : "±";
  return `${reference} ${sign} ${amounts.price(peggedOrder.offset)}`;
}

/** What is left of an order, and what has traded; undefined where sizes are missing. */
export function fillOf(
  order: Order,
): { readonly filled: bigint; readonly left: bigint; readonly percentFilled: string } | undefined {
  const { size, remaining } = order;
  if (size === undefined) return undefined;
  // Nodes leave zeros out.
  const left = remaining ?? 0n;
  const filled = size - left;
  return { filled, left, percentFilled: percentWords(roundedPercentOf(decimal(filled), decimal(size))) };
}

/** In plain words why an order was rejected, stopped or parked; undefined where it was none and nothing is said. */
export function endReasonWords(order: Order): string | undefined {
  const reason = orderReason(order.reason);
  if (order.status === "STATUS_PARKED" && reason === undefined) {
    return "It is off the book for as long as there is no price that it could be pegged to, as during an auction.";
  }
  const rejected = order.status === "STATUS_REJECTED";
  if (!rejected && order.status !== "STATUS_STOPPED") return reason;
  if (reason !== undefined) return reason;
  const immediate = ["TIME_IN_FORCE_IOC", "TIME_IN_FORCE_FOK"].includes(order.timeInForce ?? "");
  if (!rejected && (immediate || order.type === "TYPE_MARKET")) {
    const kind = immediate ? timeInForceWords(order.timeInForce) : "market";
    return `The network gives no reason; ${kind} orders stop when what is left finds no match at once.`;
  }
  return "The network gives no reason.";
}

/** What differs between two versions, as `price 62,400.00 → 62,500.00`. */
export function changesBetween(before: Order, after: Order, amounts: MarketAmounts): readonly string[] {
  const pairs: [string, string | undefined, string | undefined][] = [
    ["price", amounts.price(before.price), amounts.price(after.price)],
    ["size", amounts.size(before.size), amounts.size(after.size)],
    ["remaining", amounts.size(before.remaining), amounts.size(after.remaining)],
    ["time in force", timeInForceWords(before.timeInForce), timeInForceWords(after.timeInForce)],
    ["peg", pegWords(before, amounts) ?? "none", pegWords(after, amounts) ?? "none"],
    ["status", enumWords(before.status, "STATUS"), enumWords(after.status, "STATUS")],
    ["reference", before.reference ?? "none", after.reference ?? "none"],
  ];
  return pairs.filter(([, a, b]) => a !== b).map(([name, a, b]) => `${name} ${a ?? "–"} → ${b ?? "–"}`);
}
