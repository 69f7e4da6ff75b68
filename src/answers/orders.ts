import type { Order } from "../api/model/order.ts";
import { type Block, field, type Field, paragraph } from "../reply/block.ts";
import { plainText } from "../reply/plain-text.ts";
import type { Tone } from "../reply/reply.ts";
import { code, text, type Text, type TextPart, toText } from "../reply/text.ts";
import { decimal, roundedPercentOf } from "../units/decimal.ts";
import { type MarketAmounts, percentWords } from "./amounts.ts";
import { idCell, namedCell, timeCell } from "./cells.ts";
import { capitalised, enumWords, timeInForceWords } from "./enum-words.ts";
import { orderReason, shortReason } from "./order-reasons.ts";

/** The tones of states, where they are not neutral. */
const TONES: ReadonlyMap<string | undefined, Tone> = new Map([
  ["STATUS_FILLED", "good"],
  ["STATUS_REJECTED", "bad"],
  ["STATUS_STOPPED", "warning"],
  ["STATUS_PARKED", "warning"],
  ["STATUS_PARTIALLY_FILLED", "warning"],
]);

export function orderTone(status: string | undefined): Tone {
  return TONES.get(status) ?? "neutral";
}

/** `Rejected: margin check failed (buy 10 BTC/USDT at 62,500)`; an order without a reason is described at once. */
export function orderHeadline(order: Order, market: string, amounts: MarketAmounts): Text {
  const status = order.status === undefined ? "No status" : capitalised(enumWords(order.status, "STATUS"));
  const side = order.side === undefined ? "order of" : enumWords(order.side, "SIDE");
  const words = text`${side} ${amounts.size(order.size)} ${market}${priceText(order, amounts)}`;
  const reason = shortReason(order.reason);
  return reason === undefined ? text`${status}: ${words}` : text`${status}: ${reason} (${words})`;
}

function priceText(order: Order, amounts: MarketAmounts): Text {
  const peg = pegText(order, amounts);
  if (peg !== undefined) return text`, pegged to ${peg}`;
  if (order.type === "TYPE_MARKET") return text` at market price`;
  return order.price === undefined ? [] : text` at ${amounts.price(order.price)}`;
}

/** `mid + 12.50`; a buy order's offset counts downwards, a sell order's upwards. Undefined where it is not pegged. */
function pegText(order: Order, amounts: MarketAmounts): Text | undefined {
  const { peggedOrder, side } = order;
  if (peggedOrder === undefined) return undefined;
  const reference = enumWords(peggedOrder.reference, "PEGGED_REFERENCE");
  if (peggedOrder.offset === undefined) return text`${reference}`;
  const sign = side === "SIDE_BUY" ? "−" : side === "SIDE_SELL" ? "+" : "±";
  return text`${reference} ${sign} ${amounts.price(peggedOrder.offset)}`;
}

/** The filled and the remaining size, a zero of which nodes leave out; undefined where the size is missing. */
function fillOf({ size, remaining: left = 0n }: Order) {
  if (size === undefined) return undefined;
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
export function changesBetween(before: Order, after: Order, amounts: MarketAmounts): readonly Text[] {
  const pairs: [string, TextPart, TextPart][] = [
    ["price", amounts.price(before.price), amounts.price(after.price)],
    ["size", amounts.size(before.size), amounts.size(after.size)],
    ["remaining", amounts.size(before.remaining), amounts.size(after.remaining)],
    ["time in force", timeInForceWords(before.timeInForce), timeInForceWords(after.timeInForce)],
    ["peg", pegText(before, amounts) ?? "none", pegText(after, amounts) ?? "none"],
    ["status", enumWords(before.status, "STATUS"), enumWords(after.status, "STATUS")],
    ["reference", before.reference ?? "none", after.reference ?? "none"],
  ];
  const exact = (part: TextPart): string => plainText(toText(part));
  return pairs
    .filter(([, a, b]) => exact(a) !== exact(b))
    .map(([name, a, b]) => text`${name} ${a ?? "–"} → ${b ?? "–"}`);
}

/** A paragraph that says why an order ended or is off the book; empty without a reason. */
export function endReasonBlocks(found: Order): Block[] {
  const reason = endReasonWords(found);
  return reason === undefined ? [] : [paragraph(reason)];
}

/** The fields of an order that people read first. */
export function orderFacts(found: Order, amounts: MarketAmounts): Field[] {
  const fill = fillOf(found);
  // A parked order may return to the book.
  const onBook = ["STATUS_ACTIVE", "STATUS_PARKED"].includes(found.status ?? "") ? "" : ", no longer on the book";
  return [
    field("Filled", fill === undefined ? undefined : text`${amounts.size(fill.filled)} (${fill.percentFilled})`),
    field(
      "Left",
      fill === undefined
        ? amounts.size(found.remaining)
        : text`${amounts.size(fill.left)}${fill.left > 0n ? onBook : ""}`,
    ),
    field("Created", timeCell(found.createdAt, "both")),
    field("Expires", timeCell(found.expiresAt, "both")),
  ];
}

/** The order in full. */
export function orderFields(found: Order, marketCode: string | undefined, amounts: MarketAmounts): Field[] {
  // Nodes send 0 as the price of a pegged order that is off the book.
  const hasNoPrice = found.status === "STATUS_PARKED" && (found.price ?? 0n) === 0n;
  return [
    field("Side", enumWords(found.side, "SIDE")),
    field("Price", hasNoPrice ? "none while parked" : amounts.price(found.price)),
    field("Size", amounts.size(found.size)),
    field("Market", namedCell(found.marketId, marketCode), { wide: true }),
    field("Party", idCell(found.partyId), { wide: true }),
    field("Order id", idCell(found.id), { wide: true }),
  ];
}

/** The conditions it was sent with. */
export function orderTermFields(found: Order, amounts: MarketAmounts): Field[] {
  return [
    field("Type", enumWords(found.type, "TYPE")),
    field("Time in force", timeInForceWords(found.timeInForce)),
    field("Pegged", pegText(found, amounts) ?? "no"),
    field("Post only", yesNo(found.postOnly)),
    field("Reduce only", yesNo(found.reduceOnly)),
    field("Version", found.version),
    field("Updated", timeCell(found.updatedAt, "both")),
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
