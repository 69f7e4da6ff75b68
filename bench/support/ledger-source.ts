import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";

// A data node that does nothing but send a ledger from prepared buffers, as fast as the socket takes them. It runs in
// a process of its own, so that its work is not counted as the client's. The base URL says what it sends:
// /raw/<bytes> or /messages/<bytes>.

export const PARTY = "f8ac93d1".repeat(8);
export const ASSET = "bf1e88d1".repeat(8);

const HEADER =
  "vega_time,quantity,effect,transfer_type,asset_id,account_from_market_id,account_from_party_id,account_from_account_type," +
  "account_from_balance,account_to_market_id,account_to_party_id,account_to_account_type,account_to_balance\n";
/** Divides by three, as the header's length does: base64 carries no padding then, and `base64 -d` takes all in a row. */
const PIECE_BYTES = 48 * 1024;
const PIECES = 64;

export interface LedgerSource {
  readonly port: number;
  stop(): void;
}

/** Starts one in a process of its own. */
export async function startLedgerSource(): Promise<LedgerSource> {
  const child = fork(fileURLToPath(import.meta.url), ["serve"], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const [port] = (await once(child, "message")) as [number];
  return { port, stop: () => void child.kill() };
}

/** Whole rows that together make exactly PIECES pieces, so that they can be sent over and over. */
function block(): Buffer {
  const bytes = Buffer.alloc(PIECE_BYTES * PIECES);
  let at = 0;
  for (let row = 0; ; row += 1) {
    const micros = (row * 7919) % 1_000_000;
    const counterparty = row.toString(16).padStart(8, "0").repeat(8);
    const line =
      `2023-01-18 01:${String(Math.trunc(row / 60) % 60).padStart(2, "0")}:${String(row % 60).padStart(2, "0")}.` +
      `${String(micros).padStart(6, "0")}+00,${row * 1009},-${row * 1009},TRANSFER_TYPE_MTM_WIN,${ASSET},${ASSET},${PARTY},` +
      `ACCOUNT_TYPE_GENERAL,${row}000000000000000000,${ASSET},${counterparty},ACCOUNT_TYPE_SETTLEMENT,0`;
    if (at + 2 * line.length + 2 > bytes.length) {
      // The last row is filled up with zeros at its end, which are part of its last number.
      bytes.fill("0", at).write(line, at);
      bytes[bytes.length - 1] = 0x0a;
      return bytes;
    }
    at += bytes.write(`${line}\n`, at);
  }
}

function serve(): void {
  const rows = block();
  const pieces = Array.from({ length: PIECES }, (_, index) =>
    rows.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES),
  );
  const message = (data: Buffer): Buffer =>
    Buffer.from(`${JSON.stringify({ result: { contentType: "text/csv", data: data.toString("base64") } })}\n`);
  const framings = {
    raw: { first: chunk(Buffer.from(HEADER)), all: Buffer.concat(pieces.map(chunk)), type: "text/csv" },
    messages: {
      first: chunk(message(Buffer.from(HEADER))),
      all: Buffer.concat(pieces.map((piece) => chunk(message(piece)))),
      type: "application/json",
    },
  };
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    let received = "";
    socket.on("data", (data) => {
      received += data.toString("latin1");
      const match = /^GET \/(raw|messages)\/(\d+)\S* HTTP\/1\.1\r\n[^]*\r\n\r\n$/u.exec(received);
      if (match === null) return;
      received = "";
      const { first, all, type } = framings[match[1] as "raw" | "messages"];
      send(socket, type, first, all, Math.max(1, Math.round(Number(match[2]) / rows.length)));
    });
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as { port: number }).port));
  process.on("disconnect", () => process.exit());
}

function send(socket: Socket, type: string, first: Buffer, all: Buffer, times: number): void {
  let left = times;
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(all)) return;
    }
    socket.off("drain", more);
    if (!socket.destroyed) socket.write("0\r\n\r\n");
  };
  socket.write(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`);
  socket.write(first);
  socket.on("drain", more);
  more();
}

function chunk(data: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from("\r\n")]);
}

if (process.argv[2] === "serve" && process.send !== undefined) serve();
