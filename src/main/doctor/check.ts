import { fault, noAnswer, type Finding } from "../../adapters/finding.ts";
import { messageOf, UserError } from "../../errors.ts";
import type { Milliseconds } from "../../units/duration.ts";

/** One side of an installation to look at. */
export interface Check {
  /** Stands for its findings where there are none in time. */
  readonly name: string;
  /** Keeps this process busy while it runs: done when nobody else waits for an answer any more. */
  readonly blocks?: true;
  /** Gives at least one finding; may reject with UserError. */
  run(signal: AbortSignal): Promise<readonly Finding[]>;
}

/** What a check is given in all. */
const CHECK_MILLIS: Milliseconds = 12_000;

/**
 * Runs the checks, each bounded in time and none in the way of another, and hands their findings on in the order of the
 * checks as soon as they are there.
 */
export async function runChecks(
  checks: readonly Check[],
  show: (finding: Finding) => void,
  limitMillis = CHECK_MILLIS,
): Promise<readonly Finding[]> {
  const prompt = new Map(
    checks.filter(({ blocks }) => blocks !== true).map((one) => [one, runCheck(one, limitMillis)]),
  );
  const found: Finding[] = [];
  for (const one of checks) {
    // A check that blocks would make the others' time-outs go off: it waits for all of them.
    if (one.blocks === true) await Promise.all(prompt.values());
    const findings = await (prompt.get(one) ?? runCheck(one, limitMillis));
    for (const finding of findings) show(finding);
    found.push(...findings);
  }
  return found;
}

async function runCheck(check: Check, limitMillis: Milliseconds): Promise<readonly Finding[]> {
  const { name } = check;
  const over = new AbortController();
  const { promise: late, resolve } = Promise.withResolvers<readonly Finding[]>();
  const timer = setTimeout(() => {
    over.abort(new DOMException("The check took too long.", "TimeoutError"));
    // Who obeys the signal still says what it has found.
    setTimeout(
      () => resolve([noAnswer(name, "no answer in time", "Try again; if that stays, look at the network.")]),
      250,
    );
  }, limitMillis);
  try {
    return await Promise.race([check.run(over.signal), late]);
  } catch (thrown) {
    if (thrown instanceof UserError)
      return [fault(name, thrown.message.replace(/\.$/u, ""), thrown.remedy ?? "Mend that.")];
    const what = `could not be looked at: ${messageOf(thrown)}`;
    return [
      { state: "fault", check: name, what, remedy: "Report this line: it is a fault of Bellwether's.", cause: "bug" },
    ];
  } finally {
    clearTimeout(timer);
  }
}
