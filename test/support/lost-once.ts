import { field, fields, paragraph, table } from "../../src/reply/block.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { id, number, toText } from "../../src/reply/text.ts";

const nothing: Reply = { tone: "neutral", title: [], blocks: [], attachments: [], actions: [] };

const below = { ...paragraph("more"), detail: true } as const;
const long = id("0123456789abcdef0123456789abcdef");

/** Replies of which a message once lost something: what it lost, and the reply. */
export const lostOnce: readonly (readonly [what: string, reply: Reply])[] = [
  [
    "the words of a table without rows",
    {
      ...nothing,
      blocks: [{ kind: "table", columns: [{ title: "id" }], rows: [], name: "rows", empty: [long] }, below],
    },
  ],
  ["an id that is the title of a list", { ...nothing, blocks: [{ kind: "list", title: [long], items: [] }] }],
  ["an id that names a field", { ...nothing, blocks: [fields([field(long, "1")])] }],
  [
    "the rows below a fold that the table does not say itself",
    {
      ...nothing,
      blocks: [table({ name: "rows", rows: [...Array(20).keys()], columns: [["row", (at) => `row ${at} of many`]] })],
    },
  ],
  [
    "the other page of the details",
    {
      ...nothing,
      blocks: [
        { kind: "paragraph", text: [number("javascript:alert(1)", "")], detail: true, page: "Bounds" },
        { kind: "list", items: [toText("one")], detail: true, page: "Prices" },
      ],
    },
  ],
];
