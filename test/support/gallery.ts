import { alertReplies } from "./gallery/alerts.ts";
import { failureReplies } from "./gallery/failures.ts";
import { fileReplies } from "./gallery/files.ts";
import { listReplies } from "./gallery/lists.ts";
import type { GalleryEntry } from "./gallery/parts.ts";
import { recordReplies } from "./gallery/records.ts";

export { GALLERY_NOW, type GalleryEntry } from "./gallery/parts.ts";

/** Every kind of block, inline, tone, action and file, in replies such as the bot gives. */
export const gallery: readonly GalleryEntry[] = [
  ...recordReplies,
  ...listReplies,
  ...fileReplies,
  ...alertReplies,
  ...failureReplies,
];
