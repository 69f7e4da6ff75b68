import { setTimeout as sleep } from "node:timers/promises";

import { fault, type Finding, ok, warning } from "../../adapters/finding.ts";
import { inspectCore, inspectNode, type NodeInspection } from "../../api/node/inspect-node.ts";
import { millisBetween } from "../../api/verdict/verdict.ts";
import type { Config } from "../../config/config.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { Check } from "./check.ts";
import { BEHIND_MILLIS, judgeClock } from "./clock.ts";
import { judgeCore, judgeNodes, majorityTime } from "./nodes.ts";

/** Blocks come about once a second, so a network that lives moves in this time. */
const SECOND_LOOK_MILLIS: Milliseconds = 2500;

/** The networks with their nodes, and this machine's clock by the first of them that has a time. */
export function networkChecks(
  config: Pick<Config, "networks" | "discord" | "slack" | "allowSimulator">,
  drift: Milliseconds,
): Check[] {
  const { networks } = config;
  if (networks.length === 0) return [{ name: "networks", run: () => Promise.resolve([simulated(config)]) }];
  const looks = new Map<string, Promise<readonly NodeInspection[]>>();
  const lookAt = (network: string, urls: readonly string[]): Promise<readonly NodeInspection[]> =>
    Promise.all(urls.map((url) => inspectNode(url, { network })));
  const first = (network: string, urls: readonly string[]): Promise<readonly NodeInspection[]> => {
    const begun = looks.get(network) ?? lookAt(network, urls);
    looks.set(network, begun);
    return begun;
  };
  return [
    ...networks.map(({ name, urls, coreUrl }): Check => ({
      name,
      async run() {
        const nodes = first(name, urls);
        const core = coreUrl === undefined ? [] : [judgeCore(name, await inspectCore(coreUrl, { network: name }))];
        return [...judgeNodes(name, await nodes), ...core];
      },
    })),
    {
      name: "clock",
      async run(signal) {
        for (const { name, urls } of networks) {
          const reading = majorityTime(await first(name, urls));
          if (reading === undefined) continue;
          if (millisBetween(reading.time, reading.at) <= BEHIND_MILLIS)
            return [judgeClock(name, reading, reading, drift)];
          await sleep(SECOND_LOOK_MILLIS, undefined, { signal });
          const again = majorityTime(await lookAt(name, urls));
          if (again !== undefined) return [judgeClock(name, reading, again, drift)];
        }
        const remedy = "Ask again once most nodes of a network answer and agree.";
        return [warning("clock", "no network's time to compare this machine's clock with", remedy)];
      },
    },
  ];
}

function simulated({ discord, slack, allowSimulator }: Pick<Config, "discord" | "slack" | "allowSimulator">): Finding {
  const check = "networks";
  if (discord === undefined && slack === undefined) {
    return ok(check, "no data node is set up: the embedded simulator serves, and everything is SIMULATED");
  }
  const remedy = "Set MAINNET_URLS or TESTNET_URLS to your data nodes.";
  if (!allowSimulator) return fault(check, "no data node is set up, so the bot refuses to start on a platform", remedy);
  return warning(check, "people on the platforms are shown a simulated network (ALLOW_SIMULATOR)", remedy);
}
