import { expect, test } from "vitest";

import { runSimulator } from "../../../src/main/cli/simulator.ts";
import { startSimulator } from "../../../src/simulator/simulator.ts";
import { simulated } from "../../simulator/simulated.ts";
import { saying } from "../../support/said.ts";

test("it prints where it is and what to set, serves, and stops on the signal", async () => {
  const stop = new AbortController();
  const lines: string[] = [];
  const printed = Promise.withResolvers<string>();
  const print = (line: string): void => {
    lines.push(line);
    const urls = /MAINNET_URLS=(\S+)/u.exec(line)?.[1];
    if (urls !== undefined) printed.resolve(urls);
  };
  const running = runSimulator(["--port", "0", "--seed", "cli", "--nodes", "2"], { print, signal: stop.signal });
  const [first = "", second = "", third] = (await printed.promise).split(",");
  expect(third).toBeUndefined();
  expect((await fetch(`${second}/api/v2/info`)).status).toBe(200);
  stop.abort();
  await running;
  expect(lines[0]).toMatch(saying("SIMULATED", /http:\/\/127\.0\.0\.1:\d+/u, '"cli"'));
  await expect(fetch(`${first}/api/v2/info`)).rejects.toThrow("fetch failed");
});

test.each([
  [["--port", "70000"], saying("--port", 0, 65_535)],
  [["--port", "x"], saying("--port", 0, 65_535)],
  [["--nodes", "0"], saying("--nodes", 1, 9)],
  [["--bogus"], saying("--bogus")],
  [["stray"], saying("stray")],
])("%j is refused", async (argv, named) => {
  const signal = AbortSignal.abort();
  await expect(runSimulator(argv, { print: () => {}, signal })).rejects.toThrow(named);
  await expect(runSimulator(argv, { print: () => {}, signal })).rejects.toThrowErrorMatchingSnapshot();
});

test("a port that is taken is said so", async () => {
  const { simulator } = await simulated();
  const port = Number(new URL(simulator.url).port);
  await expect(startSimulator({ port })).rejects.toThrow(saying("127.0.0.1", port));
});
