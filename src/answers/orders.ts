import type { Order } from "../api/model/order.ts";
import { type Block, field, type Field, paragraph } from "../reply/block.ts";
import type { Tone } from "../reply/reply.ts";
import { code, strong, text } from "../reply/text.ts";
import { decimal, roundedPercentOf } from "../units/decimal.ts";
import { type MarketAmounts, percentWords } from "./amounts.ts";
import { idCell, namedCell, timeCell } from "./cells.ts";
import { capitalised, enumWords, timeInForceWords } from "./enum-words.ts";
import { orderReason } from "./order-reasons.ts";

/** Statuses of orders that are on the book or may return to it. */
const LIVE_STATUSES = ["STATUS_ACTIVE", "STATUS_PARKED"];

function isLiveOrder(order: Order): boolean {
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
function pegWords(order: Order, amounts: MarketAmounts): string | undefined {
  const { peggedOrder, side } = order;
  if (peggedOrder === undefined) return undefined;
  const reference = enumWords(peggedOrder.reference, "PEGGED_REFERENCE");
  if (peggedOrder.offset === undefined) return reference;
  const sign = side === "SIDE_BUY" ? "−" : side === "SIDE_SELL" ? "+" : "±";
  return `${reference} ${sign} ${amounts.price(peggedOrder.offset)}`;
}

/** The filled and the remaining size; undefined where sizes are missing. */
function fillOf(
  order: Order,
): { readonly filled: bigint; readonly left: bigint; readonly percentFilled: string } | undefined {
  const { size, remaining } = order;
  if (size === undefined) return undefined;
  // Nodes leave zeros out.
  const left = remaining ?? 0n;
  const filled = size - left;
  return { filled, left, percentFilled: percentWords(roundedPercentOf(decimal(filled), decimal(size))) };
}

/** Why an order was rejected, stopped or parked, in plain words; undefined for others without a reason. */
function endReasonWords(order: Order): string | undefined {
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

/** The differences between two versions, as `price 62,400.00 → 62,500.00`. */
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

/** A paragraph with that reason; empty without one. */
export function endReasonBlocks(found: Order): Block[] {
  const reason = endReasonWords(found);
  if (reason === undefined) return [];
  const status = capitalised(enumWords(found.status, "STATUS"));
  return [
    paragraph(
      text`${strong(`${status}.`)} ${reason}${found.reason === undefined ? text`` : text` (${code(found.reason)})`}`,
    ),
  ];
}

/** The order and what is left of it. */
export function orderFields(found: Order, marketCode: string | undefined, amounts: MarketAmounts): Field[] {
  const fill = fillOf(found);
  const onBook = isLiveOrder(found) ? "" : ", no longer on the book";
  return [
    field("Status", strong(enumWords(found.status, "STATUS"))),
    field("Side", enumWords(found.side, "SIDE")),
    field("Price", hasNoPrice(found) ? "none while parked" : amounts.price(found.price)),
    field("Size", amounts.size(found.size)),
    field("Filled", fill === undefined ? undefined : `${amounts.size(fill.filled)} (${fill.percentFilled})`),
    field(
      "Left",
      fill === undefined ? amounts.size(found.remaining) : `${amounts.size(fill.left)}${fill.left > 0n ? onBook : ""}`,
    ),
    field("Market", namedCell(found.marketId, marketCode), { wide: true }),
    field("Party", idCell(found.partyId), { wide: true }),
    field("Order id", idCell(found.id), { wide: true }),
  ];
}

/** Nodes send 0 as the price of a pegged order that is off the book. */
function hasNoPrice({ status, price = 0n }: Order): boolean {
  return status === "STATUS_PARKED" && price === 0n;
}

/** The conditions it was sent with. */
export function orderTermFields(found: Order, amounts: MarketAmounts): Field[] {
  return [
    field("Type", enumWords(found.type, "TYPE")),
    field("Time in force", timeInForceWords(found.timeInForce)),
    field("Pegged", pegWords(found, amounts) ?? "no"),
    field("Post only", yesNo(found.postOnly)),
    field("Reduce only", yesNo(found.reduceOnly)),
    field("Version", found.version),
    field("Created", timeCell(found.createdAt, "both")),
    field("Updated", timeCell(found.updatedAt, "both")),
    field("Expires", found.expiresAt === undefined ? "never" : timeCell(found.expiresAt, "both")),
    field("Reference", found.reference === undefined ? undefined : code(found.reference)),
    field("Batch", found.batchId === undefined ? undefined : code(found.batchId)),
    field("Liquidity provision", idCell(found.liquidityProvisionId)),
    field("Reason", found.reason === undefined ? "none" : code(found.reason)),
  ];
}

/** proto3 leaves false out on some releases. */
function yesNo(flag: boolean | undefined): string {
  return flag === true ? "yes" : "no";
}
