import { setTimeout as sleep } from "node:timers/promises";

/** Resolves as soon as something holds; fails with its name when it does not for too long. */
export async function until(holds: () => boolean, what: string, withinMillis = 8000): Promise<void> {
  const end = performance.now() + withinMillis;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`);
    await sleep(2);
  }
}
