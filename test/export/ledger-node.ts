import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";

import type { ApiClient } from "../../src/api/api-client.ts";
import { createApiClient } from "../../src/api/client/client.ts";
import { silentLog } from "../../src/log.ts";

/** A case of the wire's fixtures; see test/fixtures/wire/README.md. */
export interface LedgerCase {
  readonly name: string;
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly bodyText?: string;
    readonly chunks?: readonly string[];
    readonly ends?: "whole" | "dropped";
  };
  readonly request: { readonly query: Readonly<Record<string, string>> };
  readonly means: {
    readonly fileBase64?: string;
    readonly rows?: number;
    readonly rowsAsked?: number;
    readonly contentType?: string;
    readonly columns?: readonly string[];
    readonly error?: { readonly kind?: string; readonly httpStatus?: number; readonly innerWords?: readonly string[] };
  };
}

export const LEDGER_CASES: readonly LedgerCase[] = (
  JSON.parse(readFileSync(new URL("../fixtures/wire/exportLedger.json", import.meta.url), "utf8")) as {
    cases: LedgerCase[];
  }
).cases;

/** Sends a case's answer, each of its chunks as a chunk of its own. */
export async function replay({ response }: LedgerCase, into: ServerResponse): Promise<void> {
  const { "Transfer-Encoding": _found, ...headers } = response.headers;
  into.writeHead(response.status, headers);
  if (response.chunks === undefined) {
    into.end(response.bodyText ?? JSON.stringify(response.body));
    return;
  }
  into.flushHeaders();
  for (const chunk of response.chunks) {
    into.write(Buffer.from(chunk, "base64"));
    await setImmediate();
  }
  if (response.ends === "whole") into.end();
  else into.destroy();
}

/** A data node on loopback, and a real client for it. */
export interface LedgerNode extends AsyncDisposable {
  readonly api: ApiClient;
  readonly name: string;
}

export async function ledgerNode(answer: RequestListener, simulated = false): Promise<LedgerNode> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const name = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api = createApiClient({
    network: "testnet",
    nodes: [{ url: `http://${name}` }],
    simulated,
    log: silentLog(),
    // Nothing here is about the node's rate limit, nor the pause it gets between two exports.
    limits: { burst: 1000, exportPauseMillis: 0 },
  });
  return {
    api,
    name,
    async [Symbol.asyncDispose]() {
      await api.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
