import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A load balancer on loopback: hands each request to the next of several servers, as it came. */
export class Balancer {
  /** The origins of the servers; changed while it runs. */
  readonly origins: string[] = [];
  /** How many requests each origin was handed. */
  readonly handed = new Map<string, number>();
  #next = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((asked, answer) => {
      const origin = this.origins[this.#next++ % this.origins.length] ?? "";
      this.handed.set(origin, (this.handed.get(origin) ?? 0) + 1);
      const { headers, method = "GET", url = "/" } = asked;
      const passed = request(new URL(url, origin), { method, headers, agent: false }, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      });
      passed.on("error", () => answer.destroy());
      asked.pipe(passed);
    });
  }

  static async start(): Promise<Balancer> {
    const balancer = new Balancer();
    await new Promise<void>((resolve) => balancer.#server.listen(0, "127.0.0.1", resolve));
    return balancer;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
