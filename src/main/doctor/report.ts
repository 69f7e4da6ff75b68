import type { Finding } from "../../adapters/finding.ts";
import { EXIT_BUG, EXIT_CALLER, EXIT_NETWORK } from "../exit-codes.ts";

/** One line. Whatever it holds, no secret and no line break get through. */
export function findingLine(finding: Finding, hide: (text: string) => string): string {
  const { state, check, what } = finding;
  const remedy = finding.state === "ok" ? "" : `. ${finding.remedy}`;
  return hide(`${state.padEnd(8)} ${check}: ${what}${remedy}`)
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

/** Shorter ones would be found in any text. */
const SHORTEST_SECRET = 6;

/** Takes secrets out of a text, should some other side have repeated one. */
export function hiding(secrets: readonly (string | undefined)[]): (text: string) => string {
  const hidden = secrets
    .filter((secret) => secret !== undefined)
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length);
  return (text) => hidden.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
}

/** The last line. */
export function summaryOf(findings: readonly Finding[]): string {
  const count = (state: Finding["state"]): number => findings.filter((finding) => finding.state === state).length;
  const [faults, warnings] = [count("fault"), count("warning")];
  const words = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;
  if (faults + warnings === 0) return "Nothing is wrong.";
  return `${words(faults, "fault")}, ${words(warnings, "warning")}.`;
}
