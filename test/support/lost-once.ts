import { paragraph } from "../../src/reply/block.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { id } from "../../src/reply/text.ts";

const nothing: Reply = { tone: "neutral", title: [], blocks: [], attachments: [], actions: [] };

/** Replies of which a message once lost something: what, and of which. */
export const lostOnce: readonly (readonly [what: string, reply: Reply])[] = [
  [
    "a table without rows, whose words stand in no CSV",
    {
      ...nothing,
      blocks: [
        { kind: "table", columns: [{ title: "id" }], rows: [], name: "rows", empty: [id("-1000000000000001")] },
        { ...paragraph("more"), detail: true },
      ],
    },
  ],
];
