import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createSandbox, type Sandbox } from "../../support/bellwether.ts";

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.cleanUp());

describe("npm run simulator", () => {
  it("prints what to set to ask it, answers, and stops at a signal", async () => {
    const running = sandbox.run(["simulator", "--port", "0", "--nodes", "2"], { LOG_LEVEL: "warn" });
    const [, urls = ""] = await running.printed(/^MAINNET_URLS=(.*)$/mu);
    const nodes = urls.split(",");
    expect(nodes).toHaveLength(2);
    const [, core = ""] = await running.printed(/^TESTNET_CORE_URL=(.*)$/mu);
    const info = await fetch(`${nodes[1]}/api/v2/info`);
    expect(info.status).toBe(200);
    const stake = await fetch(`${core}/parties/stake`);
    expect(await stake.json()).toHaveProperty("partiesStake");

    const asked = await sandbox.run(["ask", "time"], { MAINNET_URLS: urls, LOG_LEVEL: "error" }).ended;
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    expect(await running.kill("SIGTERM")).toMatchObject({ code: 0, stderr: "" });
  });

  it.each([
    [["--port", "http"], "--port"],
    [["--nodes", "0"], "--nodes"],
    [["--colour", "blue"], "--colour"],
    [["now"], "now"],
  ])("refuses %j in a sentence", async (args, words) => {
    const ended = await sandbox.run(["simulator", ...args]).ended;
    expect(ended).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(words) });
    expect(ended.stderr).toContain("npm run simulator");
  });
});
