import { idCell } from "../src/answers/answer.ts";
import { nodesById, noteSeen, VALIDATOR } from "../src/answers/ids/ids.ts";
import { resolveId, idOption } from "../src/answers/ids/typed-ids.ts";
import { listAnswer, PAGE_OPTIONS, readPage } from "../src/answers/pages/pages.ts";
import { HISTORIES, type History } from "../src/api/histories.ts";
import type { KeyRotation } from "../src/api/model/model.ts";
import { command } from "../src/bot/command.ts";
import { paragraph } from "../src/reply/block.ts";
import { id, text } from "../src/reply/text.ts";

export const rotations = command({
  name: "rotations",
  alsoCalled: ["validator", "validators"],
  asked: ["key rotation|rotate|change|validator", "ethereum key", "rotation", "validator"],
  summary: "Changes of the validators' Ethereum keys",
  verb: "Show rotations",
  examples: ["rotations", "rotations first:50", "rotations node:validator-1"],
  audience: "channel",
  options: {
    node: idOption(VALIDATOR, { label: "Validator", description: "Only this validator: its name or id" }),
    ...PAGE_OPTIONS,
  },
  run: async (context) => {
    const { node } = context.options;
    const nodeId = node === undefined ? undefined : await resolveId(VALIDATOR, node, context, "node");
    const list = nodeId === undefined ? HISTORIES.rotations : rotationsOf(nodeId);
    const [page, names] = await Promise.all([readPage(context, list), nodesById(context)]);
    const { rows } = page;
    const nameOf = (of = ""): string | undefined => names.get(of)?.name;
    noteSeen(context, "node", [
      ...rows.map((row) => ({ id: row.nodeId, label: nameOf(row.nodeId) })),
      ...(names.has(nodeId ?? "") ? [{ id: nodeId, label: nameOf(nodeId) }] : []),
    ]);
    const unknown = nodeId !== undefined && rows.length === 0 && !names.has(nodeId);
    return listAnswer(context, list, page, {
      ...(nodeId === undefined ? {} : { title: (usual) => text`${nameOf(nodeId) ?? id(nodeId)}: ${usual}` }),
      tone: unknown ? "warning" : "neutral",
      above: unknown
        ? [
            paragraph(
              "The network answers the same way for a node that does not exist: check the id if this surprises you.",
            ),
          ]
        : [],
      columns: [
        ["Block", ({ blockHeight }) => blockHeight ?? "–", "right"],
        ["Validator", ({ nodeId: of }) => nameOf(of) ?? idCell(of)],
        ["New address", ({ newAddress }) => idCell(newAddress), 2],
        ["Old address", ({ oldAddress }) => idCell(oldAddress), 3],
        ["Id", ({ nodeId: of }) => idCell(of), 3],
      ],
    });
  },
});

function rotationsOf(nodeId: string): History<KeyRotation> & { more: { node: string } } {
  return {
    ...HISTORIES.rotations,
    more: { node: nodeId },
    get: (from, query, call) => from.getKeyRotations({ ...query, nodeId }, call),
  };
}
