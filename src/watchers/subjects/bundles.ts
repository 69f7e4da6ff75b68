import { z } from "zod";

import { type AlertEvent, parseBundleSubject, signedBundle } from "../../alerts/judge/kinds/event.ts";
import { timeToText } from "../../alerts/judge/kinds/json-fields.ts";
import type { CallOptions, Operations } from "../../api/api-client.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import { pollSubjects } from "./subjects.ts";

const foundBundle = z.object({ node: z.string(), ...signedBundle });
type FoundBundle = z.output<typeof foundBundle>;

const Bundles = z.object({
  /** By subject, as long as a subscription names it. */
  signed: z.record(z.string(), foundBundle),
  turn: z.string().exactOptional(),
});
type Bundles = z.output<typeof Bundles>;

/** Bundles that people wait for: each is polled until it is signed. One signed before is announced, too. */
export function bundlesWatcher(options: Pick<WatcherOptions, "network" | "config" | "clock">): Watcher<Bundles> {
  const { network, config, clock } = options;
  const every = config.poll.rest;
  return {
    name: "bundles",
    every,
    snapshot: Bundles,
    async observe(api, context, signal) {
      const { before } = context;
      // Findings of the first observation are not announced, so that it polls nothing.
      if (before === undefined) return { signed: {} };
      const ids = new Set(context.subjects("bundle.signed"));
      const waiting = [...ids].filter((subject) => !Object.hasOwn(before.signed, subject));
      const call = { lane: "watchers", fresh: true, signal } as const;
      const { answers, turn } = await pollSubjects(waiting, before.turn, { millis: every, clock }, (subject) =>
        getSigned(api, subject, call),
      );
      const found = [...answers].flatMap(([subject, bundle]): [string, FoundBundle][] =>
        bundle === undefined ? [] : [[subject, bundle]],
      );
      const kept = Object.entries(before.signed).filter(([subject]) => ids.has(subject));
      return {
        signed: { ...Object.fromEntries(kept), ...Object.fromEntries(found) },
        ...(turn === undefined ? {} : { turn }),
      };
    },
    judge(before, after, at) {
      if (before === undefined) return { readings: [], events: [] };
      const fresh = Object.entries(after.signed).filter(([subject]) => !Object.hasOwn(before.signed, subject));
      return {
        readings: [],
        events: fresh.map(([subject, bundle]): AlertEvent => ({
          kind: "bundle.signed",
          network,
          subject,
          key: subject,
          at: timeToText(at),
          ...bundle,
        })),
      };
    },
  };
}

async function getSigned(from: Operations, subject: string, call: CallOptions): Promise<FoundBundle | undefined> {
  const { bundle, id } = parseBundleSubject(subject);
  const { value, asOf } =
    bundle === "list-asset" ? await from.getListAssetBundle(id, call) : await from.getAssetLimitsBundle(id, call);
  if (value.signatures === undefined) return undefined;
  const { assetSource } = value;
  return { node: asOf.node, bundle, ...(assetSource === undefined ? {} : { assetSource }) };
}
