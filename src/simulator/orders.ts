import type { Chance } from "./chance.ts";
import type { Market, MarketCatalogue } from "./market-catalogue.ts";
import type { Moment } from "./moment.ts";
import { ORDER_SCRIPTS, type OrderScript } from "./order-scripts.ts";
import { priceAt } from "./price-walk.ts";

/** A new set of orders, one per script, is made this often. */
const SET_BLOCKS = 20_000;
/** How many sets a node remembers: about a month. */
const SETS_KEPT = 185;
/** Where the founders stand: orders of the network's first day that are never forgotten, so that their ids never change. */
const FOUNDERS = 0;

interface Order {
  readonly id: string;
  readonly set: number;
  readonly index: number;
  readonly script: OrderScript;
}

export class Orders {
  readonly #chance: Chance;
  readonly #catalogue: MarketCatalogue;
  #kept: { lastSet: number; byId: Map<string, Order> } | undefined;

  constructor(catalogue: MarketCatalogue, chance: Chance) {
    this.#catalogue = catalogue;
    this.#chance = chance;
  }

  /** The id of a founder, by the name of its script. */
  founder(name: string): string {
    return this.#id(
      FOUNDERS,
      Math.max(
        0,
        ORDER_SCRIPTS.findIndex((script) => script.name === name),
      ),
    );
  }

  /** The ids of the newest complete set, by the name of their script. */
  newest(moment: Moment): Map<string, string> {
    const set = Math.max(FOUNDERS, Math.floor(moment.height / SET_BLOCKS) - 1);
    return new Map(ORDER_SCRIPTS.map((script, index) => [script.name, this.#id(set, index)]));
  }

  /** The order as it is now, or as the last one of that version was; undefined where there is none. */
  find(id: string, version: number | undefined, moment: Moment): Record<string, unknown> | undefined {
    const order = this.#index(moment).get(id);
    if (order === undefined) return undefined;
    const madeAt = this.#madeAt(order);
    const known = order.script.steps.filter((step) => madeAt + step.after <= moment.height);
    const state = { status: "STATUS_ACTIVE", reason: undefined as string | undefined, remaining: 100 };
    let current = 1;
    let perMille = 0;
    let changedAt: number | undefined;
    for (const step of known) {
      const next = step.amendedPerMille === undefined ? current : current + 1;
      if (version !== undefined && next > version) break;
      if (step.after > 0) changedAt = madeAt + step.after;
      current = next;
      perMille += step.amendedPerMille ?? 0;
      state.status = step.status ?? state.status;
      state.reason = step.reason ?? state.reason;
      state.remaining = step.remainingPercent ?? state.remaining;
    }
    if (known.length === 0 || (version !== undefined && current !== version)) return undefined;
    return this.#record(order, { ...state, version: current, perMille, madeAt, changedAt }, moment);
  }

  #record(
    order: Order,
    now: {
      status: string;
      reason: string | undefined;
      remaining: number;
      version: number;
      perMille: number;
      madeAt: number;
      changedAt: number | undefined;
    },
    moment: Moment,
  ): Record<string, unknown> {
    const { script, set, index } = order;
    const market = this.#market(order);
    const roll = (low: number, high: number, what: string): number => this.#chance.int(low, high, what, set, index);
    const size = BigInt(roll(2, 5000, "order-size")) * 100n;
    const atMarket = script.type !== "TYPE_LIMIT" || (script.pegged !== undefined && now.status === "STATUS_PARKED");
    const price = (priceAt(market, now.madeAt, this.#chance) * BigInt(1000 + now.perMille)) / 1000n;
    const expires =
      script.expiresAfter === undefined ? "0" : moment.timeOf(now.madeAt + script.expiresAfter).toString();
    return {
      id: order.id,
      marketId: market.id,
      partyId: this.#chance.hex(32, "party", script.type === "TYPE_NETWORK" ? 0 : roll(0, 11, "order-party")),
      side: script.pegged?.reference.endsWith("ASK")
        ? "SIDE_SELL"
        : roll(0, 1, "order-side") === 0
          ? "SIDE_BUY"
          : "SIDE_SELL",
      price: atMarket ? "0" : price.toString(),
      size: size.toString(),
      remaining: ((size * BigInt(now.remaining)) / 100n).toString(),
      timeInForce: script.timeInForce,
      type: script.type,
      createdAt: moment.timeOf(now.madeAt).toString(),
      status: now.status,
      expiresAt: expires,
      reference: script.type === "TYPE_NETWORK" ? "close-out <distressed>" : `sim-${set}-${index}`,
      // Absent, not empty, where nothing went wrong.
      ...(now.reason === undefined ? {} : { reason: now.reason }),
      updatedAt: now.changedAt === undefined ? "0" : moment.timeOf(now.changedAt).toString(),
      version: String(now.version),
      batchId: String(roll(0, 4, "order-batch")),
      peggedOrder: script.pegged ?? null,
      liquidityProvisionId: script.provision ? this.#chance.hex(32, "provision", set, index) : "",
      postOnly: script.postOnly ?? false,
      reduceOnly: script.reduceOnly ?? false,
    };
  }

  #market(order: Order): Market {
    const markets = this.#catalogue.trading;
    return markets[(order.set + order.index) % markets.length] ?? this.#catalogue.first;
  }

  #madeAt(order: Order): number {
    return order.set * SET_BLOCKS + 100 + this.#chance.int(0, SET_BLOCKS - 200, "order-made", order.set, order.index);
  }

  #id(set: number, index: number): string {
    return this.#chance.hex(32, "order", set, index);
  }

  #index(moment: Moment): Map<string, Order> {
    const lastSet = Math.floor(moment.height / SET_BLOCKS);
    if (this.#kept?.lastSet !== lastSet) {
      const byId = new Map<string, Order>();
      const sets = [FOUNDERS];
      for (let set = Math.max(FOUNDERS + 1, lastSet - SETS_KEPT); set <= lastSet; set++) sets.push(set);
      for (const set of sets) {
        for (const [index, script] of ORDER_SCRIPTS.entries()) {
          const id = this.#id(set, index);
          byId.set(id, { id, set, index, script });
        }
      }
      this.#kept = { lastSet, byId };
    }
    return this.#kept.byId;
  }
}
