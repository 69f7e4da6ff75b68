import { z } from "zod";

import { parseBundleSubject, signedBundle } from "../../alerts/judge/kinds/event.ts";
import type { CallOptions, Operations } from "../../api/api-client.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import { endingsWatcher } from "./subjects.ts";

const foundBundle = z.object({ node: z.string(), ...signedBundle });

const Bundles = z.object({
  /** By subject, as long as a subscription names it. */
  signed: z.record(z.string(), foundBundle),
  turn: z.string().exactOptional(),
});

/** Bundles that people wait for: each is polled until it is signed. One signed before is announced, too. */
export function bundlesWatcher(
  options: Pick<WatcherOptions, "network" | "config" | "clock">,
): Watcher<z.output<typeof Bundles>> {
  return endingsWatcher(options, {
    name: "bundles",
    kind: "bundle.signed",
    snapshot: Bundles,
    ended: ({ signed }) => signed,
    after: (signed, turn) => ({ signed, ...turn }),
    poll: getSigned,
    event: (seen, bundle) => ({ kind: "bundle.signed", ...seen, key: seen.subject, ...bundle }),
  });
}

async function getSigned(
  from: Operations,
  subject: string,
  call: CallOptions,
): Promise<z.output<typeof foundBundle> | undefined> {
  const { bundle, id } = parseBundleSubject(subject);
  const { value, asOf } =
    bundle === "list-asset" ? await from.getListAssetBundle(id, call) : await from.getAssetLimitsBundle(id, call);
  if (value.signatures === undefined) return undefined;
  return { node: asOf.node, bundle, ...withoutUndefined({ assetSource: value.assetSource }) };
}
