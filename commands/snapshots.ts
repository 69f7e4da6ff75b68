import { answer } from "../src/answers/answer.ts";
import { type ListRequest, listTitle, PAGE_OPTIONS, pageAsk, readPage } from "../src/answers/pages/pages.ts";
import type { Snapshot } from "../src/api/model/network.ts";
import { command } from "../src/bot/command.ts";
import { type Block, facts, field } from "../src/reply/block.ts";
import { code, id, strong, text, type Text, toText } from "../src/reply/text.ts";

export const snapshots = command({
  name: "snapshots",
  alsoCalled: ["snapshot"],
  summary: "Snapshots of the core's state, and its upgrades",
  verb: "Show snapshots",
  examples: ["snapshots", "snapshots first:50", "snapshots newest:no"],
  access: "everyone",
  audience: "channel",
  options: PAGE_OPTIONS,
  run: async (context) => {
    const request: ListRequest<Snapshot> = {
      command: "snapshots",
      options: context.options,
      get: (from, query, call) => from.getSnapshots(query, call),
      heightOf: (row) => row.blockHeight,
    };
    const page = await readPage(context, request);
    const { rows, asOf, notes, actions, isNewest } = page;
    const changes = coreChanges(rows, context.options.newest);
    const count = changes.filter((change) => change !== undefined).length;
    const [top] = rows;
    const blocks: Block[] = [...notes];
    blocks.push(
      ...facts([
        ...(isNewest && top?.coreVersion !== undefined ? [field("Core version", code(top.coreVersion))] : []),
        ...(count === 0 ? [] : [field("Core upgrades on this page", strong(count))]),
      ]),
    );
    blocks.push({
      kind: "table",
      name: "snapshots",
      columns: [
        { title: "Block", align: "right" },
        { title: "Core version" },
        { title: "Change", priority: 2 },
        { title: "Block hash", priority: 3 },
      ],
      rows: rows.map((row, index) => [
        toText(row.blockHeight ?? "–"),
        toText(row.coreVersion ?? "–"),
        changeWords(row, changes[index]),
        toText(row.blockHash === undefined ? "–" : id(row.blockHash)),
      ]),
      empty: text`No snapshots here.`,
    });
    return answer(context, asOf, {
      title: listTitle("snapshot", page, request),
      blocks,
      actions,
      ask: pageAsk(context, request),
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
