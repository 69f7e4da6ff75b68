import type { Finding } from "../../../src/adapters/finding.ts";

/** Each finding in one line. */
export const told = (findings: readonly Finding[]): string[] =>
  findings.map((one) => `${one.state} ${one.check}: ${one.what}${one.state === "ok" ? "" : ` -> ${one.remedy}`}`);
/** The same of those that are not in order. */
export const badOf = (findings: readonly Finding[]): string[] => told(findings.filter(({ state }) => state !== "ok"));
