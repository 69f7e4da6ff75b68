import { fault, type Finding, noAnswer } from "../../adapters/finding.ts";
import { messageOf, UserError } from "../../errors.ts";
import { inTime, type Milliseconds } from "../../units/time.ts";
import { redact } from "../../units/redact.ts";
import { EXIT_BUG, EXIT_CALLER, EXIT_NETWORK } from "../cli/cli.ts";

/** A check of one side of an installation. */
export interface Check {
  /** Names the check in its findings, also when it times out. */
  readonly name: string;
  /** Blocks the event loop while it runs, so it runs after all others. */
  readonly blocks?: true;
  /** Gives at least one finding; may reject with UserError. */
  run(signal: AbortSignal): Promise<readonly Finding[]>;
}

/**
 * The same checks without findings about settings with faults, such as that one of them is not set. Each of `faults`
 * begins with the name of its setting. Where the addresses of a network have a fault, the finding that there is no data
 * node is left out, too.
 */
export function withoutFaulty(checks: readonly Check[], faults: readonly string[]): readonly Check[] {
  const faulty = new Set(faults.map((sentence) => sentence.split(" ", 1)[0] ?? ""));
  const isSaid = ({ check }: Finding): boolean =>
    faulty.has(check) || (check === "networks" && [...faulty].some((name) => name.endsWith("_URLS")));
  return checks.map((one) => ({
    ...one,
    run: async (signal) => (await one.run(signal)).filter((finding) => !isSaid(finding)),
  }));
}

/** Timeout of one check. */
const CHECK_TIMEOUT_MILLIS: Milliseconds = 12_000;
/** How much longer a check may take that gives its findings when its signal fires. */
const CHECK_GRACE_MILLIS: Milliseconds = 250;

/** Runs the checks concurrently, each with a timeout, and shows their findings in order, each as soon as possible. */
export async function runChecks(
  checks: readonly Check[],
  show: (finding: Finding) => void,
  limitMillis = CHECK_TIMEOUT_MILLIS,
): Promise<readonly Finding[]> {
  const prompt = new Map(
    checks.filter(({ blocks }) => blocks !== true).map((one) => [one, runCheck(one, limitMillis)]),
  );
  const found: Finding[] = [];
  for (const one of checks) {
    // A blocking check would make the others time out, so all of them end before it.
    if (one.blocks === true) await Promise.all(prompt.values());
    const findings = await (prompt.get(one) ?? runCheck(one, limitMillis));
    for (const finding of findings) show(finding);
    found.push(...findings);
  }
  return found;
}

async function runCheck(check: Check, limitMillis: Milliseconds): Promise<readonly Finding[]> {
  const { name } = check;
  const signal = AbortSignal.timeout(limitMillis);
  try {
    return await inTime(check.run(signal), { millis: limitMillis + CHECK_GRACE_MILLIS }, () => [
      noAnswer(name, "no answer in time", "Try again; if that stays, look at the network."),
    ]);
  } catch (thrown) {
    if (thrown instanceof UserError)
      return [fault(name, thrown.message.replace(/\.$/u, ""), thrown.remedy ?? "Mend that.")];
    const what = `the check failed: ${messageOf(thrown)}`;
    return [
      { state: "fault", check: name, what, remedy: "Report this line: it is a bug of Bellwether's.", cause: "bug" },
    ];
  }
}

/** A finding in one line, without secrets and line breaks. */
export function findingLine(finding: Finding): string {
  const { state, check, what } = finding;
  const remedy = finding.state === "ok" ? "" : `. ${finding.remedy}`;
  return redact(`${state.padEnd(8)} ${check}: ${what}${remedy}`)
    .replaceAll(/\p{Cc}+/gu, " ")
    .trimEnd();
}

/** 0: nothing is wrong, or only warnings; 1: a setting must be mended; 3: a bug; 2: only the network fails. */
export function exitCodeOf(findings: readonly Finding[]): number {
  const faults = findings.filter((finding) => finding.state === "fault");
  if (faults.some(({ cause }) => cause === undefined)) return EXIT_CALLER;
  if (faults.some(({ cause }) => cause === "bug")) return EXIT_BUG;
  return faults.length > 0 ? EXIT_NETWORK : 0;
}

/** The last line of the output. */
export function summaryOf(findings: readonly Finding[]): string {
  const count = (state: Finding["state"]): number => findings.filter((finding) => finding.state === state).length;
  const [faults, warnings] = [count("fault"), count("warning")];
  const words = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;
  if (faults + warnings === 0) return "Nothing is wrong.";
  return `${words(faults, "fault")}, ${words(warnings, "warning")}.`;
}
