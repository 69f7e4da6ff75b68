import type { ServerResponse } from "node:http";
import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";

import type { LedgerRequest } from "../assets/ledger.ts";
import type { Fault } from "../faults/faults.ts";
import { entityFailure, NodeCrash, readInt64 } from "../gateway/gateway.ts";
import type { NodeView, SimulatedNode } from "./node.ts";

export const LEDGER_PATH = "/api/v2/ledgerentry/export";

const ID = /^[\da-fA-F]{64}$/u;
/** Pieces end inside rows and characters; the first are small, so that short exports are cut too. */
const FIRST_PIECES = [113, 700, 4093] as const;
const PIECE = 65_521;
const CUT_AFTER_BYTES = 20_000;

const BROKEN = entityFailure(
  "internal",
  "could not export ledger entries",
  "canceling statement due to statement timeout",
).body;

/** Streams the ledger as this node would. Throws WireFailure before the first byte. */
export async function serveLedger(
  node: SimulatedNode,
  view: NodeView,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const request = readRequest(node, query);
  const { framing } = node.profile;
  const pieces = piecesUntil(node.network.ledger.lines(request, view.moment), view.fault("cut-export"));
  const bytes = framing === "raw" ? rawBytes(pieces) : messages(pieces, framing === "messages" ? "\n" : "");
  response.writeHead(
    200,
    framing === "raw"
      ? {
          "Content-Type": "text/csv",
          "Content-Disposition": `attachment;filename=${request.party}-${request.asset}.csv`,
        }
      : { "Content-Type": "application/json" },
  );
  try {
    for await (const piece of bytes) {
      await written(response, piece);
      // Yields to the event loop, even to a fast reader.
      await turn();
    }
    response.end();
  } catch {
    // The reader has gone, the simulator stops, or the fault cuts the export: the connection ends in each case.
    response.destroy();
  }
}

/** Settles when the piece is written, so that its buffer can be reused. */
function written(response: ServerResponse, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = (): void => reject(new Error("the reader has gone"));
    if (response.destroyed || response.socket === null) return gone();
    response.once("close", gone);
    response.write(piece, () => {
      response.off("close", gone);
      resolve();
    });
  });
}

function readRequest(node: SimulatedNode, query: URLSearchParams): LedgerRequest {
  const { columns, extraColumn, strayRows, ledgerBytes } = node.profile;
  const start = readInt64(query, "dateRange.startTimestamp");
  const end = readInt64(query, "dateRange.endTimestamp");
  const party = query.get("partyId") ?? "";
  const asset = query.get("assetId") ?? "";
  if (!ID.test(party)) throw entityFailure("invalidArgument", "missing or invalid party ID");
  if (!ID.test(asset)) throw entityFailure("invalidArgument", "missing or invalid asset ID");
  if (end !== undefined && start === undefined && columns === 12) throw new NodeCrash("an end without a start");
  return {
    party: party.toLowerCase(),
    asset: asset.toLowerCase(),
    start,
    end,
    columns,
    extraColumn,
    strayRows,
    bytes: ledgerBytes,
  };
}

/** Marks the place of the error that ends a broken export. */
const BREAK = Symbol("break");
type Pieces = AsyncGenerator<Buffer | typeof BREAK>;

async function* rawBytes(pieces: Pieces): AsyncGenerator<Buffer> {
  let last = 0x0a;
  for await (const piece of pieces) {
    if (piece === BREAK) {
      // On a line of its own, also where the row before was cut.
      yield Buffer.from(`${last === 0x0a ? "" : "\n"}${JSON.stringify({ error: BROKEN })}`);
      return;
    }
    last = piece.at(-1) ?? last;
    yield piece;
  }
}

async function* messages(pieces: Pieces, between: string): AsyncGenerator<Buffer> {
  let extensions = '[{"@type":"type.googleapis.com/google.api.HttpBody"}]';
  for await (const piece of pieces) {
    if (piece === BREAK) {
      yield Buffer.from(`${JSON.stringify({ error: BROKEN })}${between}`);
      return;
    }
    const data = piece.toString("base64");
    yield Buffer.from(`{"result":{"contentType":"text/csv","data":"${data}","extensions":${extensions}}}${between}`);
    extensions = "[]";
  }
}

/** The file in pieces, broken off by the fault, at its end at the latest. */
async function* piecesUntil(lines: Iterable<string>, cut: Fault | undefined): Pieces {
  let left = cut === undefined ? Infinity : (cut.bytes ?? CUT_AFTER_BYTES);
  for (const piece of piecesOf(lines)) {
    if (piece.length > left) {
      yield piece.subarray(0, left);
      break;
    }
    left -= piece.length;
    yield piece;
  }
  if (cut === undefined) return;
  if (cut.how === "error") {
    yield BREAK;
    return;
  }
  // The bytes written so far must reach the reader before the connection ends.
  await delay(20);
  throw new Error("cut as asked");
}

/** Room behind a piece for the line that fills it; no line is longer. */
const LINE_BYTES = 4096;

/** The lines as bytes, cut anywhere. Each piece is valid only until the next one is requested. */
function* piecesOf(lines: Iterable<string>): Generator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(PIECE + LINE_BYTES);
  let number = 0;
  let size: number = FIRST_PIECES[0];
  let filled = 0;
  for (const line of lines) {
    filled += buffer.write(line, filled);
    while (filled >= size) {
      yield buffer.subarray(0, size);
      buffer.copyWithin(0, size, filled);
      filled -= size;
      size = FIRST_PIECES[++number] ?? PIECE;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}
