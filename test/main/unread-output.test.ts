import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { askWeb, createSandbox, type Sandbox } from "../support/bellwether.ts";

const URL_PRINTED = /http:\/\/127\.0\.0\.1:\d+\//u;

describe("a bot whose output nobody reads any more", () => {
  let sandbox: Sandbox;
  beforeEach(() => {
    sandbox = createSandbox();
  });
  afterEach(() => sandbox.cleanUp());

  it("goes on answering and stops in order when it has lost all of it", async () => {
    // Nobody listens there, which is worth a line in the log.
    const running = sandbox.run(["start"], { MAINNET_URLS: "http://127.0.0.1:9" });
    const [url] = await running.printed(URL_PRINTED);
    for (const stream of ["stdout", "stderr"] as const) running.child[stream]?.destroy();
    for (const line of ["time", "help"]) expect(await askWeb(url, line)).toMatchObject({ status: 200 });
    const metrics = async (): Promise<string> => (await fetch(new URL("/metrics", url))).text();
    // The node is tried again and again, each time with a line.
    await expect.poll(metrics, { timeout: 15_000 }).toMatch(/^bellwether_log_lines_lost_total [1-9]\d*$/mu);
    expect(await running.kill("SIGTERM")).toMatchObject({ code: 0, signal: null });
  });
});
