import type { NodeVerdict, Verdict } from "../api/verdict/verdict.ts";
import { type CellColumn, table, type Table } from "../reply/block.ts";
import { code, joinText, strong, text, type Text, time as timeText, toText } from "../reply/text.ts";
import { formatDuration } from "../units/time.ts";

/** One line per node, in the order in which they are configured. */
export function nodeTable(verdict: Verdict): Table {
  const { nodes } = verdict;
  const why: CellColumn<NodeVerdict> = ["Why", (node) => node.why ?? ""];
  return table({
    name: "nodes",
    rows: nodes,
    columns: [
      ["Node", ({ node }) => code(node)],
      ["State", (node) => stateText(node, verdict)],
      ["Behind", behindText, "right"],
      ["Block", ({ height }) => height ?? "–", "right", 3],
      ["Time", ({ time: at }) => (at === undefined ? "–" : timeText(at)), 3],
      ["Round trip", ({ roundTripMillis: took }) => (took === undefined ? "–" : `${Math.round(took)} ms`), "right", 3],
      ...(nodes.some((node) => node.why !== undefined) ? [why] : []),
    ],
  });
}

/** With its vote, once there is more than one look to vote by. In a stalled network, no node moves. */
function stateText({ state, vote }: NodeVerdict, { basis, network }: Verdict): Text {
  if (state === "ok" && (network === "stalled" || (basis !== "age" && vote === "stands"))) return toText("stands");
  const said = toText(state === "ok" ? "ok" : strong(state));
  return basis === "age" || vote === "silent" ? said : text`${said}, ${vote}`;
}

/** `, block 120, 2 blocks behind`: where a node is, and how far behind the others, as far as that is known. */
export function placeWords(node: NodeVerdict, { nodes }: Verdict): Text {
  const { time: at, height, behindBlocks } = node;
  const block = height === undefined ? text`` : text`, block ${height}`;
  if (at === undefined || nodes.length < 2) return block;
  const behind = behindText(node);
  if (behind.length > 0) return text`${block}, ${behind} behind`;
  return text`${block}, ${behindBlocks === undefined ? "and keeps up" : "0 blocks behind"}`;
}

function behindText(node: NodeVerdict): Text {
  if (node.time === undefined) return toText("–");
  const { behindMillis = 0, behindBlocks = 0n } = node;
  if (behindMillis < 1 && behindBlocks <= 0n) return [];
  const blocks = behindBlocks > 0n ? text`${behindBlocks} ${behindBlocks === 1n ? "block" : "blocks"}` : undefined;
  const span = behindMillis >= 1 ? toText(formatDuration(behindMillis)) : undefined;
  return joinText(
    [span, blocks].filter((part) => part !== undefined),
    ", ",
  );
}
