import { FINAL_STATUSES } from "../src/alerts/judge/kinds/event.ts";
import { tellAt } from "../src/alerts/words/subscription-words.ts";
import { marketAmounts, type MarketAmounts, percentWords } from "../src/answers/amounts.ts";
import { answer, askFor, extraFields, idCell, namedCell, timeCell, watchAction } from "../src/answers/answer.ts";
import { enumWords, timeInForceWords } from "../src/reply/enum-words.ts";
import { MARKET, marketsById, noteSeen, ORDER, PARTY } from "../src/answers/ids/ids.ts";
import { askAboutId, idOption, resolveId } from "../src/answers/ids/typed-ids.ts";
import {
  chooseOrder,
  findOrder,
  seenLabel,
  ORDERS_ARE_DROPPED,
  STATE_OPTION,
  saidOrder,
  suggestOrders,
} from "../src/answers/ids/party-orders.ts";
import { orderReason, reasonClause, reasonRest } from "../src/reply/order-reasons.ts";
import { orderState, orderWords, pegText } from "../src/answers/order-words.ts";
import type { Answer } from "../src/api/api-client.ts";
import { ApiError, asApiError } from "../src/api/api-error.ts";
import type { MarketNames } from "../src/api/model/names.ts";
import { Order } from "../src/api/model/order.ts";
import { command, type CommandContext } from "../src/bot/command.ts";
import { UserError } from "../src/errors.ts";
import { type Block, details, facts, field, type Field, fields, paragraph } from "../src/reply/block.ts";
import { plainText } from "../src/reply/plain-text.ts";
import { type Action, buttonsOrChoice, type Tone } from "../src/reply/reply.ts";
import { code, strong, text, type Text, type TextPart, toText } from "../src/reply/text.ts";
import { decimal, roundedPercentOf } from "../src/units/decimal.ts";

/** The interface's version is an int32. */
const MAX_VERSION = 2 ** 31 - 1;
/** How many of the newest versions can be chosen. */
const MAX_VERSIONS = 20;

const options = {
  id: idOption(ORDER, {
    label: "Order",
    description: "Its id, or the beginning of one shown before; left out = your orders, to choose from",
    hint: "Its beginning will do; empty: one of yours",
    finds: findOrder,
    suggest: suggestOrders,
    said: saidOrder,
  }),
  version: {
    kind: "integer",
    hint: "Empty: the current one",
    description: "An earlier version; left out = the current one",
    min: 1,
    max: MAX_VERSION,
  },
  party: idOption(PARTY, {
    question: "Whose order?",
    description: "Whose orders to choose from; left out = those of the party you saved",
    saved: "party",
    said: () => undefined,
  }),
  state: STATE_OPTION,
  market: idOption(MARKET, {
    operatorsOnly: true,
    phrase: "in …",
    description: "Only orders of this market or coin, to choose from",
  }),
} as const;
type Context = CommandContext<typeof options>;

export const order = command({
  name: "order",
  alsoCalled: ["orders", "filled", "left", "rejected"],
  asked: [
    "order rejected|refuse|decline|deny|fail|cancel|stop|expire|end|accept|fill|wrong|trade|execute|status|state|happen|become|bounce|kill|turn|throw|thrown|gone|lost|work|up|drop|kick|close|through|place|submit|error|problem|block|bin|book|make|made|reach|miss|missing|vanish|disappear|pull|remove|return|void|invalid|code|dead|die|died|left|remain",
    "order|trade|buy|sell|bid|offer|limit {state}",
    "order|trade|buy|sell|bid|offer|limit cancel|kill|block|stop|through|accept|fill",
    "last|latest|newest|all order",
    "why|reason|how|what|explain order rejected|refuse|decline|deny|fail|cancel|stop|expire|end|accept|fill|wrong|trade|execute|status|state|happen|become|bounce|kill|turn|throw|thrown|gone|lost|work|up|drop|kick|close|through|problem",
    "why|reason|explain|code|what rejected|refused|declined|denied|bounced",
    // Whatever it did: ate, swallowed.
    "exchange|venue|engine|system|someone|somebody|guys my|our|the order|bid",
    "order",
  ],
  summary: "One order: what is left, why it ended, its versions",
  verb: "Show order",
  shows: ({ id }) =>
    id === undefined
      ? { says: "Which order? Only you will see it.", press: "Choose an order" }
      : { says: "Only you will see the order", press: "Show the order" },
  examples: ["order <id>", "order <id> version:1", "order state:rejected"],
  options,
  fields: () => ["id", "version"],
  run: async (context) => {
    const { id: typed } = context.options;
    if (typed === undefined) return chooseOrder(context);
    const orderId = await resolveId(ORDER, typed, context, "id");
    const [{ shown, currentVersion }, markets] = await Promise.all([
      getVersions(context, orderId),
      marketsById(context),
    ]);
    const { value: found, asOf } = shown;
    const market = markets.get(found.marketId ?? "");
    const amounts = marketAmounts(market);
    const isFinal = found.status !== undefined && FINAL_STATUSES.has(found.status);
    const previous = await getPrevious(context, orderId, found);
    const why = endReasonWords(found);
    noteSeen(context, "order", [{ id: found.id ?? orderId, label: seenLabel(found, market?.code) }]);
    noteSeen(context, "party", [{ id: found.partyId }]);
    noteSeen(context, "market", [{ id: found.marketId, label: market?.code }]);
    const version = found.version ?? BigInt(context.options.version ?? 1);
    const older = currentVersion !== undefined && version < currentVersion;
    return answer(context, asOf, {
      title: text`${orderHeadline(found, market?.code, amounts)}${older ? ` – version ${version} of ${currentVersion}` : ""}`,
      // What is final can no longer change.
      ...(isFinal ? { lasting: true as const } : {}),
      tone: TONES.get(found.status) ?? "neutral",
      blocks: [
        ...(older ? [paragraph(text`${strong("An earlier version")}: it no longer holds.`)] : []),
        ...(why === undefined ? [] : [paragraph(why)]),
        ...facts(orderFacts(found, amounts)),
        ...details(detailBlocks(found, previous, market)),
      ],
      actions: [
        ...versionActions(context, orderId, version, currentVersion ?? version),
        ...(found.status === undefined || older || isFinal
          ? []
          : [
              watchAction(context, "Tell me when it ends", "order.final", orderId),
              ...priceOfOrder(context, found, market),
            ]),
      ],
      ask: askFor(context, "order", { id: orderId, version: context.options.version }),
    });
  },
});

/** The tones of states, where they are not neutral. */
const TONES: ReadonlyMap<string | undefined, Tone> = new Map([
  ["STATUS_FILLED", "good"],
  ["STATUS_REJECTED", "bad"],
  ["STATUS_STOPPED", "warning"],
  ["STATUS_PARKED", "warning"],
  ["STATUS_PARTIALLY_FILLED", "warning"],
]);

function detailBlocks(found: Order, previous: Order | undefined, market: MarketNames | undefined): Block[] {
  const amounts = marketAmounts(market);
  const blocks: Block[] = [
    fields(orderFields(found, market?.code, amounts)),
    fields(orderTermFields(found, amounts), text`Terms`),
  ];
  if (previous !== undefined) {
    const before = previous.version ?? (found.version ?? 1n) - 1n;
    const changes = changesBetween(previous, found, amounts);
    blocks.push({
      kind: "list",
      title: text`Changed since version ${before}`,
      items: changes.length === 0 ? [text`Nothing that is shown here.`] : changes,
    });
  }
  const unknown = [
    ...extraFields(found, Order.shape),
    ...extraFields(found.peggedOrder, { offset: true, reference: true }, "peggedOrder."),
  ];
  if (unknown.length > 0) blocks.push(fields(unknown, text`Further fields of the node`));
  return blocks;
}

/** The version asked for, and the number of the current one where it is known. */
async function getVersions(context: Context, orderId: string) {
  const { api, signal, options: asked } = context;
  const current = api.getOrder(orderId, undefined, { signal });
  if (asked.version === undefined) {
    const shown = await askAboutId(ORDER, orderId, "id", context, current, ORDERS_ARE_DROPPED);
    return { shown, currentVersion: shown.value.version };
  }
  const [versioned, newest] = await Promise.allSettled([api.getOrder(orderId, asked.version, { signal }), current]);
  const known = newest.status === "fulfilled" ? newest.value.value.version : undefined;
  if (versioned.status === "fulfilled") return { shown: versioned.value, currentVersion: known };
  const refused: unknown = versioned.reason;
  const wrongVersion = refused instanceof ApiError && (refused.kind === "not-found" || refused.kind === "invalid");
  if (wrongVersion && newest.status === "fulfilled") {
    throw new UserError(`This order has no version ${asked.version}.`, {
      option: "version",
      cause: refused,
      remedy: (named) =>
        known === undefined ? `Leave ${named("version")} out for the current one.` : `Its versions are 1 to ${known}.`,
    });
  }
  const shown = await askAboutId<Answer<Order>>(
    ORDER,
    orderId,
    "id",
    context,
    Promise.reject(refused),
    ORDERS_ARE_DROPPED,
  );
  return { shown, currentVersion: known };
}

/** The previous version, to show the changes of an amendment; undefined where it cannot be read. */
async function getPrevious(context: Context, orderId: string, found: Order): Promise<Order | undefined> {
  const { version } = found;
  if (version === undefined || version < 2n || version > BigInt(MAX_VERSION)) return undefined;
  const before = await context.api.getOrder(orderId, Number(version) - 1, { signal: context.signal }).catch(asApiError);
  return before instanceof ApiError ? undefined : before.value;
}

/** Offers to tell of the price at which the order may trade. */
function priceOfOrder(context: Context, { side, price, marketId }: Order, market: MarketNames | undefined): Action[] {
  const written = price === undefined ? undefined : marketAmounts(market).typedPrice(price);
  if (marketId === undefined || written === undefined) return [];
  return [tellAt(context.network, marketId, market?.code, { [side === "SIDE_SELL" ? "high" : "low"]: written })];
}

/** The current version first, then the others from the newest on, and the first of all. */
function versionActions(context: Context, orderId: string, version: bigint, current: bigint): Action[] {
  const versions: bigint[] = [];
  for (let one = current; one > 1n && versions.length < MAX_VERSIONS; one -= 1n) versions.push(one);
  const choices = [...versions, 1n]
    .filter((one) => one !== version && (one === current || one <= BigInt(MAX_VERSION)))
    .map((one) => ({
      label: one === current ? "Current version" : `Version ${one}`,
      invocation: askFor(context, "order", { id: orderId, version: one === current ? undefined : Number(one) }),
    }));
  return buttonsOrChoice("Other versions", choices, "replace");
}

/** `Rejected: the margin is not covered (buy 10 BTC/USDT at 62,500)`; an order without a reason is described at once. */
function orderHeadline(order: Order, market: string | undefined, amounts: MarketAmounts): Text {
  const status = orderState(order);
  const words = orderWords(order, market, amounts);
  const reason = reasonClause(order.reason);
  return reason === undefined ? text`${status}: ${words}` : text`${status}: ${reason} (${words})`;
}

/** The filled and the remaining size, a zero of which nodes leave out; undefined where the size is missing. */
function fillOf({ size, remaining: left = 0n }: Order) {
  if (size === undefined) return undefined;
  const filled = size - left;
  return { filled, left, percentFilled: percentWords(roundedPercentOf(decimal(filled), decimal(size))) };
}

/** Why an order was rejected, stopped or parked, in plain words, beyond its headline; undefined for others without a reason. */
function endReasonWords(order: Order): string | undefined {
  const reason = orderReason(order.reason);
  if (order.status === "STATUS_PARKED" && reason === undefined) {
    return "It is off the book for as long as there is no price that it could be pegged to, as during an auction.";
  }
  const rejected = order.status === "STATUS_REJECTED";
  if (reason !== undefined) return reasonRest(order.reason);
  if (!rejected && order.status !== "STATUS_STOPPED") return undefined;
  const immediate = ["TIME_IN_FORCE_IOC", "TIME_IN_FORCE_FOK"].includes(order.timeInForce ?? "");
  if (!rejected && (immediate || order.type === "TYPE_MARKET")) {
    const kind = immediate ? timeInForceWords(order.timeInForce) : "market";
    return `The network gives no reason; ${kind} orders stop when what is left finds no match at once.`;
  }
  return "The network gives no reason.";
}

/** The differences between two versions, as `price 62,400.00 → 62,500.00`. */
function changesBetween(before: Order, after: Order, amounts: MarketAmounts): readonly Text[] {
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

/** The fields of an order that people read first. */
function orderFacts(found: Order, amounts: MarketAmounts): Field[] {
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
function orderFields(found: Order, marketCode: string | undefined, amounts: MarketAmounts): Field[] {
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
function orderTermFields(found: Order, amounts: MarketAmounts): Field[] {
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
    field("Reason", orderReason(found.reason) === undefined ? "none" : enumWords(found.reason, "ORDER_ERROR")),
  ];
}

/** proto3 leaves false out on some releases. */
function yesNo(flag: boolean | undefined): string {
  return flag === true ? "yes" : "no";
}
