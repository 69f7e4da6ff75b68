import { fault, type Finding, noAnswer, ok, warning } from "../../adapters/finding.ts";
import type { ApiError } from "../../api/api-error.ts";
import type { NodeInspection } from "../../api/node/inspect-node.ts";
import { DEFAULT_THRESHOLDS, millisBetween } from "../../api/verdict/verdict.ts";
import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import { formatUtc, type Nanoseconds } from "../../units/nanoseconds.ts";

/** Below this share, a node's rate limit is nearly used up, though this process sent only two requests. */
const LOW_RATE_LIMIT_SHARE = 0.1;
/** A node with the same time as the others cannot lack so many blocks: blocks come once a second. */
const OTHER_CHAIN_BLOCKS = 10_000n;
/** Tolerance for nodes that are asked, and process a block, at slightly different moments. */
const AGREEMENT_MILLIS: Milliseconds = 5000;

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
export function majorityTime(
  nodes: readonly NodeInspection[],
): { readonly time: Nanoseconds; readonly at: Nanoseconds } | undefined {
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
