import type { Witness } from "../../src/api/verdict.ts";
import { gone, says } from "./watch.ts";

/**
 * What a node does in the round that is judged, 40 s after all of them were last seen to advance: it goes `on` to the
 * present, stands `still` where it was, goes on but `late`, two minutes back, is `down` and does not answer, or `shut`
 * and refuses us, or is an hour `ahead` in the future.
 */
export type Deed = "on" | "still" | "late" | "down" | "shut" | "ahead";

export function does(node: string, deed: Deed): Witness {
  switch (deed) {
    case "on":
      return says(node, 40);
    case "still":
      return says(node, 0);
    case "late":
      return says(node, -120);
    case "down":
      return gone(node);
    case "shut":
      return { node, reachable: false, refused: true, why: "bans us" };
    case "ahead":
      return says(node, 3640);
  }
}

/** All that so many nodes may do between them. */
export function outcomes<D extends Deed>(deeds: readonly D[], nodes: number): D[][] {
  return nodes === 0 ? [[]] : outcomes(deeds, nodes - 1).flatMap((head) => deeds.map((deed) => [...head, deed]));
}
