import type { Attachment, Reply } from "./reply.ts";
import type { AttachmentJson, ReplyJson } from "./document.ts";
import { shortText } from "./fold.ts";
import { plainText } from "./plain-text.ts";

/** Converts a reply to JSON. `href` locates an attachment's bytes; undefined = only described. */
export function replyToJson(reply: Reply, href?: (attachment: Attachment) => string | undefined): ReplyJson {
  const describe = (file: Attachment): AttachmentJson => {
    const where = href?.(file);
    return {
      name: file.name,
      mediaType: file.mediaType,
      sizeBytes: file.sizeBytes,
      sha256: file.sha256,
      ...(file.alt === undefined ? {} : { alt: file.alt }),
      ...(where === undefined ? {} : { href: where }),
    };
  };
  const { picture, attachments, later: _later, wrong: _wrong, ...document } = reply;
  return {
    ...document,
    headline: plainText(shortText(reply.title)),
    ...(picture === undefined ? {} : { picture: describe(picture) }),
    attachments: attachments.map(describe),
  };
}

/** Converts JSON back to a reply; `attachment` opens the bytes of a described file. */
export function replyFromJson(json: ReplyJson, attachment: (file: AttachmentJson) => Attachment): Reply {
  const { picture, attachments, headline: _headline, ...document } = json;
  return {
    ...document,
    ...(picture === undefined ? {} : { picture: attachment(picture) }),
    attachments: attachments.map(attachment),
  };
}
