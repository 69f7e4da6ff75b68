import { type IncomingMessage, request as httpRequest } from "node:http";
import { Readable } from "node:stream";
import { json as readJson } from "node:stream/consumers";

import { ZodError } from "zod";

import type { LineRunner } from "../../adapters/terminal/line-runner.ts";
import { cancelledReply } from "../../bot/error-reply.ts";
import { UserError } from "../../errors.ts";
import { inTime } from "../../units/time.ts";
import type { Attachment, Reply } from "../../reply/reply.ts";
import type { AttachmentJson, ReplyJson } from "../../reply/document.ts";
import { replyFromJson } from "../../reply/json.ts";
import { ALIVE_MILLIS, Completions, SocketEvent, type SocketQuestion } from "./protocol.ts";

/** A holder that is silent for this long has stopped. */
const SILENCE_MILLIS = 3 * ALIVE_MILLIS;

/** Asks the process that holds the database, over its socket. */
export function holderRunner(address: string): LineRunner {
  const toReply = (json: ReplyJson): Reply => replyFromJson(json, (file) => remoteFile(address, file));
  return {
    async run(line, { network, signal, progress, takesFiles = false }) {
      const cwd = process.cwd();
      const body: SocketQuestion = { text: line, takesFiles, cwd, ...(network === undefined ? {} : { network }) };
      try {
        const events = eventsOf(await send(address, "POST", "/invocations", body, signal));
        const next = async (): Promise<Reply | undefined> => {
          for (let event = await events.next(); event.done !== true; event = await events.next()) {
            if ("reply" in event.value) return toReply(event.value.reply);
            if ("progress" in event.value) progress?.(toReply(event.value.progress));
          }
          return undefined;
        };
        const answer = await next();
        if (answer === undefined) throw holderGone();
        // The connection ends once nothing is added any more.
        return { ...answer, later: (left) => inTime(next(), { signal: left }, () => undefined).catch(() => undefined) };
      } catch (thrown) {
        if (signal.aborted) return cancelledReply(signal.reason);
        throw toUserError(thrown);
      }
    },
    async complete(line) {
      try {
        const response = await send(address, "POST", "/completions", { text: line });
        const { lines, labels } = Completions.parse(await readJson(response));
        return lines.map((one, at) => ({ line: one, label: labels[at] ?? "" }));
      } catch (thrown) {
        throw toUserError(thrown);
      }
    },
    close: async () => undefined,
  };
}

async function* eventsOf(response: IncomingMessage): AsyncGenerator<SocketEvent> {
  let rest = "";
  for await (const chunk of response.setEncoding("utf8") as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield SocketEvent.parse(JSON.parse(line));
  }
}

/** Resolves with the head of a successful answer. */
function send(
  address: string,
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = httpRequest({
    socketPath: address,
    method,
    path,
    headers: { Accept: "application/x-ndjson" },
    agent: false,
    timeout: SILENCE_MILLIS,
    ...(signal === undefined ? {} : { signal }),
  });
  request.on("timeout", () => request.destroy(holderGone()));
  request.on("error", reject);
  request.on("response", (response) => {
    if (response.statusCode === 200) {
      resolve(response);
    } else {
      response.resume();
      reject(versionMismatch());
    }
  });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

/** The failure as a sentence. */
function toUserError(thrown: unknown): UserError {
  if (thrown instanceof UserError) return thrown;
  return thrown instanceof SyntaxError || thrown instanceof ZodError ? versionMismatch() : holderGone();
}

function holderGone(): UserError {
  return new UserError("The running Bellwether went away before it had answered.", { remedy: "Ask again." });
}

function versionMismatch(): UserError {
  return new UserError("The running Bellwether answered what this one does not understand.", {
    remedy: "They are of different versions: restart the running one.",
  });
}

/** An attachment that stays with the holder until it is fetched. */
function remoteFile(address: string, { href = "", ...file }: AttachmentJson): Attachment {
  async function* bytes(): AsyncGenerator<Buffer> {
    const response = await send(address, "GET", href);
    yield* response as AsyncIterable<Buffer>;
  }
  return {
    ...file,
    open: () => Readable.from(bytes(), { objectMode: false }),
    async dispose() {
      try {
        (await send(address, "DELETE", href)).resume();
      } catch {
        // The holder drops it by itself a little later.
      }
    },
  };
}
