import { destinationKey } from "../../alerts/destination.ts";
import { isAlive } from "../../alerts/route/subscription.ts";
import { isAuctionMode } from "../../api/model/market.ts";
import type { Scene } from "../../reply/chart.ts";
import { formatDecimal, parseDecimal } from "../../units/decimal.ts";
import { formatDuration, type Milliseconds } from "../../units/time.ts";
import { destinationHere } from "../alerts/destination.ts";
import {
  type ChartContext,
  type ChartSpan,
  KeptLine,
  lineNumbers,
  type LooksContext,
  nameInTitle,
  NO_SCENE,
  type Picture,
} from "./charts.ts";

/** What is kept of a market is what changed: values hold until another look says otherwise. */
interface Held {
  price?: string;
  bound?: string;
  mode?: string;
}

const FACTS = { price: ["price"], bound: ["nearest", "bound"], mode: ["tradingMode"] } as const;
const MAX_BANDS = 40;
const MAX_LIMITS = 4;

/** A market's price, its nearest bound, its auctions and such limits; undefined where nothing is kept of it. */
export async function marketPicture(
  { network, past, signal }: Pick<LooksContext, "network" | "past" | "signal">,
  span: ChartSpan,
  market: { readonly id: string; readonly label: string },
  limits: Scene["thresholds"],
): Promise<Picture | undefined> {
  const [price, bound] = [new KeptLine("mark price", span), new KeptLine("nearest bound", span)];
  const auctions: { from: Milliseconds; to: Milliseconds }[] = [];
  let held: Held = {};
  let run: unknown;
  for await (const part of past({ network, watcher: "markets", ...span }, signal)) {
    const facts = Object.entries(FACTS).map(([name, place]) => ({
      name: name as keyof Held,
      fact: part.facts("markets", market.id, ...place),
    }));
    for (let look = 0; look < part.size; look += 1) {
      if (part.run(look) !== run) held = {};
      run = part.run(look);
      for (const { name, fact } of facts) {
        const said = fact.at(look);
        if (typeof said === "string") held[name] = said;
        else if (said === null) delete held[name];
      }
      const [from, to] = [part.from(look), part.to(look)];
      if (held.price !== undefined) price.add(from, Number(held.price), to, held.price);
      if (held.bound !== undefined) bound.add(from, Number(held.bound), to, held.bound);
      if (!isAuctionMode(held.mode) || to < span.from) continue;
      const last = auctions.at(-1);
      if (last !== undefined && last.to >= from) last.to = to;
      else auctions.push({ from, to });
    }
  }
  const { first, last } = price.values;
  if (first === undefined || last === undefined) return undefined;
  const lines = bound.values.last === undefined ? [price] : [price, bound];
  const inAuction = auctions.reduce((sum, { from, to }) => sum + Math.min(to, span.to) - Math.max(from, span.from), 0);
  const moved =
    first === last ? `stayed at ${priceWords(last)}` : `went from ${priceWords(first)} to ${priceWords(last)}`;
  const scene: Scene = {
    ...NO_SCENE,
    ...span,
    title: `${nameInTitle(market.label)} ${moved}${inAuction === 0 ? "" : `, ${formatDuration(inAuction)} in auction`}`,
    unit: "number",
    lines: lines.map(({ drawn }) => drawn),
    thresholds: limits,
    bands: auctions.slice(-MAX_BANDS).map((one) => ({ ...one, name: "auction" })),
  };
  return { scene, numbers: [lineNumbers("chart-market", lines, priceWords)] };
}

function priceWords(exact: string): string {
  const parsed = parseDecimal(exact);
  return parsed === undefined ? exact : formatDecimal(parsed, { trim: false });
}

/** The prices at which this place is told. */
export async function ownLimits(context: ChartContext, market: string): Promise<Scene["thresholds"]> {
  const here = destinationKey(destinationHere(context));
  const own = (await context.alerts.subscriptions()).filter(
    (one) =>
      isAlive(one) &&
      destinationKey(one.destination) === here &&
      one.network === context.network &&
      one.subjects.includes(market),
  );
  return own.flatMap(({ parameters }) => limitsOf(parameters["market.price"])).slice(0, MAX_LIMITS);
}

/** The limits of a price among the parameters of a rule. */
export function limitsOf(parameters: Readonly<Record<string, string | number>> = {}): Scene["thresholds"] {
  return ["high", "low"].flatMap((which) => {
    const value = parameters[which];
    return value === undefined ? [] : [{ name: `${which} ${priceWords(String(value))}`, value: Number(value) }];
  });
}
