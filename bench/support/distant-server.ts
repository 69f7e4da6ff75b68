import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

import type { Milliseconds } from "../../src/units/time.ts";

/** A server of this machine as it is seen from a distance, and how often somebody waited for its answer. */
export interface DistantServer extends Disposable {
  url(database: string): string;
  /** The round trips so far. */
  trips(): number;
}

/** Whatever is sent to a server by its Unix socket, or comes from it, takes so long on its way. */
export async function openDistantServer(socket: string, oneWay: Milliseconds): Promise<DistantServer> {
  let trips = 0;
  const open = new Set<Socket>();
  const carry = (from: Socket, to: Socket, onData: () => void): void => {
    from.on("data", (bytes) => {
      onData();
      setTimeout(() => to.write(bytes), oneWay);
    });
    from.on("error", () => undefined);
    from.on("close", () => setTimeout(() => to.destroy(), oneWay));
    open.add(from.setNoDelay());
    from.on("close", () => open.delete(from));
  };
  const relay = createServer((near) => {
    const far = connect(socket);
    let isAnswered = true;
    carry(near, far, () => {
      // What is sent before the answer to what was sent last costs no other round trip.
      if (isAnswered) trips += 1;
      isAnswered = false;
    });
    carry(far, near, () => {
      isAnswered = true;
    });
  });
  await once(relay.listen({ port: 0, host: "127.0.0.1" }), "listening");
  const { port } = relay.address() as AddressInfo;
  return {
    url: (database) => `postgres://bellwether@127.0.0.1:${port}/${database}`,
    trips: () => trips,
    [Symbol.dispose]() {
      relay.close();
      for (const one of open) one.destroy();
    },
  };
}
