import { idCell, looksChartActions } from "../src/answers/answer.ts";
import { listAnswer, PAGE_OPTIONS, readPage } from "../src/answers/pages/pages.ts";
import { HISTORIES } from "../src/api/histories.ts";
import { command } from "../src/bot/command.ts";
import { facts, field } from "../src/reply/block.ts";
import { text } from "../src/reply/text.ts";
import { median } from "../src/units/decimal.ts";

export const checkpoints = command({
  name: "checkpoints",
  alsoCalled: ["checkpoint"],
  asked: ["checkpoint", "checkpoint hash last|latest|newest|current", "restore point"],
  summary: "The network's checkpoints",
  verb: "Show checkpoints",
  examples: ["checkpoints", "checkpoints first:50", "checkpoints newest:no"],
  audience: "channel",
  options: PAGE_OPTIONS,
  run: async (context) => {
    const page = await readPage(context, HISTORIES.checkpoints);
    const { rows } = page;
    const heights = rows.map((row) => row.atBlock);
    const gaps = spacings(heights, context.options.newest);
    const usual = median(gaps.flatMap((gap) => (gap !== undefined && gap > 0n ? [gap] : [])));
    return listAnswer(context, HISTORIES.checkpoints, page, {
      above: usual === undefined ? [] : facts([field("Usual spacing", text`${usual} blocks`)]),
      buttons: looksChartActions(context, "checkpoints"),
      columns: [
        ["Block", ({ atBlock }) => atBlock ?? "–", "right"],
        ["Spacing", (_, index) => spacingWords(gaps[index]), "right"],
        ["Hash", ({ hash }) => idCell(hash), 2],
        ["Block hash", ({ blockHash }) => idCell(blockHash), 3],
      ],
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
