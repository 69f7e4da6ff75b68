import { answer } from "../src/answers/answer.ts";
import {
  blockRangeTitle,
  blocksAgo,
  type ListRequest,
  PAGE_OPTIONS,
  pageAsk,
  readPage,
} from "../src/answers/pages/pages.ts";
import type { Checkpoint } from "../src/api/model/network.ts";
import { command } from "../src/bot/command.ts";
import { type Block, field } from "../src/reply/block.ts";
import { id, text, toText } from "../src/reply/text.ts";

export const checkpoints = command({
  name: "checkpoints",
  alsoCalled: ["checkpoint"],
  summary: "The network's checkpoints, newest first, with the blocks between them",
  examples: ["checkpoints", "checkpoints first:50", "checkpoints newest:no"],
  access: "everyone",
  audience: "channel",
  options: PAGE_OPTIONS,
  run: async (context) => {
    const request: ListRequest<Checkpoint> = {
      command: "checkpoints",
      options: context.options,
      get: (from, query, call) => from.getCheckpoints(query, call),
      heightOf: (row) => row.atBlock,
    };
    const { rows, asOf, notes, actions, isNewest } = await readPage(context, request);
    const heights = rows.map((row) => row.atBlock);
    const gaps = spacings(heights, context.options.newest);
    const usual = median(gaps.filter((gap) => gap !== undefined && gap > 0n));
    const newest = heights.reduce(later, undefined);
    const facts = [
      ...(isNewest && newest !== undefined ? [field("Newest", blocksAgo(newest, asOf.blockHeight))] : []),
      ...(usual === undefined ? [] : [field("Usual spacing", `${usual} blocks`)]),
    ];
    const blocks: Block[] = [...notes];
    if (facts.length > 0) blocks.push({ kind: "fields", fields: facts });
    blocks.push({
      kind: "table",
      name: "checkpoints",
      columns: [
        { title: "Block", align: "right" },
        { title: "Spacing", align: "right" },
        { title: "Hash" },
        { title: "Block hash", priority: 2 },
      ],
      rows: rows.map((row, index) => [
        toText(row.atBlock ?? "–"),
        toText(spacingWords(gaps[index])),
        toText(row.hash === undefined ? "–" : id(row.hash)),
        toText(row.blockHash === undefined ? "–" : id(row.blockHash)),
      ]),
      empty: text`No checkpoints here.`,
    });
    return answer(context, asOf, {
      title: blockRangeTitle("checkpoint", heights),
      blocks,
      actions,
      ask: pageAsk(context, request),
    });
  },
});

/** The blocks from each row to the one before it in time; unknown for the oldest on the page. */
function spacings(heights: readonly (bigint | undefined)[], newestFirst: boolean): (bigint | undefined)[] {
  return heights.map((height, index) => {
    const before = heights[newestFirst ? index + 1 : index - 1];
    return height === undefined || before === undefined ? undefined : height - before;
  });
}

/** Every withdrawal makes a checkpoint of its own, so that two can share a block. */
function spacingWords(gap: bigint | undefined): string {
  if (gap === undefined) return "–";
  return gap === 0n ? "same block" : gap.toString();
}

function later(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}

function median(values: readonly (bigint | undefined)[]): bigint | undefined {
  const sorted = values.filter((value) => value !== undefined).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor(sorted.length / 2)];
}
