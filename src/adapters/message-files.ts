import { type Attachment, UniqueFileNames } from "../reply/attachment.ts";
import type { Reply } from "../reply/reply.ts";

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

/** Names the files of a message: those of its reply, the CSV of each table by the table's place, and what else there is. */
export function nameFiles(reply: Reply): {
  readonly given: readonly MessageFile[];
  readonly csvNames: readonly string[];
  add(wanted: string): string;
} {
  const names = new UniqueFileNames();
  const attachments = [...reply.attachments, ...(reply.picture === undefined ? [] : [reply.picture])];
  return {
    given: attachments.map((attachment) => messageFile(names.add(attachment.name), attachment)),
    csvNames: reply.blocks.map((block) =>
      block.kind === "table" ? names.add(`${block.name === "" ? "table" : block.name}.csv`) : "",
    ),
    add: (wanted) => names.add(wanted),
  };
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
