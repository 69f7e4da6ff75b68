import { z } from "zod";

import { type AlertEvent, nodeRelease } from "../../alerts/judge/kinds/event.ts";
import { timeToText } from "../../alerts/judge/kinds/kind.ts";
import { ApiError } from "../../api/api-error.ts";
import { storedAs } from "../../api/verdict/memory.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import { countObservation, observationCounter, observationKey } from "../snapshot-schema.ts";
import { findingsOrNothing } from "../kept.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";

type Release = z.output<typeof nodeRelease>;

const NodeVersions = z.object({
  ...observationCounter,
  /** By node; one that did not answer keeps its last release. */
  nodes: z.record(z.string(), nodeRelease),
});
type NodeVersions = z.output<typeof NodeVersions>;

/** Changes of the release that a data node runs. */
export function nodeVersionsWatcher(
  options: Pick<WatcherOptions, "network" | "config" | "clock">,
): Watcher<NodeVersions> {
  const { network, config, clock } = options;
  return {
    name: "node-versions",
    every: config.poll.rest,
    snapshot: storedAs(NodeVersions),
    async observe(api, { before }, signal) {
      const answers = await Promise.allSettled(
        api.nodes.map(async (node): Promise<[string, Release]> => {
          const { value } = await node.getNodeInfo({ lane: "watchers", fresh: true, signal });
          const { version, commitHash } = value;
          return [node.name, withoutUndefined({ version, commitHash })];
        }),
      );
      signal.throwIfAborted();
      const failures = answers.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
      const bug = failures.find((reason) => !(reason instanceof ApiError));
      if (bug !== undefined || failures.length === answers.length) throw bug ?? failures[0];
      const releases = answers.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      return {
        ...countObservation(before, clock.wallClock()),
        // What a node leaves out has not changed.
        nodes: {
          ...before?.nodes,
          ...Object.fromEntries(releases.map(([node, release]) => [node, { ...before?.nodes[node], ...release }])),
        },
      };
    },
    judge(before, after, at) {
      const events = Object.entries(after.nodes).flatMap(([node, release]): AlertEvent[] => {
        const known = before?.nodes[node];
        if (known === undefined || (known.version === release.version && known.commitHash === release.commitHash)) {
          return [];
        }
        const seen = { network, subject: node, node, at: timeToText(at), key: `${node}/${observationKey(after)}` };
        return [{ kind: "node.version", ...seen, before: known, after: release }];
      });
      return { readings: [], events };
    },
    kept: (_, { findings }) => findingsOrNothing(findings),
  };
}
