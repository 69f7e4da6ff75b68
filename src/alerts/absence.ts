import { isOpen, type Episode, type Machine } from "./episode.ts";
import { timeToText } from "./json-units.ts";
import { resetMachine, type Step } from "./machine.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";

/** So many good looks in a row must lack a subject before it counts as gone: a node that is slow to learn is none. */
export const ROUNDS_UNTIL_GONE = 10;

/**
 * One more good look in which a watcher said nothing of a subject that it used to speak of. Once that is certain, what
 * was pending is dismissed, and an open episode is closed: its end would never be seen. Pure.
 */
export function stepAbsent(machine: Machine, episode: Episode | undefined, at: Nanoseconds): Step {
  const absent = (machine.absent ?? 0) + 1;
  if (absent < ROUNDS_UNTIL_GONE) {
    return { machine: { ...machine, absent }, ...(episode === undefined ? {} : { episode }), changes: [] };
  }
  const calm = resetMachine(clearAbsence(machine));
  if (episode === undefined || !isOpen(episode)) return { machine: calm, changes: ["dismissed"] };
  return { machine: calm, episode: { ...episode, state: "gone", ended: timeToText(at) }, changes: ["gone"] };
}

/** It was spoken of again. */
export function clearAbsence(machine: Machine): Machine {
  if (machine.absent === undefined) return machine;
  const { absent: _, ...rest } = machine;
  return rest;
}
