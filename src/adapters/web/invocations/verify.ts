import type { IncomingMessage } from "node:http";

import { Hono } from "hono";

import { UserError } from "../../../errors.ts";
import { disposeReply } from "../../../reply/reply.ts";
import { refuse, limitRunning } from "../access/guard.ts";
import { MAX_VERIFIED_BYTES, MAX_VERIFYING } from "../limits.ts";
import { render } from "../render.ts";
import type { InvocationDependencies } from "./invocations.ts";
import { CONSOLE_CONTEXT } from "./question.ts";

/** The value that stands for the file of the request. */
const GIVEN = "given";
const MEDIA_TYPE = "application/octet-stream";

/** Whether a request uploads a file, which may take any time. */
export function isUpload({ url = "" }: IncomingMessage): boolean {
  return /^\/api\/verify(?:\?|$)/u.test(url);
}

/**
 * Says whether a file that was chosen or dropped on the page is one that an export delivered: runs `ledger verify` with
 * the body as its file, which is read as it arrives and not stored. The media type keeps forms of other sites from
 * posting here. Paths are below /api.
 */
export function verifyRoutes(dependencies: InvocationDependencies): Hono {
  const app = new Hono();
  const limit = limitRunning(MAX_VERIFYING, `${MAX_VERIFYING} files are being verified already: try again soon.`);
  app.post("/verify", limit, async (c) => {
    const bytes = c.req.raw.body;
    if (c.req.header("content-type") !== MEDIA_TYPE || bytes === null) {
      return refuse(c, 415, `Send the file as it is, with Content-Type: ${MEDIA_TYPE}.`);
    }
    const name = (c.req.query("name") ?? "the file").slice(0, 200);
    const answer = await dependencies.bot.run({
      ...CONSOLE_CONTEXT,
      command: "ledger verify",
      options: { file: GIVEN },
      signal: AbortSignal.any([c.req.raw.signal, dependencies.stopping]),
      openFile: () => ({ name, open: async () => bounded(bytes) }),
    });
    if (!c.req.raw.signal.aborted) return c.json(render(answer, dependencies));
    await disposeReply(answer);
    return c.body(null);
  });
  return app;
}

async function* bounded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of bytes) {
    count += chunk.length;
    if (count > MAX_VERIFIED_BYTES) {
      throw new UserError("The file is longer than any export.", {
        option: "file",
        remedy: "Give its SHA-256 instead.",
      });
    }
    yield chunk;
  }
}
