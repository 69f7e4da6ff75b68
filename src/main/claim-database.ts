import type { Config } from "../config/config.ts";
import type { Log } from "../log.ts";
import type { EmbeddedStore } from "../store/create-store.ts";
import { enforceOrigin, type Origin, originOf } from "../store/file/origin.ts";
import { stamp } from "./stamp.ts";

/** Whose database the networks of a process need. */
export function neededOrigin({ networks }: Pick<Config, "networks">): Origin {
  return networks.length === 0 ? "simulated" : "configured";
}

/**
 * Takes the database for this process; what a simulated network left in it is set aside first, whose alerts would stay
 * open for ever on a real one. Rejects with UserError where it cannot be used.
 */
export async function claimDatabase(store: EmbeddedStore, config: Pick<Config, "networks">, log: Log): Promise<void> {
  const aside = await enforceOrigin(store.file, neededOrigin(config), `simulated-${stamp(new Date())}`);
  if (aside !== undefined) log.warn({ file: aside }, "the database begins anew: it held what the simulator had left");
  await store.claim();
}

/** For a process that takes no database for long: what is odd about the one it reads, in a sentence. */
export function strangeOrigin(file: string, config: Pick<Config, "networks">): string | undefined {
  const origin = originOf(file);
  if (origin === undefined || origin === neededOrigin(config)) return undefined;
  return origin === "simulated"
    ? `What alerts and my … say comes from the simulator, which left it in ${file}; npm start sets it aside.`
    : `What alerts and my … say comes from networks that are no longer set, out of ${file}.`;
}
