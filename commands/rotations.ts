import { answer } from "../src/answers/answer.ts";
import { idCell } from "../src/answers/cells.ts";
import { nodesById, VALIDATOR } from "../src/answers/ids/ids.ts";
import { resolveId } from "../src/answers/ids/resolve-id.ts";
import { noteSeen } from "../src/answers/ids/seen-ids.ts";
import { suggestIds } from "../src/answers/ids/suggest-ids.ts";
import { type ListRequest, listTitle, PAGE_OPTIONS, pageAsk, readPage } from "../src/answers/pages/pages.ts";
import type { KeyRotation } from "../src/api/model/network.ts";
import { command } from "../src/bot/command.ts";
import { paragraph } from "../src/reply/block.ts";
import { id, text, toText } from "../src/reply/text.ts";

export const rotations = command({
  name: "rotations",
  alsoCalled: ["validator", "validators"],
  summary: "Changes of the validators' Ethereum keys",
  verb: "Show rotations",
  examples: ["rotations", "rotations first:50", "rotations node:validator-1"],
  access: "everyone",
  audience: "channel",
  options: {
    node: {
      kind: "text",
      description: "Only this validator: its name or id",
      example: "validator-1",
      suggest: suggestIds(VALIDATOR),
    },
    ...PAGE_OPTIONS,
  },
  run: async (context) => {
    const { options } = context;
    const nodeId = options.node === undefined ? undefined : await resolveId(VALIDATOR, options.node, context, "node");
    const request: ListRequest<KeyRotation> = {
      command: "rotations",
      options,
      more: { node: nodeId },
      get: (from, query, call) => from.getKeyRotations(nodeId === undefined ? query : { ...query, nodeId }, call),
      heightOf: (row) => row.blockHeight,
    };
    const [page, names] = await Promise.all([readPage(context, request), nodesById(context)]);
    const { rows, asOf, notes, actions } = page;
    const nameOf = (node: string | undefined): string | undefined =>
      node === undefined ? undefined : names.get(node)?.name;
    noteSeen(context, "node", [
      ...rows.map((row) => ({ id: row.nodeId, label: nameOf(row.nodeId) })),
      ...(names.has(nodeId ?? "") ? [{ id: nodeId, label: nameOf(nodeId) }] : []),
    ]);
    const range = listTitle("key rotation", page, request);
    const unknown = nodeId !== undefined && rows.length === 0 && !names.has(nodeId);
    return answer(context, asOf, {
      title: nodeId === undefined ? range : text`${nameOf(nodeId) ?? id(nodeId)}: ${range}`,
      tone: unknown ? "warning" : "neutral",
      blocks: [
        ...notes,
        ...(unknown
          ? [
              paragraph(
                "The network answers the same way for a node that does not exist: check the id if this surprises you.",
              ),
            ]
          : []),
        {
          kind: "table",
          name: "key-rotations",
          columns: [
            { title: "Block", align: "right" },
            { title: "Validator" },
            { title: "New address", priority: 2 },
            { title: "Old address", priority: 3 },
            { title: "Id", priority: 3 },
          ],
          rows: rows.map((row) => [
            toText(row.blockHeight ?? "–"),
            nameOf(row.nodeId) === undefined ? idCell(row.nodeId) : toText(nameOf(row.nodeId)),
            idCell(row.newAddress),
            idCell(row.oldAddress),
            idCell(row.nodeId),
          ]),
          empty: text`No key rotations here.`,
        },
      ],
      actions,
      ask: pageAsk(context, request),
    });
  },
});
