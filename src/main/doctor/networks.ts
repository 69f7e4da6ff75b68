import { setTimeout as sleep } from "node:timers/promises";

import { fault, type Finding, noAnswer, ok, warning } from "../../adapters/finding.ts";
import type { ApiError } from "../../api/api-error.ts";
import { inspectCore, inspectNode, type NodeInspection } from "../../api/node/inspect-node.ts";
import { DEFAULT_THRESHOLDS, millisBetween } from "../../api/verdict/verdict.ts";
import type { Config } from "../../config.ts";
import { formatDuration, formatUtc, type Milliseconds, type Nanoseconds } from "../../units/time.ts";
import { type ChatConfig, configuredChats } from "../platforms/platforms.ts";
import type { Check } from "./checks.ts";

/** Blocks come about once a second, so a live network moves in this time. */
const SECOND_READING_MILLIS: Milliseconds = 2500;

/** Below this share, a node's rate limit is nearly used up, though this process sent only two requests. */
const LOW_RATE_LIMIT_SHARE = 0.1;
/** A node with the same time as the others cannot lack so many blocks: blocks come once a second. */
const OTHER_CHAIN_BLOCKS = 10_000n;
/** Tolerance for nodes that are asked, and process a block, at slightly different moments. */
const AGREEMENT_MILLIS: Milliseconds = 5000;

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

/** Judges each data node of a network against the others. */
export function judgeNodes(network: string, nodes: readonly NodeInspection[]): Finding[] {
  const frontier = nodes.flatMap(({ time }) => (time === undefined ? [] : [time])).reduce(later, 0n as Nanoseconds);
  const heights = nodes.flatMap(({ height }) => (height === undefined ? [] : [height]));
  const top = heights.reduce((a, b) => (a > b ? a : b), 0n);
  const findings = nodes.map((node) => judgeNode(network, node, frontier, top));
  const versions = Map.groupBy(
    nodes.filter(({ version }) => version !== undefined),
    ({ version = "" }) => version,
  );
  if (versions.size > 1) {
    const what = [...versions]
      .map(([version, same]) => `${version} at ${same.map(({ node }) => node).join(", ")}`)
      .join("; ");
    const remedy = "Bring all data nodes to one version: their answers may differ.";
    findings.push(warning(`${network} versions`, what, remedy));
  }
  if (nodes.length === 1) {
    const remedy = `Add a second address to ${network.toUpperCase()}_URLS.`;
    findings.push(warning(`${network} nodes`, "one node alone cannot tell a stalled network from its own lag", remedy));
  }
  return findings;
}

function judgeNode(network: string, node: NodeInspection, frontier: Nanoseconds, top: bigint): Finding {
  const check = `${network} node ${node.node}`;
  const { time, height, failure, rateLimit } = node;
  if (failure !== undefined) return judgeFailure(check, `${network.toUpperCase()}_URLS`, failure);
  if (time === undefined) {
    return noAnswer(
      check,
      "answers, but has taken in no block yet",
      "Wait until it has caught up, or ask another node.",
    );
  }
  const behindMillis = millisBetween(time, frontier);
  const behindBlocks = height === undefined ? 0n : top - height;
  const facts = factsOf(node, time).join(", ");
  if (behindMillis > DEFAULT_THRESHOLDS.laggingMillis || behindBlocks > DEFAULT_THRESHOLDS.laggingBlocks) {
    if (behindMillis <= DEFAULT_THRESHOLDS.laggingMillis && behindBlocks > OTHER_CHAIN_BLOCKS) {
      const what = `follows another chain, or one that began anew: its time is the others', and it is at block ${height ?? 0n} where they are at ${top} (${facts})`;
      return noAnswer(check, what, `Take it out of ${network.toUpperCase()}_URLS, or start it with the others' chain.`);
    }
    const span = behindMillis > 0 ? formatDuration(behindMillis) : "";
    const blocks = behindBlocks > 0n ? `${span === "" ? "" : " and "}${behindBlocks} blocks` : "";
    const what = `lags ${span}${blocks} behind the others (${facts})`;
    const remedy = `See to it that it catches up; until then name it last in ${network.toUpperCase()}_URLS, since nodes are asked in that order.`;
    return noAnswer(check, what, remedy);
  }
  if (rateLimit !== undefined && rateLimit.remaining < rateLimit.limit * LOW_RATE_LIMIT_SHARE) {
    const remedy = "See which other program asks it from this address: beyond the limit the node bans it.";
    return warning(check, `${rateLimit.remaining} of the ${rateLimit.limit} requests that it allows are left`, remedy);
  }
  return ok(check, facts);
}

function factsOf(
  { height, version, dialect, roundTripMillis, rateLimit }: NodeInspection,
  time: Nanoseconds,
): string[] {
  return [
    formatUtc(time),
    ...(height === undefined ? [] : [`block ${height}`]),
    version ?? "no version given",
    dialect === "contract" ? "paths of the contract" : "paths of v0.71 nodes",
    `${roundTripMillis ?? 0} ms`,
    rateLimit === undefined ? "no rate limit given" : `rate limit ${rateLimit.limit}, ${rateLimit.remaining} left`,
  ];
}

function judgeFailure(check: string, setting: string, failure: ApiError): Finding {
  const what = failure.tried.at(-1)?.why ?? failure.message;
  const { kind, foreign, httpStatus } = failure;
  if (foreign || kind === "unreadable" || (kind === "refused" && httpStatus === 404)) {
    return fault(check, what, `Correct its address in ${setting}: what answers there is no data node.`);
  }
  if (httpStatus === 401) return fault(check, what, `Correct its user name and password in ${setting}.`);
  if (kind === "banned" || kind === "rate-limited") {
    return noAnswer(check, what, "Wait as long as it says, and see which program asks it from this address so often.");
  }
  if (/host name is not known/u.test(what)) return fault(check, what, `Correct its address in ${setting}.`);
  return noAnswer(check, what, "See whether the node runs and whether this machine may reach it.");
}

/** Judges the core node, which serves stakes where its address is set. */
export function judgeCore(network: string, { node, failure }: NodeInspection): Finding {
  const check = `${network} core ${node}`;
  return failure === undefined
    ? ok(check, "serves /parties/stake")
    : judgeFailure(check, `${network.toUpperCase()}_CORE_URL`, failure);
}

/** The time that most nodes of a network agree on; undefined where too few answered. */
export function majorityTime(nodes: readonly NodeInspection[]): ClockReading | undefined {
  const said = nodes
    .flatMap(({ time, at }) =>
      time === undefined || at === undefined ? [] : [{ time, at, gap: millisBetween(time, at) }],
    )
    .toSorted((a, b) => a.gap - b.gap);
  const middle = said[Math.floor((said.length - 1) / 2)];
  if (middle === undefined) return undefined;
  const agreeing = said.filter(({ gap }) => Math.abs(gap - middle.gap) <= AGREEMENT_MILLIS);
  return agreeing.length * 2 > nodes.length ? middle : undefined;
}

function later(a: Nanoseconds, b: Nanoseconds): Nanoseconds {
  return a > b ? a : b;
}
