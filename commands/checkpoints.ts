import { answer } from "../src/answers/answer.ts";
import { type ListRequest, listTitle, PAGE_OPTIONS, pageAsk, readPage } from "../src/answers/pages/pages.ts";
import type { Checkpoint } from "../src/api/model/network.ts";
import { command } from "../src/bot/command.ts";
import { type Block, facts, field } from "../src/reply/block.ts";
import { id, text, toText } from "../src/reply/text.ts";

export const checkpoints = command({
  name: "checkpoints",
  alsoCalled: ["checkpoint"],
  summary: "The network's checkpoints",
  verb: "Show checkpoints",
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
    const page = await readPage(context, request);
    const { rows, asOf, notes, actions } = page;
    const heights = rows.map((row) => row.atBlock);
    const gaps = spacings(heights, context.options.newest);
    const usual = median(gaps.filter((gap) => gap !== undefined && gap > 0n));
    const blocks: Block[] = [...notes];
    if (usual !== undefined) blocks.push(...facts([field("Usual spacing", text`${usual} blocks`)]));
    blocks.push({
      kind: "table",
      name: "checkpoints",
      columns: [
        { title: "Block", align: "right" },
        { title: "Spacing", align: "right" },
        { title: "Hash", priority: 2 },
        { title: "Block hash", priority: 3 },
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
      title: listTitle("checkpoint", page, request),
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
function spacingWords(gap: bigint | undefined): string | bigint {
  if (gap === undefined) return "–";
  return gap === 0n ? "same block" : gap;
}

function median(values: readonly (bigint | undefined)[]): bigint | undefined {
  const sorted = values.filter((value) => value !== undefined).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor(sorted.length / 2)];
}
