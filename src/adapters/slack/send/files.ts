import { request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { pipeline } from "node:stream/promises";

import type { WebClient } from "@slack/web-api";

import { messageOf } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import { formatBytes } from "../../../units/format-number.ts";
import { escapeMrkdwn, linkMarkup } from "../render/mrkdwn.ts";
import type { MessageFile } from "../render/render.ts";
import { describeError, errorCodeOf, isUnanswered } from "../transport/api-error.ts";
import { retryRateLimited, type Sleep, type WebApiAccess } from "../transport/web-api.ts";

/** Where files go. */
export interface FileDestination {
  readonly channel: string;
  readonly thread?: string | undefined;
  /** What the place is to the one who reads about it: "your direct messages with the app". */
  readonly description: string;
}

export interface FileUploadDependencies {
  readonly web: WebClient;
  readonly log: Log;
  readonly sleep: Sleep;
  /** For how long nothing of a file may move until it is given up. */
  readonly stallMillis?: number | undefined;
  botName(): string;
}

/** No file takes longer than this; an hour for a gigabyte is a slow line. */
const UPLOAD_TIMEOUT_MILLIS = 3_600_000;
const STALL_TIMEOUT_MILLIS = 60_000;

/** What is said about files stands beside a whole reply, in what room is kept free there. */
const FILE_LINES_LENGTH = 1000;

/** After as many files in a row that Slack gave no answer to, the rest is not tried at this time. */
const MAX_UNANSWERED_FILES = 2;

/** The files of one message, each sent once, however often it is tried. */
export class FileBatch {
  readonly #files: readonly MessageFile[];
  readonly #sent = new Map<MessageFile, string>();

  constructor(files: readonly MessageFile[]) {
    this.#files = files;
  }

  /**
   * Sends what is not sent yet, one after the other, each streamed from where it lies, and gives a line of mrkdwn for
   * each: where it is, or why it could not be sent; what finds no room is counted. Never rejects, except with the
   * signal's reason.
   */
  async send(
    place: FileDestination | (() => Promise<FileDestination>),
    parts: FileUploadDependencies,
    signal: AbortSignal,
  ): Promise<string> {
    const { stallMillis = STALL_TIMEOUT_MILLIS } = parts;
    const failed: string[] = [];
    let found: FileDestination | undefined;
    let unanswered = 0;
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
        found ??= typeof place === "function" ? await place() : place;
        const permalink = await upload(file, found, { web: parts.web, sleep: parts.sleep, signal, stallMillis });
        const shown = permalink === undefined ? name : linkMarkup(file.name, permalink);
        this.#sent.set(file, `${shown} (${formatBytes(file.attachment.sizeBytes)}) is in ${found.description}.`);
        unanswered = 0;
      } catch (error) {
        signal.throwIfAborted();
        unanswered = isUnanswered(error) ? unanswered + 1 : 0;
        parts.log.warn({ platform: "slack", file: file.name, why: describeError(error) }, "a file could not be sent");
        failed.push(`${name} could not be sent: ${failureReason(error, found, parts.botName())}`);
      }
    }
    return summarizeFiles(failed, [...this.#sent.values()]);
  }
}

/** As many lines as find room, what went wrong first, and how many more there are. */
function summarizeFiles(failed: readonly string[], sent: readonly string[]): string {
  const lines: string[] = [];
  let [room, unsaidFailed, unsaidSent] = [FILE_LINES_LENGTH, failed.length, sent.length];
  for (const [index, line] of [...failed, ...sent].entries()) {
    if (line.length + 1 > room) continue;
    room -= line.length + 1;
    lines.push(line);
    if (index < failed.length) unsaidFailed -= 1;
    else unsaidSent -= 1;
  }
  if (unsaidFailed > 0) lines.push(`Files that could not be sent either: ${unsaidFailed}.`);
  if (unsaidSent > 0) lines.push(`Files sent there beside those: ${unsaidSent}.`);
  return lines.join("\n");
}

/**
 * The upload flow: https://docs.slack.dev/messaging/working-with-files#upload. The library's own way would hold the whole file
 * in memory. Gives the file's address where Slack says it.
 */
async function upload(
  file: MessageFile,
  place: FileDestination,
  talk: WebApiAccess & { stallMillis: number },
): Promise<string | undefined> {
  const { attachment, name, alt } = file;
  const { web, signal, stallMillis } = talk;
  const begun = await retryRateLimited(talk, () =>
    web.files.getUploadURLExternal({
      filename: name,
      length: attachment.sizeBytes,
      ...(alt === undefined ? {} : { alt_txt: alt.slice(0, 1000).toWellFormed() }),
    }),
  );
  const { upload_url: url, file_id: id } = begun;
  if (url === undefined || id === undefined) throw new Error("Slack gave no address to upload to");
  const limits = { signal: AbortSignal.any([signal, AbortSignal.timeout(UPLOAD_TIMEOUT_MILLIS)]), stallMillis };
  await streamFile(new URL(url), attachment, limits);
  const thread = place.thread === undefined ? {} : { thread_ts: place.thread };
  const done = await retryRateLimited(talk, () =>
    web.files.completeUploadExternal({ files: [{ id, title: name }], channel_id: place.channel, ...thread }),
  );
  const permalink = done.files?.[0]?.permalink;
  return permalink !== undefined && /^https?:\/\//u.test(permalink) && URL.canParse(permalink) ? permalink : undefined;
}

/** Streams a file to an address, with its length said beforehand. */
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
  if (status !== 200) throw new Error(`the upload was answered with ${status}`);
}

function failureReason(error: unknown, place: FileDestination | undefined, botName: string): string {
  const code = errorCodeOf(error);
  switch (code) {
    case "not_in_channel":
    case "channel_not_found":
      return `the app is not in ${place?.description ?? "this channel"}. Type \`/invite @${botName}\` there, then ask again.`;
    case "missing_scope":
      return "the app may not send files. Its operator adds the permission `files:write` and installs it again.";
    case "file_uploads_disabled":
    case "storage_limit_reached":
      return `this workspace takes no more files (${code}).`;
    case undefined:
      return `${escapeMrkdwn(messageOf(error))}. Try again.`;
    default:
      return `Slack says ${escapeMrkdwn(code)}. Try again; the operator finds more in the log.`;
  }
}
