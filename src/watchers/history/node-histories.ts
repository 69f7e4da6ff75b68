import type { z } from "zod";

import type { AlertEvent } from "../../alerts/judge/kinds/event.ts";
import { timeToText } from "../../alerts/judge/kinds/kind.ts";
import type { Reading } from "../../alerts/judge/kinds/reading.ts";
import type { ApiClient, CallOptions, NodeClient } from "../../api/api-client.ts";
import { ApiError } from "../../api/api-error.ts";
import { HISTORIES, type History, type HistoryName } from "../../api/histories.ts";
import { storedAs } from "../../api/verdict/memory.ts";
import { compareIntegers, decimal, formatDecimal } from "../../units/decimal.ts";
import { NodeSelector } from "../sources/node-selector.ts";
import { findingsOrNothing } from "../kept.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import {
  type Claim,
  type ComparedNode,
  compareHistories,
  comparison,
  type Comparison,
  type NodeClaims,
  placeKey,
} from "./compare-histories.ts";
import { readRows, REMEMBERED_ROWS } from "./read-rows.ts";

type ComparisonSnapshot = z.input<typeof comparison>;

/**
 * Compares the nodes' checkpoints, snapshots and key rotations at equal block: a node that diverges from the others, and
 * blocks of which a majority says something else than before. The newest rows of each list are compared.
 */
export function nodeHistoriesWatcher(
  options: Pick<WatcherOptions, "network" | "config" | "selector">,
): Watcher<ComparisonSnapshot> {
  const { network, config, selector = new NodeSelector() } = options;
  return {
    name: "node-histories",
    every: config.poll.rest,
    snapshot: storedAs(comparison),
    async observe(api, { before }, signal) {
      const call: CallOptions = { lane: "watchers", fresh: true, signal };
      const answers = await Promise.all(api.nodes.map((node) => askNode(api, node, call)));
      signal.throwIfAborted();
      const failure = answers.flatMap(({ failures }) => failures)[0];
      if (failure !== undefined && answers.every(({ lists }) => lists.size === 0)) throw failure;
      const compared = compareHistories(answers, before === undefined ? undefined : comparison.decode(before));
      selector.avoid(compared.nodes.flatMap(({ node, state }) => (state === "bad" ? [node] : [])));
      return comparison.encode(compared);
    },
    judge(before, after, at) {
      const { nodes, fork } = comparison.decode(after);
      const readings = nodes.length < 2 ? [] : nodes.map((one) => divergence(network, one, nodes.length));
      const seen = { network, subject: "", at: timeToText(at) };
      return { readings, events: before === undefined || fork === undefined ? [] : [forked(seen, fork)] };
    },
    kept: (_, { findings }) => findingsOrNothing(findings),
  };
}

async function askNode(
  api: ApiClient,
  node: NodeClient,
  call: CallOptions,
): Promise<NodeClaims & { readonly failures: readonly ApiError[] }> {
  const lists = new Set<HistoryName>();
  const claims: Claim[] = [];
  const failures: ApiError[] = [];
  // One after the other: a node's budget is for more than this.
  for (const history of Object.values(HISTORIES)) {
    try {
      claims.push(...(await readClaims(api, history, node, call)));
      lists.add(history.name);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failures.push(error);
    }
  }
  return { node: node.name, lists, claims, failures };
}

/** The newest rows of one list. */
async function readClaims(
  api: ApiClient,
  history: History<unknown>,
  node: NodeClient,
  call: CallOptions,
): Promise<readonly Claim[]> {
  const { rows, complete } = await readRows(api, history, node, call);
  const placed = rows.flatMap(({ node: row }) => {
    const block = history.blockOf(row);
    return block === undefined ? [] : [{ row, block }];
  });
  const newest = placed.toSorted((a, b) => compareIntegers(b.block, a.block)).slice(0, REMEMBERED_ROWS);
  // Some rows of the last block may be missing.
  const cut = complete && newest.length === placed.length ? undefined : newest.at(-1)?.block;
  const claims = new Map<string, Claim>();
  for (const { row, block } of newest) {
    if (block === cut) continue;
    for (const { field, of, value } of history.fixedOf(row)) {
      if (value === undefined || value === "") continue;
      const place = { what: history.name, block, field, ...(of === undefined ? {} : { of }) };
      const key = placeKey(place);
      const values = new Set([...(claims.get(key)?.values ?? []), value.toLowerCase()]);
      claims.set(key, { ...place, values: [...values].toSorted() });
    }
  }
  return [...claims.values()];
}

function divergence(network: string, { node, state, differs }: ComparedNode, nodes: number): Reading {
  const common = { kind: "node.diverges" as const, network, subject: node, nodes };
  if (state !== "bad" || differs === undefined) {
    const why = state === "unknown" ? { why: "it cannot be compared with the other nodes" } : {};
    return { ...common, ...why, state, seenBy: [node], facts: {} };
  }
  const { even, ...facts } = differs;
  const { field, block, by } = facts;
  const who = by.length === 0 ? "a majority of the nodes said" : `${by.join(", ")} ${by.length === 1 ? "says" : "say"}`;
  const right = even ? ", and nobody can tell which is right" : "";
  return {
    ...common,
    state,
    seenBy: [node, ...by],
    why: `its ${field} at block ${formatDecimal(decimal(block))} is not what ${who}${right}`,
    facts: { ...facts, block: block.toString() },
  };
}

type ForkedEvent = Extract<AlertEvent, { kind: "history.forked" }>;

function forked(
  seen: Pick<ForkedEvent, "network" | "subject" | "at">,
  fork: NonNullable<Comparison["fork"]>,
): ForkedEvent {
  const { what, block, lastBlock, after } = fork;
  const key = `${what}/${block}/${after.join(" ")}`;
  return { kind: "history.forked", ...seen, key, ...fork, block: block.toString(), lastBlock: lastBlock.toString() };
}
