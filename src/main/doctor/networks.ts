import { setTimeout as sleep } from "node:timers/promises";

import { fault, type Finding, ok, warning } from "../../adapters/finding.ts";
import { inspectCore, inspectNode, type NodeInspection } from "../../api/node/inspect-node.ts";
import { millisBetween } from "../../api/verdict/verdict.ts";
import type { Config } from "../../config.ts";
import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import type { Nanoseconds } from "../../units/nanoseconds.ts";
import { type ChatConfig, configuredChats } from "../platforms/platforms.ts";
import type { Check } from "./checks.ts";
import { judgeCore, judgeNodes, majorityTime } from "./nodes.ts";

/** Blocks come about once a second, so a live network moves in this time. */
const SECOND_READING_MILLIS: Milliseconds = 2500;

/** Checks each network with its nodes, and this machine's clock against the first network that has a time. */
export function networkChecks(
  config: Pick<Config, "networks" | "allowSimulator"> & ChatConfig,
  drift: Milliseconds,
): Check[] {
  const { networks } = config;
  if (networks.length === 0) return [{ name: "networks", run: () => Promise.resolve(simulatedFindings(config)) }];
  const inspections = new Map<string, Promise<readonly NodeInspection[]>>();
  const inspect = (network: string, urls: readonly string[]): Promise<readonly NodeInspection[]> =>
    Promise.all(urls.map((url) => inspectNode(url, { network })));
  const first = (network: string, urls: readonly string[]): Promise<readonly NodeInspection[]> => {
    const begun = inspections.get(network) ?? inspect(network, urls);
    inspections.set(network, begun);
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
          await sleep(SECOND_READING_MILLIS, undefined, { signal });
          const again = majorityTime(await inspect(name, urls));
          if (again !== undefined) return [judgeClock(name, reading, again, drift)];
        }
        const remedy = "Ask again once most nodes of a network answer and agree.";
        return [warning("clock", "no network's time to compare this machine's clock with", remedy)];
      },
    },
  ];
}

/** No finding where the settings are refused for the same reason. */
function simulatedFindings(config: Pick<Config, "allowSimulator"> & ChatConfig): Finding[] {
  const check = "networks";
  if (configuredChats(config).length === 0) {
    return [ok(check, "no data node is set up: the embedded simulator serves, and everything is SIMULATED")];
  }
  const remedy = "Set MAINNET_URLS or TESTNET_URLS to your data nodes.";
  if (!config.allowSimulator) return [];
  return [warning(check, "people on the platforms are shown a simulated network (ALLOW_SIMULATOR)", remedy)];
}

/** A network's time and the wall clock at that moment. */
interface ClockReading {
  readonly time: Nanoseconds;
  readonly at: Nanoseconds;
}

/** A network cannot be ahead of the true time by more than its blocks are apart. */
const AHEAD_MILLIS: Milliseconds = 2000;
/** How long a node may take to process a block. */
const BEHIND_MILLIS: Milliseconds = 10_000;
const NTP = "Let the machine keep its clock by NTP (timedatectl set-ntp true).";

/**
 * This machine's clock against the time of a network's majority. A stalled network looks like a fast clock: a second
 * reading some seconds later tells them apart.
 */
export function judgeClock(network: string, first: ClockReading, second: ClockReading, drift: Milliseconds): Finding {
  const check = "clock";
  const behind = millisBetween(second.time, second.at);
  const words = (off: Milliseconds): string => formatDuration(Math.abs(off));
  if (-behind > AHEAD_MILLIS) {
    const what = `this machine's clock is ${words(behind)} behind ${network}`;
    return -behind > drift ? fault(check, what, NTP) : warning(check, what, NTP);
  }
  if (behind <= BEHIND_MILLIS) return ok(check, `agrees with ${network} to ${words(behind)}`);
  if (second.time <= first.time) {
    const what = `${network} is ${words(behind)} behind this machine's clock and stands still`;
    return warning(
      check,
      what,
      "Ask again once the network moves: until then nobody can tell whether the clock is right.",
    );
  }
  const what = `this machine's clock is ${words(behind)} ahead of ${network}, which moves`;
  return behind > drift ? fault(check, what, NTP) : warning(check, what, NTP);
}
