import { field, type Field, paragraph } from "../../reply/block.ts";
import { reply, type Reply } from "../../reply/reply.ts";
import { code, id, strong, text, type Text, time } from "../../reply/text.ts";
import type { AlertEvent, MarketSide } from "../kinds/event.ts";
import { timeFromText } from "../kinds/json-fields.ts";
import { severityOfEvent } from "../kinds/severity.ts";
import { enumWord, markedTitle, TONES } from "./phrases.ts";

/** One event as a message of its own. */
export function describeEvent(event: AlertEvent, marks: { simulated?: true | undefined }): Reply {
  const severity = severityOfEvent(event);
  return reply({
    tone: TONES[severity],
    title: markedTitle(severity.toUpperCase(), eventLine(event), marks),
    blocks: [
      ...meaningOf(event).map((words) => paragraph(words)),
      { kind: "fields", fields: [...eventFields(event), field("Seen", time(timeFromText(event.at), "both"))] },
    ],
    ...(event.node === undefined ? {} : { footer: text`Seen at ${code(event.node)}` }),
  });
}

/** What happened, in one line. Pure and total. */
export function eventLine(event: AlertEvent): Text {
  const network = strong(event.network);
  switch (event.kind) {
    case "checkpoint.new":
      return text`New checkpoint on ${network} at block ${strong(event.atBlock)}`;
    case "snapshot.new":
      return text`New snapshot on ${network} at block ${strong(event.blockHeight)}`;
    case "core.upgraded":
      return text`Protocol upgrade on ${network}: ${strong(event.from)} to ${strong(event.to)}`;
    case "rotation.new":
      return text`${event.nodeName === undefined ? id(event.nodeId) : strong(event.nodeName)} rotated its Ethereum key on ${network}`;
    case "market.state": {
      const market = event.label === undefined ? id(event.subject) : strong(event.label);
      const now = strong(sideWords(event.after));
      return event.before === undefined
        ? text`${market} on ${network} is new: ${now}`
        : text`${market} on ${network} is ${now}, was ${sideWords(differing(event.before, event.after))}`;
    }
    case "node.version":
      return text`${code(event.subject)} on ${network} runs ${strong(event.after.version ?? "an unknown version")}, was ${event.before.version ?? "unknown"}`;
    case "history.reset":
      return text`The ${event.what} of ${network} begin anew: block ${event.lastSeen}, the last one seen, is no longer in the node's history`;
    case "order.final":
      return text`Order ${id(event.subject)} on ${network} is ${strong(enumWord(event.status, "STATUS"))}`;
    case "stake.changed":
      return text`Stake ${event.change} on ${network} for ${id(event.subject)}`;
    case "bundle.signed":
      return text`The ${event.bundle === "list-asset" ? "list-asset" : "asset-limits"} bundle of ${id(event.subject)} on ${network} is signed`;
  }
}

/** What it means for the reader, if the line does not say that by itself. */
function meaningOf(event: AlertEvent): string[] {
  switch (event.kind) {
    case "core.upgraded":
      return ["The validators run another version now; what speaks to the network may have to follow."];
    case "rotation.new":
      return [
        "The validator signs for the Ethereum bridge with the new key from then on; where nobody planned that, ask the validator.",
      ];
    case "history.reset":
      return [
        "The network was begun again, or the node keeps nothing that old any more. What lay between cannot be told.",
      ];
    case "market.state":
      return event.after.tradingMode?.endsWith("_AUCTION") === true && severityOfEvent(event) !== "info"
        ? ["Orders are collected and not matched until the auction ends."]
        : [];
    case "checkpoint.new":
    case "snapshot.new":
    case "node.version":
    case "order.final":
    case "stake.changed":
    case "bundle.signed":
      return [];
  }
}

/** The columns of a table of events, of one kind or mixed, with the block or subject that tells them apart. */
export function eventCells(event: AlertEvent): readonly [block: string, subject: string, detail: string] {
  switch (event.kind) {
    case "checkpoint.new":
      return [event.atBlock, event.hash, event.blockHash ?? ""];
    case "snapshot.new":
      return [event.blockHeight, event.blockHash ?? "", event.coreVersion ?? ""];
    case "core.upgraded":
      return [event.blockHeight ?? "", "", `${event.from} to ${event.to}`];
    case "rotation.new":
      return [event.blockHeight ?? "", event.nodeId, `${event.oldAddress} to ${event.newAddress}`];
    case "market.state":
      return ["", event.label ?? event.subject, sideWords(event.after)];
    case "node.version":
      return ["", event.subject, event.after.version ?? ""];
    case "history.reset":
      return [event.lastSeen, event.what, ""];
    case "order.final":
      return ["", event.subject, enumWord(event.status, "STATUS")];
    case "stake.changed":
      return ["", event.subject, [event.change, event.amount ?? ""].join(" ").trim()];
    case "bundle.signed":
      return ["", event.subject, event.bundle];
  }
}

function eventFields(event: AlertEvent): Field[] {
  switch (event.kind) {
    case "checkpoint.new":
      return [field("Hash", id(event.hash)), ...hash("Block hash", event.blockHash)];
    case "snapshot.new":
      return [...hash("Block hash", event.blockHash), ...plain("Core version", event.coreVersion)];
    case "core.upgraded":
      return plain("First snapshot at block", event.blockHeight);
    case "rotation.new":
      return [
        field("Node", id(event.nodeId)),
        field("Old address", id(event.oldAddress)),
        field("New address", id(event.newAddress)),
        ...plain("Block", event.blockHeight),
      ];
    case "market.state":
      return [field("Market", id(event.subject))];
    case "node.version":
      return [...hash("Commit", event.after.commitHash)];
    case "history.reset":
      return [...plain("Oldest block now", event.oldest), ...plain("Newest block now", event.newest)];
    case "order.final":
      return [
        ...plain("Market", event.label ?? event.market),
        ...(event.side === undefined ? [] : [field("Side", enumWord(event.side, "SIDE"))]),
        ...plain("Size", event.size),
        ...plain("Remaining", event.remaining),
        ...plain("Price", event.price),
        ...(event.reason === undefined ? [] : [field("Reason", enumWord(event.reason, "ORDER_ERROR"))]),
      ];
    case "stake.changed":
      return [
        ...plain("Amount", event.amount),
        ...plain("Available now", event.available),
        ...hash("Ethereum address", event.ethereumAddress),
        ...hash("Transaction", event.txHash),
      ];
    case "bundle.signed":
      return hash("Asset source", event.assetSource);
  }
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
    ...(state === undefined ? [] : [enumWord(state, "STATE")]),
    ...(tradingMode === undefined ? [] : [enumWord(tradingMode, "TRADING_MODE")]),
  ].join(", ");
  const cause = trigger === undefined || trigger.endsWith("_UNSPECIFIED") ? "" : enumWord(trigger, "AUCTION_TRIGGER");
  // An opening auction says by its name what began it.
  const why = cause === "" || words.endsWith(`${cause} auction`) ? "" : ` (${cause})`;
  return words === "" ? "unknown" : `${words}${why}`;
}

function plain(name: string, value: string | undefined): Field[] {
  return value === undefined ? [] : [field(name, value)];
}

function hash(name: string, value: string | undefined): Field[] {
  return value === undefined ? [] : [field(name, id(value))];
}
