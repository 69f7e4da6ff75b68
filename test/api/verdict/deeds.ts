import type { Witness } from "../../../src/api/verdict/verdict.ts";
import { gone, NAMES, says } from "./watch.ts";

/**
 * What a node does in the round that is judged, 40 s after all of them were last seen to advance: it goes `on` to the
 * present, stands `still` where it was, goes on but `late`, two minutes back, is `down` and does not answer, or `shut`
 * and refuses us, or is an hour `ahead` in the future.
 */
export type Deed = "on" | "still" | "late" | "down" | "shut" | "ahead";

function does(node: string, deed: Deed): Witness {
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

/** What is made of the round in which each of some nodes does its deed, after rounds in which all advanced, then stood. */
export function afterDeeds<T>(
  watch: { round(seconds: number, witnesses: readonly Witness[]): T },
  deeds: readonly Deed[],
): T {
  const names = NAMES.slice(0, deeds.length);
  const all = (seconds: number): Witness[] => names.map((node) => says(node, seconds));
  for (const seconds of [-10, -5, 0]) watch.round(seconds, all(seconds));
  for (const seconds of [10, 20, 30]) watch.round(seconds, all(0));
  return watch.round(
    40,
    names.map((node, index) => does(node, deeds[index]!)),
  );
}
