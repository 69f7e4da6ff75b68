import { type Attachment, memoryAttachment, reply } from "../../../src/reply/reply.ts";
import { field, paragraph } from "../../../src/reply/block.ts";
import { tableAttachment } from "../../../src/reply/csv.ts";
import { code, id, strong, text, time } from "../../../src/reply/text.ts";
import { ago, asOf, hex, type GalleryEntry } from "./parts.ts";

const ledgerCsv =
  "vega_time,quantity,effect,transfer_type\n" +
  Array.from({ length: 40 }, (_, n) => `2026-02-0${(n % 9) + 1} 00:00:00+00,${n}000000000000000000,${n},WIN`).join(
    "\n",
  );

/** Described as large; what it gives is short, which no renderer may notice. */
const large: Attachment = {
  ...memoryAttachment("SIMULATED-ledger-2026-02.part-1.csv.gz", "application/gzip", "not really"),
  sizeBytes: 1_288_490_188,
};

const ledgerExport = reply({
  tone: "good",
  title: text`Ledger export: ${strong("2,048,113")} rows`,
  blocks: [
    paragraph(text`From ${time(ago(86_400 * 30))} up to but without ${time(ago(86_400 * 2))}.`),
    {
      kind: "fields",
      fields: [
        field("Party", id(hex("party maker")), { wide: true }),
        field("Asset", id(hex("asset tEURO")), { wide: true }),
        field("First entry", time(ago(86_400 * 30 - 12.345))),
        field("Last entry", time(ago(86_400 * 2 + 1))),
        field("Dropped", "17 rows outside the range"),
      ],
    },
    {
      kind: "list",
      title: text`Before you rely on it`,
      items: [
        text`A node keeps ledger entries for about ${strong("6 months")}; an earlier start comes back short.`,
        text`Check the file: ${code("sha256sum SIMULATED-ledger-2026-02.csv")}`,
      ],
    },
  ],
  footer: asOf("api1.example.net", 31_204_551n),
  attachments: [memoryAttachment("SIMULATED-ledger-2026-02.csv", "text/csv", ledgerCsv), large],
});

const progress = reply({
  title: text`Ledger export under way`,
  blocks: [paragraph(text`${strong("412,000")} rows, 96.3 MB so far, started ${time(ago(48), "relative")}.`)],
  actions: [
    {
      label: "Cancel",
      invocation: { command: "job cancel", options: { id: "j-7f3a" } },
      effect: "replace",
      confirm: "Cancel this export? What was loaded so far is thrown away.",
    },
  ],
});

const columns = [{ title: "Block", align: "right" as const }, { title: "Hash" }];
const rows = Array.from({ length: 12 }, (_, n) => [text`${31_204_400 + n * 428}`, text`${id(hex(`digest ${n}`))}`]);

const digest = reply({
  title: text`12 checkpoints, blocks 31,204,400 to 31,209,108`,
  blocks: [
    paragraph(text`Posted late: the bot was away from ${time(ago(4000))} to ${time(ago(2100))}; nothing is lost.`),
  ],
  footer: asOf("api1.example.net", 31_209_108n),
  attachments: [tableAttachment({ kind: "table", name: "checkpoints", columns, rows })],
});

export const fileReplies: readonly GalleryEntry[] = [
  { name: "ledger-export", shows: "an export in two files, one of them large", reply: ledgerExport },
  { name: "export-progress", shows: "how far a long job is, with a button that asks first", reply: progress },
  { name: "digest", shows: "many events in one message, all of them in a CSV", reply: digest },
];
