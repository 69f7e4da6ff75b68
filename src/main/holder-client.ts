import { request as httpRequest, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";

import { ZodError } from "zod";

import type { LineRunner } from "../adapters/terminal/line-runner.ts";
import { cancelledReply } from "../bot/error-reply.ts";
import { UserError } from "../errors.ts";
import type { Attachment } from "../reply/attachment.ts";
import { replyFromJson, type AttachmentJson, type ReplyJson } from "../reply/json.ts";
import type { Reply } from "../reply/reply.ts";
import { ALIVE_MILLIS, CompleteReply, RunEvent, type CompleteRequest, type RunRequest } from "./holder-protocol.ts";

/** A holder that says nothing for this long has stopped. */
const SILENCE_MILLIS = 3 * ALIVE_MILLIS;

/** Asks the process that holds the database, over its socket. */
export function holderRunner(address: string): LineRunner {
  const revive = (json: ReplyJson): Reply => replyFromJson(json, (file) => remoteFile(address, file));
  return {
    async run(line, { network, signal, progress }) {
      const body: RunRequest = { line, ...(network === undefined ? {} : { network }) };
      try {
        for await (const event of eventsOf(await send(address, "POST", "/run", body, signal))) {
          if (event.kind === "reply") return revive(event.reply);
          if (event.kind === "progress") progress?.(revive(event.reply));
        }
        throw gone();
      } catch (thrown) {
        if (signal.aborted) return cancelledReply(signal.reason);
        throw faultOf(thrown);
      }
    },
    async complete(line) {
      try {
        const body: CompleteRequest = { line };
        const response = await send(address, "POST", "/complete", body);
        const chunks = (await response.toArray()) as Buffer[];
        return CompleteReply.parse(JSON.parse(Buffer.concat(chunks).toString("utf8"))).lines;
      } catch (thrown) {
        throw faultOf(thrown);
      }
    },
    close: async () => undefined,
  };
}

async function* eventsOf(response: IncomingMessage): AsyncGenerator<RunEvent> {
  let rest = "";
  for await (const chunk of response.setEncoding("utf8") as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield RunEvent.parse(JSON.parse(line));
  }
}

/** Resolves with the beginning of an answer that is none of an error. */
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
    agent: false,
    timeout: SILENCE_MILLIS,
    ...(signal === undefined ? {} : { signal }),
  });
  request.on("timeout", () => request.destroy(gone()));
  request.on("error", reject);
  request.on("response", (response) => {
    if (response.statusCode === 200) {
      resolve(response);
    } else {
      response.resume();
      reject(stranger());
    }
  });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

/** What went wrong on the way, as a sentence. */
function faultOf(thrown: unknown): UserError {
  if (thrown instanceof UserError) return thrown;
  return thrown instanceof SyntaxError || thrown instanceof ZodError ? stranger() : gone();
}

function gone(): UserError {
  return new UserError("The running Bellwether went away before it had answered.", { remedy: "Ask again." });
}

function stranger(): UserError {
  return new UserError("The running Bellwether answered what this one does not understand.", {
    remedy: "They are of different versions: restart the running one.",
  });
}

/** A file that lies with the holder until it is fetched. */
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
        // The holder gives it up by itself, a little later.
      }
    },
  };
}
