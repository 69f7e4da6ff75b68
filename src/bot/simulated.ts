import { type Attachment, type Reply, safeFileName } from "../reply/reply.ts";
import type { Block } from "../reply/block.ts";
import { strong, text } from "../reply/text.ts";

const LABEL = "SIMULATED";

/** The same reply, marked as simulated in its title and in every file's name; one that is marked stays as it is. */
export function markSimulated(reply: Reply): Reply {
  const [first] = reply.title;
  if (first?.kind === "strong" && first.text === LABEL) return reply;
  return {
    ...reply,
    title: text`${strong(LABEL)} · ${reply.title}`,
    blocks: reply.blocks.map(markBlock),
    attachments: reply.attachments.map(markAttachment),
    ...(reply.picture === undefined ? {} : { picture: markAttachment(reply.picture) }),
  };
}

/** A table's name becomes a file's name where a platform attaches it; a picture says it in itself. */
function markBlock(block: Block): Block {
  if (block.kind === "chart")
    return { ...block, scene: { ...block.scene, simulated: true }, alt: `${LABEL}: ${block.alt}` };
  return block.kind === "table" ? { ...block, name: `${LABEL}-${block.name}` } : block;
}

function markAttachment(file: Attachment): Attachment {
  const { mediaType, sizeBytes, sha256, alt } = file;
  return {
    // An export's file says so by itself already.
    name: file.name.startsWith(`${LABEL}-`) ? file.name : safeFileName(`${LABEL}-${file.name}`),
    mediaType,
    sizeBytes,
    sha256,
    ...(alt === undefined ? {} : { alt: `${LABEL}: ${alt}` }),
    open: () => file.open(),
    dispose: () => file.dispose(),
  };
}
