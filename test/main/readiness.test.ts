import { expect, it } from "vitest";

import { ApiError } from "../../src/api/api-error.ts";
import { checkReadiness, type ReadinessParts } from "../../src/main/readiness.ts";

const good: ReadinessParts = {
  store: { ping: async () => undefined },
  clients: [{ network: "mainnet", getNetworkTime: async () => ({}) as never }],
  adapters: [{ platform: "web", health: { state: "up" } }],
};

it("is ready when the store, every network and every platform are", async () => {
  expect(await checkReadiness(good)).toEqual({
    ok: true,
    parts: { store: { ok: true }, mainnet: { ok: true }, web: { ok: true } },
  });
});

it("names what is not, and why", async () => {
  const bad = await checkReadiness({
    store: { ping: () => Promise.reject(new Error("The store is closed.")) },
    clients: [
      ...good.clients,
      {
        network: "testnet",
        getNetworkTime: () =>
          Promise.reject(new ApiError("unreachable", "n1 cannot be reached.", { network: "testnet", node: "n1" })),
      },
    ],
    adapters: [
      ...good.adapters,
      { platform: "discord", health: { state: "failed", why: "the token was refused" } },
      { platform: "slack", health: { state: "starting" } },
    ],
  });
  expect(bad).toEqual({
    ok: false,
    parts: {
      store: { ok: false, why: "The store is closed." },
      mainnet: { ok: true },
      testnet: { ok: false, why: "n1 cannot be reached." },
      web: { ok: true },
      discord: { ok: false, why: "the token was refused" },
      slack: { ok: false, why: "starting" },
    },
  });
});
