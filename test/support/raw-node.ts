import { type AddressInfo, createServer, type Socket } from "node:net";

/** The head of one request: `GET /api/v2/info HTTP/1.1` and its headers. */
export type RawServe = (head: string, socket: Socket) => void;

/** A server on loopback that writes bytes itself, so that a test decides about every one of them. */
export interface RawNode extends AsyncDisposable {
  readonly url: string;
  /** May be exchanged at any time. */
  serve: RawServe;
}

export async function rawNode(serve: RawServe = () => undefined): Promise<RawNode> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    let head = "";
    socket.setEncoding("latin1");
    socket.on("data", (text) => {
      head += String(text);
      for (let end = head.indexOf("\r\n\r\n"); end !== -1; end = head.indexOf("\r\n\r\n")) {
        const request = head.slice(0, end);
        head = head.slice(end + 4);
        node.serve(request, socket);
      }
    });
    socket.on("end", () => socket.end());
    // A client that gives up resets the connection.
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const node: RawNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return node;
}

/** A head with these lines behind the status line. */
export function rawHead(statusLine: string, headers: readonly string[]): string {
  return `${[statusLine, ...headers].join("\r\n")}\r\n\r\n`;
}

/** One chunk of the chunked transfer coding. */
export function rawChunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

export const LAST_CHUNK = Buffer.from("0\r\n\r\n");
