import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A way to a database server over TCP that can be made slow, and cut. */
export interface DatabaseProxy extends AsyncDisposable {
  readonly port: number;
  /** Every piece takes so much longer, in each direction; infinity = nothing passes until it is finite again. */
  delayMillis: number;
  /** Resets all connections. */
  cut(): void;
}

/** `socket` is the server's Unix socket. */
export async function databaseProxy(socket: string): Promise<DatabaseProxy> {
  const open = new Set<Socket>();
  const server = createServer((theirs) => {
    const ours = connect(socket);
    // As PostgreSQL does: what it says in pieces comes at once.
    open.add(theirs.setNoDelay());
    theirs.once("close", () => open.delete(theirs));
    for (const [from, to] of [
      [theirs, ours],
      [ours, theirs],
    ] as const) {
      from.on("error", () => undefined);
      from.once("close", () => to.destroy());
      void forward(from, to, () => proxy.delayMillis);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: DatabaseProxy = {
    port: (server.address() as AddressInfo).port,
    delayMillis: 0,
    cut() {
      for (const one of open) one.resetAndDestroy();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      proxy.cut();
      await once(server, "close");
    },
  };
  return proxy;
}

/** How often a stopped way is looked at. */
const LOOK_MILLIS = 20;

/** In order: a piece that comes while another one waits has waited by then as long. */
async function forward(from: Socket, to: Socket, delay: () => number): Promise<void> {
  try {
    for await (const piece of from) {
      const came = performance.now();
      for (let left = delay(); left > 0; left = delay() - (performance.now() - came)) {
        await sleep(Math.min(LOOK_MILLIS, Math.ceil(left)));
      }
      if (to.destroyed) return;
      to.write(piece as Buffer);
    }
    to.end();
  } catch {
    // Its other end was reset.
  }
}
