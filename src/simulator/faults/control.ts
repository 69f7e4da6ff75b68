import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";

import { messageOf, UserError } from "../../errors.ts";
import { isLoopback, withoutBrackets } from "../../units/loopback.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { NetworkName } from "../network.ts";
import { faultyField } from "../node/node-profile.ts";
import type { ControlScope } from "../request-target.ts";
import type { Simulator } from "../simulator.ts";
import { FAULT_KINDS, type FaultKind, type FaultRequest, parseFaultRequest } from "./faults.ts";

const MAX_BODY_BYTES = 65_536;
const EXAMPLE = `Send a JSON object, such as {"kind":"stall"}.`;

/**
 * The control route: how tests and people control the simulated networks from outside.
 *
 * `GET /control` says what there is. `POST /control/faults` sets a fault, `GET` lists those that are on (`?past=true`:
 * all), `DELETE /control/faults[/id]` ends them, of one `?kind=` where named. `POST /control/node` changes how nodes
 * speak (the fields of NodeProfile). Below `/mainnet` or `/mainnet/1` each of these concerns that network or node
 * alone, unless the body says `"node": "all"`.
 *
 * Only for processes of this machine, and never for a page in a browser: a request from elsewhere, with an Origin, or
 * under a name that somebody may have bound to this address is refused.
 */
export async function serveControl(
  simulator: Simulator,
  scope: ControlScope,
  path: string,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin, host = "" } = request.headers;
  if (origin !== undefined || !isAddress(host) || !isLoopback(request.socket.remoteAddress ?? "")) {
    reply(response, 403, { error: "The control route is only for processes on this machine." });
    return;
  }
  try {
    const done = await dispatch(simulator, scope, `${request.method} ${path}`, query, request);
    if (done === undefined) reply(response, 404, { error: `There is no ${request.method} ${path}; try GET /control.` });
    else reply(response, 200, done);
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    reply(response, 400, { error: [thrown.message, thrown.remedy].filter(Boolean).join(" ") });
  }
}

async function dispatch(
  simulator: Simulator,
  scope: ControlScope,
  asked: string,
  query: URLSearchParams,
  request: IncomingMessage,
): Promise<unknown> {
  switch (asked) {
    case "GET /control":
      return overview(simulator);
    case "GET /control/faults":
      return { faults: simulator.faults.list({ past: query.get("past") === "true" }) };
    case "POST /control/faults":
      return { fault: simulator.faults.set(scoped(await readJson(request), scope)) };
    case "DELETE /control/faults":
      return { ended: simulator.faults.clear({ ...scope, ...kindOf(query) }) };
    case "POST /control/node":
      return { changed: configure(simulator, scope, await readJson(request)) };
    default: {
      const id = /^DELETE \/control\/faults\/(\d{1,15})$/u.exec(asked)?.[1];
      return id === undefined ? undefined : { ended: simulator.faults.clear({ id: Number(id) }) };
    }
  }
}

function overview(simulator: Simulator): unknown {
  return {
    seed: simulator.seed,
    networks: simulator.networks,
    coreUrls: simulator.coreUrls,
    samples: simulator.samples,
    fresh: { mainnet: simulator.freshSamples("mainnet"), testnet: simulator.freshSamples("testnet") },
    faultKinds: FAULT_KINDS,
    faults: simulator.faults.list(),
  };
}

/** A network or node in the body takes precedence over that of the path. */
function scoped(body: Record<string, unknown>, scope: ControlScope): FaultRequest {
  const { node = scope.node, network = scope.network, ...rest } = body;
  return parseFaultRequest(withoutUndefined({ ...rest, network, node: node === "all" ? undefined : node }));
}

function kindOf(query: URLSearchParams): { kind?: FaultKind } {
  const kind = query.get("kind");
  if (kind === null) return {};
  const known = FAULT_KINDS.find((one) => one === kind);
  if (known === undefined) {
    throw new UserError(`There is no kind of fault called "${kind}".`, {
      remedy: `There are ${FAULT_KINDS.join(", ")}.`,
    });
  }
  return { kind: known };
}

function configure(simulator: Simulator, scope: ControlScope, changes: Record<string, unknown>): string[] {
  const wrong = faultyField(changes);
  if (wrong !== undefined) {
    throw new UserError(`A node has no setting "${wrong}" with this value.`, {
      remedy:
        "Settings are dialect, version, commitHash, columns, framing, strayRows, extraColumn, ledgerBytes, names, stake, doubledContentType.",
    });
  }
  const changed: string[] = [];
  for (const [network, nodes] of Object.entries(simulator.networks) as [NetworkName, { name: string }[]][]) {
    if (scope.network !== undefined && scope.network !== network) continue;
    for (const [index, { name }] of nodes.entries()) {
      if (scope.node !== undefined && scope.node !== index + 1) continue;
      simulator.configure(network, index + 1, changes);
      changed.push(`${network} ${name}`);
    }
  }
  return changed;
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (!/^application\/json\b/iu.test(request.headers["content-type"] ?? "")) {
    throw new UserError("The body must be JSON.", { remedy: "Send it with Content-Type: application/json." });
  }
  let text = "";
  for await (const part of request.setEncoding("utf8") as AsyncIterable<string>) {
    text += part;
    if (text.length > MAX_BODY_BYTES)
      throw new UserError("The body is too long.", { remedy: "Send one fault at a time." });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw new UserError(`The body is no JSON: ${messageOf(thrown)}.`, { remedy: EXAMPLE });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UserError("The body is no JSON object.", { remedy: EXAMPLE });
  }
  return value as Record<string, unknown>;
}

/** `127.0.0.1:3008`, `[::1]:3008`, `localhost`: another name may be bound to this address by its owner. */
function isAddress(host: string): boolean {
  const name = host.replace(/:\d+$/u, "");
  return name === "localhost" || isIP(withoutBrackets(name)) !== 0;
}

function reply(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? inner.toString() : inner));
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  response.end(`${text}\n`);
}
