import { request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { pipeline } from "node:stream/promises";

import { LRUCache } from "lru-cache";

import { type AddPicture, SendError } from "../../../alerts/sender.ts";
import { messageOf } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import { type MessageFile, messageFile } from "../../../reply/reply.ts";
import { formatBytes } from "../../../units/format-number.ts";
import { escapeMrkdwn, linkMarkup } from "../render/mrkdwn.ts";
import { describeError, errorCodeOf, isUnanswered, neededScope } from "../transport/api-error.ts";
import { toSendError } from "./send-error.ts";
import { type CallPolicy, retryRateLimited, type WebApiAccess, withoutRetry } from "../transport/web-api.ts";
import type { SlackTiming } from "../context.ts";

export interface FileDestination {
  readonly channel: string;
  readonly thread?: string | undefined;
  /** The destination in words: "your direct messages with the app". */
  readonly description: string;
}

export interface FileUploadDependencies extends Omit<WebApiAccess, "signal">, Pick<SlackTiming, "stallMillis"> {
  readonly log: Log;
  botName(): string;
}

/** Timeout of one upload: an hour for a gigabyte is a slow line. */
const UPLOAD_TIMEOUT_MILLIS = 3_600_000;

/** Reserved by the renderer for the lines about files. */
const FILE_LINES_LENGTH = 1000;

/** After this many files in a row without an answer, the others are skipped this time. */
const MAX_UNANSWERED_FILES = 2;

/** A line of mrkdwn for each file, and how many certainly did not arrive. */
export interface FileReport {
  readonly lines: string;
  readonly failed: number;
  /** Why one did not that a later attempt may bring. */
  readonly later?: SendError;
}

/** The files of one message; each is sent once, however often `send` is called. */
export class FileBatch {
  readonly #files: readonly MessageFile[];
  readonly #sent = new Map<MessageFile, string>();

  constructor(files: readonly MessageFile[]) {
    this.#files = files;
  }

  /**
   * Streams the unsent files one after another, and reports each: its link, that it may be there, or why it could not be
   * sent; lines beyond the limit are counted. Rejects only with the signal's reason.
   */
  async send(
    place: () => Promise<FileDestination>,
    dependencies: FileUploadDependencies,
    signal: AbortSignal,
  ): Promise<FileReport> {
    const failed: string[] = [];
    let destination: FileDestination | undefined;
    let unanswered = 0;
    let later: SendError | undefined;
    for (const file of this.#files) {
      if (this.#sent.has(file)) continue;
      const name = escapeMrkdwn(file.name);
      try {
        if (file.attachment.sizeBytes === 0) {
          failed.push(`${name} is empty; Slack takes no empty files, so there is nothing to send.`);
          continue;
        }
        if (unanswered >= MAX_UNANSWERED_FILES) {
          failed.push(`${name} was not sent: Slack did not answer. Try again.`);
          continue;
        }
        destination ??= await place();
        const permalink = await upload(file, destination, { ...dependencies, signal });
        const shown = permalink === undefined ? name : linkMarkup(file.name, permalink);
        this.#sent.set(file, `${shown} (${formatBytes(file.attachment.sizeBytes)}) is in ${destination.description}.`);
        unanswered = 0;
      } catch (error) {
        signal.throwIfAborted();
        unanswered = isUnanswered(error) ? unanswered + 1 : 0;
        dependencies.log.warn({ platform: "slack", file: file.name, why: describeError(error) }, "file not sent");
        if (error instanceof ShareUnanswered && destination !== undefined) {
          // Not sent again: it may stand there already.
          const may = `${name} may be in ${destination.description}: Slack did not say whether it took the file. Look there before you ask again.`;
          this.#sent.set(file, may);
          continue;
        }
        const failure = toSendError(error, false);
        if (failure.kind === "retry" || failure.kind === "refused") later ??= failure;
        failed.push(`${name} could not be sent: ${failureReason(error, destination, dependencies.botName())}`);
      }
    }
    const lines = summarizeFiles(failed, [...this.#sent.values()]);
    return { lines, failed: failed.length, ...(later === undefined ? {} : { later }) };
  }

  /** Whether a file is there, or may be. */
  isSent(file: MessageFile): boolean {
    return this.#sent.has(file);
  }
}

/** The files of alerts in their threads: each comes once, as far as this process remembers. */
export function threadFiles(
  dependencies: FileUploadDependencies,
  bound: LRUCache.OptionsSizeLimit<string, readonly string[], unknown>,
) {
  /** By message, the checksums of the files in its thread. */
  const sent = new LRUCache(bound);
  return {
    /**
     * Adds the picture of an alert to the thread of a message: Slack cannot replace a file, so that it comes once. It waits
     * for no limit of Slack's, and is then left out.
     */
    async addPicture(
      picture: AddPicture | undefined,
      {
        channel,
        message,
        thread = message,
      }: Readonly<Record<"channel" | "message", string>> & Pick<FileDestination, "thread">,
      onPosted: (() => void) | undefined,
    ): Promise<void> {
      if (picture === undefined) return;
      onPosted?.();
      await picture(async (drawn, signal) => {
        const place = { channel, thread, description: "this thread" };
        await upload(messageFile(drawn.name, drawn), place, { ...dependencies, signal, call: withoutRetry });
        return undefined;
      });
    },
    /** Those that are not in the thread of a message yet. */
    missing(message: string, files: readonly MessageFile[]): readonly MessageFile[] {
      const there = sent.get(message) ?? [];
      return files.filter(({ attachment }) => !there.includes(attachment.sha256));
    },
    /**
     * Sends files of a message; returns a line of mrkdwn for each that Slack refuses. Rejects with SendError: those left
     * are to come later.
     */
    async send(
      message: string,
      place: Omit<FileDestination, "description">,
      files: readonly MessageFile[],
      signal: AbortSignal,
    ): Promise<readonly string[]> {
      const batch = new FileBatch(files);
      try {
        const thread = async () => ({ ...place, description: "this thread" });
        const { lines, later } = await batch.send(thread, dependencies, signal);
        if (later !== undefined) throw later;
        return lines.split("\n").filter((line) => line !== "" && !line.endsWith("is in this thread."));
      } catch (error) {
        throw toSendError(error, false);
      } finally {
        const arrived = files.filter((file) => batch.isSent(file)).map(({ attachment }) => attachment.sha256);
        sent.set(message, [...(sent.get(message) ?? []), ...arrived]);
      }
    },
  };
}

/** Slack did not say whether it shared an uploaded file. */
class ShareUnanswered extends Error {
  override readonly name = "ShareUnanswered";
}

/** As many lines as fit, failures first, and the number of the others. */
function summarizeFiles(failed: readonly string[], sent: readonly string[]): string {
  const lines: string[] = [];
  let [room, omittedFailed, omittedSent] = [FILE_LINES_LENGTH, failed.length, sent.length];
  for (const [index, line] of [...failed, ...sent].entries()) {
    if (line.length + 1 > room) continue;
    room -= line.length + 1;
    lines.push(line);
    if (index < failed.length) omittedFailed -= 1;
    else omittedSent -= 1;
  }
  if (omittedFailed > 0) lines.push(`Files that could not be sent either: ${omittedFailed}.`);
  if (omittedSent > 0) lines.push(`Files sent there beside those: ${omittedSent}.`);
  return lines.join("\n");
}

/** An upload that Slack shares nowhere is repeated once. */
const MAX_UPLOADS = 2;
/** How long Slack is given to share a file that it took, in pauses of milliseconds: scans go before. */
const SHARE_PAUSES = [1000, 2000, 4000, 8000] as const;

/**
 * Uploads a file and sees that it arrived: Slack may answer that all is well and share nothing. Then the file is deleted,
 * so that it cannot appear after all, and uploaded once more. Returns the file's address where Slack names it.
 */
async function upload(file: MessageFile, place: FileDestination, api: UploadAccess): Promise<string | undefined> {
  for (let attempt = 0; attempt < MAX_UPLOADS; attempt += 1) {
    const { id, permalink } = await uploadOnce(file, place, api);
    if (await isShared(id, place, api)) return permalink;
    api.log.warn({ platform: "slack", file: file.name, why: "Slack took it and shared it nowhere" }, "file not sent");
    await calls(api)(() => api.web.files.delete({ file: id }));
  }
  throw new SendError("permanent", "Slack took the file and shows it nowhere");
}

/** Whether a file stands in its channel. Where the app may not ask, Slack's word is taken for it. */
async function isShared(id: string, { channel }: FileDestination, api: UploadAccess): Promise<boolean> {
  for (const pause of [0, ...SHARE_PAUSES]) {
    if (pause > 0) await api.sleep(pause, api.signal);
    try {
      const { file } = await calls(api)(() => api.web.files.info({ file: id }));
      if (Object.values(file?.shares ?? {}).some((places) => channel in places)) return true;
    } catch (error) {
      api.signal.throwIfAborted();
      if (errorCodeOf(error) !== "file_not_found") {
        api.log.warn({ platform: "slack", why: describeError(error) }, "file not checked");
        return true;
      }
    }
  }
  return false;
}

/** Slack's calls; left out, they are repeated once a limit is over. */
type UploadAccess = FileUploadDependencies & WebApiAccess & { readonly call?: CallPolicy };

function calls(api: UploadAccess): CallPolicy {
  return api.call ?? retryRateLimited(api);
}

/**
 * Slack's upload flow: https://docs.slack.dev/messaging/working-with-files#upload. The library's own upload would hold the
 * whole file in memory.
 */
async function uploadOnce(
  file: MessageFile,
  place: FileDestination,
  api: UploadAccess,
): Promise<{ readonly id: string; readonly permalink: string | undefined }> {
  const { attachment, name, alt } = file;
  const { web, signal, stallMillis } = api;
  const begun = await calls(api)(() =>
    web.files.getUploadURLExternal({
      filename: name,
      length: attachment.sizeBytes,
      ...(alt === undefined ? {} : { alt_txt: alt.slice(0, 1000).toWellFormed() }),
    }),
  );
  const { upload_url: url, file_id: id } = begun;
  if (url === undefined || id === undefined) throw new SendError("permanent", "Slack gave no address to upload to");
  const limits = { signal: AbortSignal.any([signal, AbortSignal.timeout(UPLOAD_TIMEOUT_MILLIS)]), stallMillis };
  await streamFile(new URL(url), attachment, limits);
  const thread = place.thread === undefined ? {} : { thread_ts: place.thread };
  const done = await calls(api)(() =>
    web.files.completeUploadExternal({ files: [{ id, title: name }], channel_id: place.channel, ...thread }),
  ).catch((error: unknown) => {
    signal.throwIfAborted();
    throw toSendError(error, true).kind === "maybe-sent"
      ? new ShareUnanswered(describeError(error), { cause: error })
      : error;
  });
  const permalink = done.files?.[0]?.permalink;
  const isAddress = permalink !== undefined && /^https?:\/\//u.test(permalink) && URL.canParse(permalink);
  return { id, permalink: isAddress ? permalink : undefined };
}

/** Streams a file to an address, with its length in the header. */
async function streamFile(
  url: URL,
  attachment: MessageFile["attachment"],
  { signal, stallMillis }: { signal: AbortSignal; stallMillis: number },
): Promise<void> {
  const options: RequestOptions = {
    method: "POST",
    headers: { "content-type": "application/octet-stream", "content-length": attachment.sizeBytes },
    signal,
    timeout: stallMillis,
  };
  const request = url.protocol === "https:" ? httpsRequest(url, options) : httpRequest(url, options);
  const { promise: answered, resolve, reject } = Promise.withResolvers<number>();
  request.on("response", (response) => {
    response.resume();
    response.on("end", () => resolve(response.statusCode ?? 0));
    response.on("error", reject);
  });
  request.on("error", reject);
  request.on("timeout", () => {
    request.destroy(Object.assign(new Error("the upload stood still"), { code: "ETIMEDOUT" }));
  });
  const [status] = await Promise.all([answered, pipeline(attachment.open(), request)]);
  if (status === 200) return;
  const isPassing = status === 429 || status >= 500;
  throw new SendError(isPassing ? "retry" : "permanent", `the upload was answered with ${status}`);
}

function failureReason(error: unknown, place: FileDestination | undefined, botName: string): string {
  const code = errorCodeOf(error);
  switch (code) {
    case "not_in_channel":
    case "channel_not_found":
      return `the app is not in ${place?.description ?? "this channel"}. Type \`/invite @${botName}\` there, then ask again.`;
    case "missing_scope":
      return `the app may not send files here. Its operator adds the permission \`${neededScope(error) ?? (place === undefined ? "im:write" : "files:write")}\` and installs it again.`;
    case "file_uploads_disabled":
    case "storage_limit_reached":
      return `this workspace takes no more files (${code}).`;
    case undefined:
      return `${escapeMrkdwn(messageOf(error))}. Try again.`;
    default:
      return `Slack says ${escapeMrkdwn(code)}. Try again; the operator finds more in the log.`;
  }
}
