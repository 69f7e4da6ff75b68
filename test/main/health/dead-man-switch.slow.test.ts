import { afterAll, beforeAll, expect, it } from "vitest";

import { createSandbox, type Sandbox } from "../../support/bellwether.ts";
import { until } from "../../support/fake-discord/until.ts";
import { loopbackNode } from "../../support/loopback-node.ts";

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = createSandbox();
});
afterAll(() => sandbox.cleanUp());

it("npm start pings the dead man's switch once it watches, and never says where", async () => {
  await using service = await loopbackNode(() => ({}));
  const running = sandbox.run(["start"], {
    DEADMAN_URL: `${service.url}/secret-uuid`,
    LOG_LEVEL: "trace",
    WEB_PORT: "0",
  });
  await until(() => service.requests.length > 0, "a ping", 60_000);
  expect(service.requests[0]?.path).toBe("/secret-uuid");
  const { stdout, stderr, code } = await running.kill("SIGTERM");
  expect(code).toBe(0);
  expect(`${stdout}${stderr}`).not.toContain("secret-uuid");
});
