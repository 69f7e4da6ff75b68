/** `20231114221320`, UTC: for names of files. */
export function stamp(at: Date): string {
  return at.toISOString().replaceAll(/\D/gu, "").slice(0, 14);
}
