import type { Order } from "../api/model/order.ts";
import { capitalised, enumWords } from "../reply/enum-words.ts";
import { plainText } from "../reply/plain-text.ts";
import { text, type Text } from "../reply/text.ts";
import type { MarketAmounts } from "./amounts.ts";

/** `Rejected` */
export function orderState({ status }: Order): string {
  return status === undefined ? "No status" : capitalised(enumWords(status, "STATUS"));
}

/** `buy 10 BTC/USDT at 62,500`, with all digits, as the details have them. */
export function orderWords(order: Order, market: string | undefined, amounts: MarketAmounts): string {
  const side = order.side === undefined ? "order of" : enumWords(order.side, "SIDE");
  return plainText(text`${side} ${amounts.size(order.size)} ${market ?? "units"}${priceText(order, amounts)}`);
}

function priceText(order: Order, amounts: MarketAmounts): Text {
  const peg = pegText(order, amounts);
  if (peg !== undefined) return text`, pegged to ${peg}`;
  if (order.type === "TYPE_MARKET") return text` at market price`;
  // Of orders of a party some nodes leave the type out, and give a market order the price 0.
  return order.price === undefined || order.price === 0n ? [] : text` at ${amounts.price(order.price)}`;
}

/** `mid + 12.50`; a buy order's offset counts downwards, a sell order's upwards. Undefined where it is not pegged. */
export function pegText(order: Order, amounts: MarketAmounts): Text | undefined {
  const { peggedOrder, side } = order;
  if (peggedOrder === undefined) return undefined;
  const reference = enumWords(peggedOrder.reference, "PEGGED_REFERENCE");
  if (peggedOrder.offset === undefined) return text`${reference}`;
  const sign = side === "SIDE_BUY" ? "−" : side === "SIDE_SELL" ? "+" : "±";
  return text`${reference} ${sign} ${amounts.price(peggedOrder.offset)}`;
}
