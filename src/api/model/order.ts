import { z } from "zod";

import { bigintField, flagField, recordField, textField, timeField } from "./fields.ts";
import { page } from "./page.ts";

/** An order. Prices and offset in the market's smallest price unit, sizes in its smallest position unit. */
export const Order = z.looseObject({
  id: textField,
  batchId: textField,
  marketId: textField,
  partyId: textField,
  liquidityProvisionId: textField,
  reference: textField,
  createdAt: timeField,
  updatedAt: timeField,
  expiresAt: timeField,
  price: bigintField,
  size: bigintField,
  remaining: bigintField,
  version: bigintField,
  postOnly: flagField,
  reduceOnly: flagField,
  peggedOrder: recordField(z.looseObject({ offset: bigintField, reference: textField })),
  side: textField,
  status: textField,
  timeInForce: textField,
  type: textField,
  reason: textField,
});
export type Order = z.infer<typeof Order>;

/** A page of orders, as real nodes list them beyond the contract. */
export const Orders = z.looseObject({ orders: page(Order) });

export const OrderReply = z.looseObject({ order: recordField(Order) });
