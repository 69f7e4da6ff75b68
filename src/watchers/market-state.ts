import { z } from "zod";

import { DecimalText, TimeText } from "../alerts/kinds/json-fields.ts";
import { observationCounter } from "./run-counter.ts";

/** A market as it was last seen. Prices in the market's units, where its decimals are known. */
const marketRecord = z.object({
  label: z.string().exactOptional(),
  state: z.string().exactOptional(),
  tradingMode: z.string().exactOptional(),
  trigger: z.string().exactOptional(),
  auctionStart: TimeText.exactOptional(),
  auctionEnd: TimeText.exactOptional(),
  price: DecimalText.exactOptional(),
  /** The bound of price monitoring that is nearest to the price. */
  nearest: z
    .object({
      bound: DecimalText.exactOptional(),
      side: z.enum(["lower", "upper"]),
      distancePercent: DecimalText,
    })
    .exactOptional(),
  /** It is not listed any more; this is how it was last seen. */
  absent: z.literal(true).exactOptional(),
});
export type MarketRecord = z.infer<typeof marketRecord>;

/**
 * The markets of a network, by id. It is what is kept as it is: of 20,000 markets, reading and writing another form of it
 * takes longer than all else that a look does.
 */
export const MarketsState = z.object({
  ...observationCounter,
  node: z.string(),
  /** The network's time that the answer speaks for. */
  time: TimeText.exactOptional(),
  /** The node stands before what had been seen already: its answer says nothing new. */
  behind: z.boolean(),
  markets: z.record(z.string(), marketRecord),
});
export type MarketsState = z.infer<typeof MarketsState>;
