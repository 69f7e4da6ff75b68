import { idCell, looksChartActions } from "../src/answers/answer.ts";
import { listAnswer, PAGE_OPTIONS, readPage } from "../src/answers/pages/pages.ts";
import { HISTORIES } from "../src/api/histories.ts";
import type { Snapshot } from "../src/api/model/model.ts";
import { command } from "../src/bot/command.ts";
import { facts, field } from "../src/reply/block.ts";
import { code, strong, text, type Text, toText } from "../src/reply/text.ts";

export const snapshots = command({
  name: "snapshots",
  alsoCalled: ["snapshot"],
  asked: ["snapshot", "core|protocol|network upgrade"],
  summary: "Snapshots of the core's state, and its upgrades",
  verb: "Show snapshots",
  examples: ["snapshots", "snapshots first:50", "snapshots newest:no"],
  audience: "channel",
  options: PAGE_OPTIONS,
  run: async (context) => {
    const page = await readPage(context, HISTORIES.snapshots);
    const { rows, isNewest } = page;
    const changes = coreChanges(rows, context.options.newest);
    const count = changes.filter((change) => change !== undefined).length;
    const [top] = rows;
    return listAnswer(context, HISTORIES.snapshots, page, {
      above: facts([
        ...(isNewest && top?.coreVersion !== undefined ? [field("Core version", code(top.coreVersion))] : []),
        ...(count === 0 ? [] : [field("Core upgrades on this page", strong(count))]),
      ]),
      buttons: looksChartActions(context, "snapshots"),
      columns: [
        ["Block", ({ blockHeight }) => blockHeight ?? "–", "right"],
        ["Core version", ({ coreVersion }) => coreVersion ?? "–"],
        ["Change", (row, index) => changeWords(row, changes[index]), 2],
        ["Block hash", ({ blockHash }) => idCell(blockHash), 3],
      ],
    });
  },
});

/** For each row the core version before it, where that was another one: how a protocol upgrade shows. */
function coreChanges(rows: readonly Snapshot[], newestFirst: boolean): (string | undefined)[] {
  return rows.map((row, index) => {
    const before = rows[newestFirst ? index + 1 : index - 1]?.coreVersion;
    return before === undefined || row.coreVersion === undefined || before === row.coreVersion ? undefined : before;
  });
}

function changeWords(row: Snapshot, before: string | undefined): Text {
  const said = row.protocolUpgradeBlock === true ? "protocol upgrade block" : "";
  if (before === undefined) return toText(said);
  const upgrade = text`${strong("core upgraded")} from ${before}`;
  return said === "" ? upgrade : text`${upgrade}, ${said}`;
}
