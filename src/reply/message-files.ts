import { formatCount } from "../units/format-number.ts";
import { type Attachment, safeFileName } from "./attachment.ts";
import type { Table } from "./block.ts";
import type { Reply } from "./reply.ts";

/** A file of a message, under the name it has there. */
export interface MessageFile {
  readonly name: string;
  /** The description of a picture; undefined where nobody would see any. */
  readonly alt: string | undefined;
  readonly attachment: Attachment;
}

export function messageFile(name: string, attachment: Attachment): MessageFile {
  const alt = attachment.alt?.toWellFormed().trim();
  return { name, alt: alt === "" ? undefined : alt, attachment };
}

/**
 * Names the files of a message: those of its reply, the CSV of each table by the table's place, and what else there is.
 * The names are safe, and different from each other whatever their case: `ledger-2.csv` where `ledger.csv` is taken. A
 * table whose CSV is among the reply's own files has that one.
 */
export function nameFiles(reply: Reply): {
  readonly given: readonly MessageFile[];
  readonly csvNames: readonly string[];
  /** Says by the table's place how much of it its CSV has: `all of it in stake.csv`. */
  readonly held: readonly string[];
  readonly add: (wanted: string) => string;
} {
  const taken = new Set<string>();
  const add = (wanted: string): string => {
    const safe = safeFileName(wanted);
    const dot = safe.lastIndexOf(".");
    const [base, extension] = dot > 0 ? [safe.slice(0, dot), safe.slice(dot)] : [safe, ""];
    let name = safe;
    for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = `${base}-${count}${extension}`;
    taken.add(name.toLowerCase());
    return name;
  };
  const attachments = [...reply.attachments, ...(reply.picture === undefined ? [] : [reply.picture])];
  const given = attachments.map((attachment) => messageFile(add(attachment.name), attachment));
  const csvs = reply.blocks.map((block) => {
    if (block.kind !== "table") return { name: "", held: "" };
    const { rows, total = 0 } = block;
    const own = ownCsv(reply, block);
    const name = given.find(({ attachment }) => attachment === own)?.name ?? add(csvName(block));
    const most = own === undefined && total > rows.length ? `${formatCount(rows.length)} rows` : "all of it";
    return { name, held: `${most} in ${name}` };
  });
  return { given, csvNames: csvs.map(({ name }) => name), held: csvs.map(({ held }) => held), add };
}

/** The file of the reply that is the CSV of this table: it may have more rows, and columns, than people are shown. */
export function ownCsv({ attachments }: Reply, table: Table): Attachment | undefined {
  return attachments.find(({ name }) => name === csvName(table));
}

function csvName({ name }: Table): string {
  return `${name === "" ? "table" : name}.csv`;
}

/** The files as the console's preview of a message lists them. */
export function previewFiles(files: readonly MessageFile[]) {
  return files.map(({ name, alt, attachment: { sizeBytes, mediaType, sha256 } }) => ({
    name,
    ...(alt === undefined ? {} : { alt }),
    sizeBytes,
    mediaType,
    sha256,
  }));
}
