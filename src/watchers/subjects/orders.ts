import { z } from "zod";

import { type AlertEvent, FINAL_STATUSES, orderEnd } from "../../alerts/judge/kinds/event.ts";
import { timeToText } from "../../alerts/judge/kinds/json-fields.ts";
import type { MarketNames } from "../../api/model/names.ts";
import type { Order } from "../../api/model/order.ts";
import { NodeSelector } from "../sources/node-selector.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import { formatUnits, pollSubjects } from "./subjects.ts";

const endedOrder = z.object({ node: z.string(), ...orderEnd });
type EndedOrder = z.output<typeof endedOrder>;

const Orders = z.object({
  /** Ended orders by id, as long as a subscription names them. */
  ended: z.record(z.string(), endedOrder),
  turn: z.string().exactOptional(),
});
type Orders = z.output<typeof Orders>;

/** Orders that people watch: each is polled until its final state. One that ended before is announced, too. */
export function ordersWatcher(
  options: Pick<WatcherOptions, "network" | "config" | "clock" | "selector">,
): Watcher<Orders> {
  const { network, config, clock, selector = new NodeSelector() } = options;
  const every = config.poll.rest;
  return {
    name: "orders",
    every,
    snapshot: Orders,
    async observe(api, context, signal) {
      const { before } = context;
      // Findings of the first observation are not announced, so that it polls nothing.
      if (before === undefined) return { ended: {} };
      const ids = new Set(context.subjects("order.final"));
      const open = [...ids].filter((id) => !Object.hasOwn(before.ended, id));
      const call = { lane: "watchers", fresh: true, signal } as const;
      const { answers, turn } = await pollSubjects(open, before.turn, { millis: every, clock }, (id) =>
        selector.clientFor(api).getOrder(id, undefined, call),
      );
      const over = [...answers].filter(
        ([, { value }]) => value.status !== undefined && FINAL_STATUSES.has(value.status),
      );
      const markets = over.length === 0 ? [] : await api.getMarketNames({ lane: "watchers", signal });
      const names = new Map(markets.map((market) => [market.id, market]));
      const ended = over.map(([id, { value, asOf }]): [string, EndedOrder] => [
        id,
        endedOrderOf(value, asOf.node, names.get(value.marketId ?? "")),
      ]);
      const kept = Object.entries(before.ended).filter(([id]) => ids.has(id));
      return {
        ended: { ...Object.fromEntries(kept), ...Object.fromEntries(ended) },
        ...(turn === undefined ? {} : { turn }),
      };
    },
    judge(before, after, at) {
      if (before === undefined) return { readings: [], events: [] };
      const fresh = Object.entries(after.ended).filter(([id]) => !Object.hasOwn(before.ended, id));
      return {
        readings: [],
        events: fresh.map(([subject, end]): AlertEvent => ({
          kind: "order.final",
          network,
          subject,
          key: `${subject}/${end.status}`,
          at: timeToText(at),
          ...end,
        })),
      };
    },
  };
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
    ...(reason === undefined ? {} : { reason }),
    ...(marketId === undefined ? {} : { market: marketId }),
    ...(label === undefined ? {} : { label }),
    ...(side === undefined ? {} : { side }),
    ...(size === undefined ? {} : { size }),
    ...(remaining === undefined ? {} : { remaining }),
    ...(price === undefined ? {} : { price }),
  };
}
