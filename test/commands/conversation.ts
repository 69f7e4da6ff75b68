import { onTestFinished } from "vitest";

import { openSimulatorTalk, type SimulatorTalk, type SimulatorTalkOptions } from "../support/simulator-talk.ts";

/** A conversation with the simulated networks at a Thursday noon; both end with the test. */
export async function talkToSimulator(options: SimulatorTalkOptions = {}): Promise<SimulatorTalk> {
  const conversation = await openSimulatorTalk(options);
  onTestFinished(() => conversation[Symbol.asyncDispose]());
  return conversation;
}
