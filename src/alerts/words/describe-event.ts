import { SEVERITY } from "../../reply/states.js";
import { field, type Field, paragraph } from "../../reply/block.ts";
import { reply, type Reply } from "../../reply/reply.ts";
import { code, id, strong, text, type Text, type TextPart, time } from "../../reply/text.ts";
import { type AlertEvent, type EventKind, type MarketSide, severityOfEvent } from "../judge/kinds/event.ts";
import { type Event, timeFromText } from "../judge/kinds/kind.ts";
import { KINDS } from "../judge/kinds/kinds.ts";
import type { DeliveryContext } from "../message/delivery-subject.ts";
import type { MessageOf } from "../message/message.ts";
import { idList, nodeList } from "./condition-words.ts";
import { groupedNumber, priceWords } from "./subscription-words.ts";
import { guidanceBlocks, markedTitle, meaningBlocks } from "./phrases.ts";
import { enumWords } from "../../reply/enum-words.ts";
import { reasonClause, reasonRest } from "../../reply/order-reasons.ts";

/** One event as a message of its own. */
export function describeEvent(message: MessageOf<"event">, context: DeliveryContext): Reply {
  const { event } = message;
  const severity = severityOfEvent(event);
  const kind: Event = KINDS[event.kind];
  const meaning = event.kind === "order.final" ? reasonRest(event.reason) : kind.meaning?.(event);
  return reply({
    tone: SEVERITY[severity].tone,
    title: markedTitle(eventLine(event), message),
    blocks: [
      ...(severity === "info" ? [] : [paragraph(howSure(event))]),
      ...meaningBlocks(meaning, kind.remedy),
      ...guidanceBlocks(event.kind, context, message),
      { kind: "fields", fields: wordsFor(event).fields(event) },
      {
        kind: "fields",
        detail: true,
        fields: [
          field("Seen", time(timeFromText(event.at), "both")),
          ...(event.node === undefined ? [] : [field("Seen at", code(event.node))]),
        ],
      },
    ],
  });
}

/** `Warning · seen at api1`. */
function howSure(event: AlertEvent): Text {
  const { node } = event;
  const severity = strong(SEVERITY[severityOfEvent(event)].word);
  return node === undefined ? text`${severity}` : text`${severity} · seen at ${code(node)}`;
}

/** The words for events of one kind. */
interface EventWords<K extends EventKind> {
  /** What happened, in one line. */
  line(event: EventOf<K>, network: TextPart): Text;
  fields(event: EventOf<K>): readonly Field[];
  /** In a table of events, of one kind or mixed: the block or subject that tells them apart, and the rest. */
  cells(event: EventOf<K>): Cells;
}
type EventOf<K extends EventKind> = Extract<AlertEvent, { kind: K }>;
type Cells = readonly [block: string, subject: string, detail: string];

const EVENT_WORDS: { readonly [K in EventKind]: EventWords<K> } = {
  "checkpoint.new": {
    line: ({ atBlock }, network) => text`New checkpoint on ${network} at block ${BigInt(atBlock)}`,
    fields: (event) => [field("Hash", id(event.hash)), ...hash("Block hash", event.blockHash)],
    cells: (event) => [event.atBlock, event.hash, event.blockHash ?? ""],
  },
  "snapshot.new": {
    line: ({ blockHeight }, network) => text`New snapshot on ${network} at block ${BigInt(blockHeight)}`,
    fields: (event) => [...hash("Block hash", event.blockHash), ...plain("Core version", event.coreVersion)],
    cells: (event) => [event.blockHeight, event.blockHash ?? "", event.coreVersion ?? ""],
  },
  "core.upgraded": {
    line: ({ from, to }, network) => text`Protocol upgrade on ${network}: ${strong(from)} to ${strong(to)}`,
    fields: (event) => block("First snapshot at block", event.blockHeight),
    cells: (event) => [event.blockHeight ?? "", "", `${event.from} to ${event.to}`],
  },
  "rotation.new": {
    line: ({ nodeId, nodeName }, network) =>
      text`${nodeName === undefined ? id(nodeId) : strong(nodeName)} rotated its Ethereum key on ${network}`,
    fields: (event) => [
      field("Node", id(event.nodeId)),
      field("Old address", id(event.oldAddress)),
      field("New address", id(event.newAddress)),
      ...block("Block", event.blockHeight),
    ],
    cells: (event) => [event.blockHeight ?? "", event.nodeId, `${event.oldAddress} to ${event.newAddress}`],
  },
  "market.state": {
    line: ({ label, subject, before, after, price }, network) => {
      const market = label === undefined ? id(subject) : strong(label);
      const now = strong(sideWords(after));
      const last = price === undefined ? [] : text`, mark price ${priceWords(price)} at the end`;
      return before === undefined
        ? text`${market} on ${network} is new: ${now}`
        : text`${market} on ${network} is now ${now}${last}; before: ${sideWords(differing(before, after))}`;
    },
    fields: (event) => [field("Market", id(event.subject))],
    cells: (event) => ["", event.label ?? event.subject, sideWords(event.after)],
  },
  "node.version": {
    line: ({ subject, before, after }, network) =>
      text`${code(subject)} on ${network} runs ${strong(after.version ?? "an unknown version")}, was ${before.version ?? "unknown"}`,
    fields: (event) => hash("Commit", event.after.commitHash),
    cells: (event) => ["", event.subject, event.after.version ?? ""],
  },
  "history.reset": {
    line: ({ what, lastSeen, pruned }, network) =>
      pruned === true
        ? text`The ${what} of ${network} begin only after block ${BigInt(lastSeen)}, the last one seen`
        : text`The ${what} of ${network} begin anew: block ${BigInt(lastSeen)}, the last one seen, is no longer in the node's history`,
    fields: (event) => [...block("Oldest block now", event.oldest), ...block("Newest block now", event.newest)],
    cells: (event) => [event.lastSeen, event.what, ""],
  },
  "history.forked": {
    line: ({ block: at, field: name }, network) =>
      text`Block ${BigInt(at)} of ${network} has another ${name} than before`,
    fields: (event) => [
      ...(event.of === undefined ? [] : [field("Validator", id(event.of))]),
      field("Listed among", event.what),
      field("It was", idList(event.before)),
      field("Still said by", event.beforeBy.length === 0 ? "no node" : nodeList(event.beforeBy)),
      field("It is now", idList(event.after)),
      field("Said by", nodeList(event.afterBy)),
      ...(event.blocks === 1
        ? []
        : [field("Blocks that changed", text`${event.blocks}, up to ${BigInt(event.lastBlock)}`)]),
    ],
    cells: (event) => [event.block, event.what, `${event.before.join(" ")} to ${event.after.join(" ")}`],
  },
  "order.final": {
    line: (event, network) => text`${orderName(event)} on ${network} ${orderEndWords(event)}`,
    fields: (event) => [
      field("Order", id(event.subject)),
      ...plain("Market", event.label ?? event.market),
      ...(event.side === undefined ? [] : [field("Side", enumWords(event.side, "SIDE"))]),
      ...plain("Size", event.size),
      ...plain("Remaining", event.remaining),
      ...plain("Price", event.price),
      ...(event.reason === undefined ? [] : [field("Reason", enumWords(event.reason, "ORDER_ERROR"))]),
    ],
    cells: (event) => ["", event.subject, enumWords(event.status, "STATUS")],
  },
  "stake.changed": {
    line: ({ change, subject, amount }, network) =>
      text`${amount === undefined ? "Stake" : text`Stake of ${strong(amount)}`} ${change} on ${network} for ${id(subject)}`,
    fields: (event) => [
      ...plain("Amount", event.amount),
      ...plain("Available now", event.available),
      ...hash("Ethereum address", event.ethereumAddress),
      ...hash("Transaction", event.txHash),
    ],
    cells: (event) => ["", event.subject, [event.change, event.amount ?? ""].join(" ").trim()],
  },
  "bundle.signed": {
    line: ({ bundle, subject }, network) => text`The ${bundle} bundle of ${id(subject)} on ${network} is signed`,
    fields: (event) => hash("Asset source", event.assetSource),
    cells: (event) => ["", event.subject, event.bundle],
  },
};

function wordsFor<K extends EventKind>({ kind }: EventOf<K>): EventWords<K> {
  return EVENT_WORDS[kind];
}

/** What happened, in one line. Pure and total. */
export function eventLine(event: AlertEvent): Text {
  return wordsFor(event).line(event, strong(event.network));
}

/** Several in as few lines as they take: nodes that change to one version share a line. */
export function eventLines(events: readonly AlertEvent[]): Text[] {
  const alike = Map.groupBy(events, (event) =>
    event.kind === "node.version" ? `${event.before.version} ${event.after.version}` : event,
  );
  return [...alike.values()].flatMap(([first, ...rest]) => {
    if (first?.kind !== "node.version" || rest.length === 0) return first === undefined ? [] : [eventLine(first)];
    const { network, before, after } = first;
    const nodes = [...new Set([first, ...rest].map(({ subject }) => subject))];
    const [version, old] = [after.version ?? "an unknown version", before.version ?? "unknown"];
    return [text`${nodes.length} nodes on ${strong(network)} run ${strong(version)}, was ${old}: ${nodeList(nodes)}`];
  });
}

/** `Your sell of 49.5 BTC/USDT`; where too little is known of it, its id. */
function orderName({ subject, side, size, label }: EventOf<"order.final">): Text {
  const of = size === undefined || label === undefined ? id(subject) : text`of ${groupedNumber(size)} ${strong(label)}`;
  return text`Your ${side === undefined ? "order" : enumWords(side, "SIDE")} ${of}`;
}

/** `filled at 92,610`, `is rejected: the margin is not covered`. */
function orderEndWords({ status, price, reason }: EventOf<"order.final">): Text {
  const at = price === undefined ? [] : text` at ${priceWords(price)}`;
  if (status === "STATUS_FILLED") return text`${strong("filled")}${at}`;
  const why = reasonClause(reason);
  return text`is ${strong(enumWords(status, "STATUS"))}${why === undefined ? "" : `: ${why}`}`;
}

/** The columns of a table of events. */
export function eventCells(event: AlertEvent): Cells {
  return wordsFor(event).cells(event);
}

/** The part of `before` that has changed; all of it if nothing has. */
function differing(before: MarketSide, after: MarketSide): MarketSide {
  const { state, ...trading } = before;
  const sameState = state === after.state;
  const sameTrading = before.tradingMode === after.tradingMode && before.trigger === after.trigger;
  if (sameState === sameTrading) return before;
  if (sameState) return trading;
  return state === undefined ? {} : { state };
}

function sideWords({ state, tradingMode, trigger }: MarketSide): string {
  const words = [
    ...(state === undefined ? [] : [enumWords(state, "STATE")]),
    ...(tradingMode === undefined ? [] : [enumWords(tradingMode, "TRADING_MODE")]),
  ].join(", ");
  const cause = trigger === undefined || trigger.endsWith("_UNSPECIFIED") ? "" : enumWords(trigger, "AUCTION_TRIGGER");
  // An opening auction says by its name what began it.
  const why = cause === "" || words.endsWith(`${cause} auction`) ? "" : ` (${cause})`;
  return words === "" ? "unknown" : `${words}${why}`;
}

function plain(name: string, value: string | undefined): Field[] {
  return value === undefined ? [] : [field(name, value)];
}

function block(name: string, height: string | undefined): Field[] {
  return height === undefined ? [] : [field(name, BigInt(height))];
}

function hash(name: string, value: string | undefined): Field[] {
  return value === undefined ? [] : [field(name, id(value))];
}
