import type { Finding } from "../../../src/adapters/finding.ts";

/** Each finding in one line. */
export const findingLines = (findings: readonly Finding[]): string[] =>
  findings.map((one) => `${one.state} ${one.check}: ${one.what}${one.state === "ok" ? "" : ` -> ${one.remedy}`}`);
/** The findings that are not ok, in one line each. */
export const problemLines = (findings: readonly Finding[]): string[] =>
  findingLines(findings.filter(({ state }) => state !== "ok"));
