import { afterAll, beforeAll, expect, it } from "vitest";

import { loopbackNode } from "../../support/loopback-node.ts";
import { createSandbox, type Sandbox } from "../../support/bellwether.ts";

// The doctor as people call it: a process of its own. doctor.slow.test.ts has more, and a bot beside it.

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = createSandbox();
});
afterAll(() => sandbox.cleanUp());
const doctor = (env: Record<string, string> = {}, ...args: string[]) => sandbox.run(["doctor", ...args], env).ended;

it("needs no settings, and says that everything is simulated", async () => {
  const { code, stdout, stderr } = await doctor();
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("SIMULATED");
  expect(stdout.split("\n").every((line) => !/^(?:fault|warning)/u.test(line))).toBe(true);
});

it("says what is wrong, with the exit code of the network's failures, and keeps every secret", async () => {
  await using service = await loopbackNode(() => ({ status: 500 }));
  const secrets = { DISCORD_TOKEN: "secret-discord-token", DEADMAN_URL: `${service.url}/secret-uuid` };
  const nodes = { MAINNET_URLS: "http://ops:secret-word@127.0.0.1:9", DISCORD_API_URL: "http://127.0.0.1:9/api" };
  const { code, stdout, stderr } = await doctor({ ...secrets, ...nodes, WEB_PORT: "0" }, "--ping");
  expect(code).toBe(2);
  expect(stdout).toMatch(/^fault {4}DEADMAN_URL: .*\b500\b/mu);
  // Only where it is asked to.
  expect(service.requests).toHaveLength(1);
  expect(`${stdout}${stderr}`).not.toContain("secret-");
});
