import { z } from "zod";

import { FINAL_STATUSES, orderEnd } from "../../alerts/judge/kinds/event.ts";
import type { MarketNames } from "../../api/model/names.ts";
import type { Order } from "../../api/model/order.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import { NodeSelector } from "../sources/node-selector.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import { endingsWatcher, formatUnits } from "./subjects.ts";

const endedOrder = z.object({ node: z.string(), ...orderEnd });
type EndedOrder = z.output<typeof endedOrder>;

const Orders = z.object({
  /** Ended orders by id, as long as a subscription names them. */
  ended: z.record(z.string(), endedOrder),
  turn: z.string().exactOptional(),
});

/** Orders that people watch: each is polled until its final state. One that ended before is announced, too. */
export function ordersWatcher(
  options: Pick<WatcherOptions, "network" | "config" | "clock" | "selector">,
): Watcher<z.output<typeof Orders>> {
  const { selector = new NodeSelector() } = options;
  return endingsWatcher(options, {
    name: "orders",
    kind: "order.final",
    snapshot: Orders,
    ended: ({ ended }) => ended,
    after: (ended, turn) => ({ ended, ...turn }),
    async poll(api, id, call) {
      const { value, asOf } = await selector.clientFor(api).getOrder(id, undefined, call);
      if (value.status === undefined || !FINAL_STATUSES.has(value.status)) return undefined;
      const { fresh: _, ...cached } = call;
      const markets = await api.getMarketNames(cached);
      return endedOrderOf(
        value,
        asOf.node,
        markets.find((market) => market.id === value.marketId),
      );
    },
    event: (seen, end) => ({ kind: "order.final", ...seen, key: `${seen.subject}/${end.status}`, ...end }),
  });
}

function endedOrderOf(order: Order, node: string, market: MarketNames | undefined): EndedOrder {
  const { status = "", reason, marketId, side } = order;
  const label = market?.code ?? market?.name;
  const size = formatUnits(order.size, market?.positionDecimalPlaces);
  const remaining = formatUnits(order.remaining, market?.positionDecimalPlaces);
  const price =
    order.price === undefined || order.price <= 0n ? undefined : formatUnits(order.price, market?.decimalPlaces);
  return {
    node,
    status,
    ...withoutUndefined({ reason, market: marketId, label, side, size, remaining, price }),
  };
}
