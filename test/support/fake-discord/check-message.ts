import { type APIEmbed, type APIMessageTopLevelComponent, MessageFlags } from "discord-api-types/v10";

import { refusals, textsIn } from "../../adapters/discord/judge.ts";
import type { ParsedBody } from "./parse-body.ts";
import { ErrorResponse } from "./error-response.ts";
import type { StoredFile } from "./state.ts";

/** The message that a request composes. Parts left out are undefined: an edit leaves those as they are. */
export interface SentMessage {
  readonly content: string | undefined;
  readonly embeds: APIEmbed[] | undefined;
  readonly components: APIMessageTopLevelComponent[] | undefined;
  readonly files: StoredFile[] | undefined;
  readonly flags: number;
  readonly pinged: string[];
}

const KNOWN = new Set([
  "content",
  "embeds",
  "components",
  "allowed_mentions",
  "attachments",
  "flags",
  "nonce",
  "enforce_nonce",
]);

/** What an edited message is: the files it has, and whether it is of components. */
export interface Edited {
  readonly files: readonly StoredFile[];
  /** Undefined while it is thinking: the first edit decides. */
  readonly isV2: boolean | undefined;
}

/**
 * Throws what Discord would answer to a message that breaks a limit, and to one that leaves it to Discord whom its text
 * notifies: this bot never does.
 */
export function checkMessage(
  data: Record<string, unknown>,
  body: ParsedBody,
  maxBytes: number,
  edited?: Edited,
): SentMessage {
  const unknown = Object.keys(data).filter((key) => !KNOWN.has(key));
  if (unknown.length > 0) throw invalid(`unknown fields ${unknown.join(", ")}`);
  const content = data["content"] as string | undefined;
  const embeds = data["embeds"] as APIEmbed[] | undefined;
  const components = data["components"] as APIMessageTopLevelComponent[] | undefined;
  const files = filesOf(data, body, maxBytes, edited?.files ?? []);
  const flags = Number(data["flags"] ?? 0) | (edited?.isV2 === true ? MessageFlags.IsComponentsV2 : 0);
  const isV2 = (flags & MessageFlags.IsComponentsV2) !== 0;
  // Discord allows one direction; this bot neither.
  if (edited?.isV2 === false && isV2) throw invalid("a message with an embed becomes one of components");
  if (edited === undefined || embeds !== undefined || isV2) {
    const names = (files ?? edited?.files ?? []).map(({ name }) => name);
    const found = refusals({ content, embeds, components, flags, files: names }).filter(
      (one) => one !== "nothing to send" || (files ?? []).length === 0,
    );
    if (found.length > 0) throw invalid(found.join("; "));
    const unseen = isV2 ? names.filter((name) => !JSON.stringify(components).includes(`attachment://${name}`)) : [];
    if (unseen.length > 0) throw invalid(`nobody sees ${unseen.join(", ")}`);
  }
  const allowed = data["allowed_mentions"] as AllowedMentions | undefined;
  if (allowed?.parse?.length !== 0) throw invalid("allowed_mentions.parse is not empty");
  if (allowed.replied_user === true) throw invalid("allowed_mentions.replied_user notifies whom it answers");
  const pinged = pings([content ?? "", ...textsIn(components ?? [])].join("\n"), allowed);
  return { content, embeds, components, files, flags, pinged };
}

function invalid(why: string): ErrorResponse {
  return new ErrorResponse(400, 50_035, `Invalid Form Body: ${why}`);
}

function filesOf(
  data: Record<string, unknown>,
  body: ParsedBody,
  maxBytes: number,
  there: readonly StoredFile[],
): StoredFile[] | undefined {
  const listed = data["attachments"] as { id: number | string; filename: string; description?: string }[] | undefined;
  if (listed === undefined && body.files.size === 0) return undefined;
  const kept = (listed ?? []).flatMap(({ id }) => (typeof id === "string" ? [id] : []));
  const unknown = kept.filter((id) => !there.some((file) => file.id === id));
  if (unknown.length > 0) throw invalid(`unknown attachments ${unknown.join(", ")}`);
  const named = (listed ?? []).flatMap(({ id, ...one }) => (typeof id === "string" ? [] : [{ id, ...one }]));
  if (named.length !== body.files.size) throw invalid("attachments and files do not match");
  if (body.files.size > 10) throw invalid("more than 10 files");
  if (body.bytes > 25 * 1024 * 1024) throw new ErrorResponse(413, 40_005, "Request entity too large");
  const fresh = named.map(({ id, filename, description }) => {
    const file = body.files.get(id);
    if (file === undefined || file.name !== filename) throw invalid(`file ${id} is not ${filename}`);
    if (file.bytes.length > maxBytes) throw new ErrorResponse(413, 40_005, "Request entity too large");
    if (!/^[\w.-]+$/u.test(filename)) throw invalid(`file name ${filename}`);
    if ((description ?? "").length > 1024) throw invalid("description above 1024");
    return { ...file, description };
  });
  return [...there.filter(({ id = "" }) => kept.includes(id)), ...fresh];
}

interface AllowedMentions {
  readonly parse?: string[];
  readonly roles?: string[];
  readonly users?: string[];
  readonly replied_user?: boolean;
}

/** Who is notified: mentions in the content, as far as they are allowed. */
function pings(content: string, allowed: AllowedMentions): string[] {
  const found: string[] = [];
  for (const [whole, sign, id = ""] of content.matchAll(/<@([!&]?)(\d+)>|@(?:everyone|here)/gu)) {
    const kind = sign === undefined ? "everyone" : sign === "&" ? "roles" : "users";
    const listed = kind === "everyone" ? [] : (allowed[kind] ?? []);
    if (listed.includes(id)) found.push(whole);
  }
  return found;
}
