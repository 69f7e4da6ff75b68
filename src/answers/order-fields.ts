import type { Order } from "../api/order.ts";
import { field, paragraph, type Block, type Field } from "../reply/block.ts";
import { code, strong, text } from "../reply/text.ts";
import { idCell, namedCell, timeCell } from "./cells.ts";
import { capitalised, enumWords, timeInForceWords } from "./enum-words.ts";
import type { MarketAmounts } from "./market-amounts.ts";
import { endReasonWords, fillOf, isLiveOrder, pegWords } from "./order-words.ts";

/** In plain words why it was rejected or stopped. */
export function endReasonBlocks(found: Order): Block[] {
  const fate = endReasonWords(found);
  if (fate === undefined) return [];
  const status = capitalised(enumWords(found.status, "STATUS"));
  return [
    paragraph(
      text`${strong(`${status}.`)} ${fate}${found.reason === undefined ? text`` : text` (${code(found.reason)})`}`,
    ),
  ];
}

/** What the order is and what is left of it. */
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
