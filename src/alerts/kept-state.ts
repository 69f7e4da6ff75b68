import type { AlertTables } from "../store/alert-ports.ts";
import { Episode, Machine } from "./episode.ts";
import { ParsedRowCache } from "./parsed-rows.ts";
import { RuleSubjectMap } from "./per-subject.ts";

/** Where the rules of one network stand, as it is kept: most of it is as it was at the look before, and parsed then. */
export class NetworkStateCache {
  readonly #network: string;
  readonly #machines = new ParsedRowCache((data) => Machine.parse(JSON.parse(data)));
  readonly #episodes = new ParsedRowCache((data) => Episode.parse(JSON.parse(data)));

  constructor(network: string) {
    this.#network = network;
  }

  /** All machines, and the open episodes by their ids; for the caller to change. */
  async load(tables: AlertTables): Promise<{ machines: RuleSubjectMap<Machine>; open: Map<string, Episode> }> {
    const rows = await tables.watch.machines(this.#network);
    const machines = new RuleSubjectMap<Machine>();
    for (const machine of this.#machines.parse(rows, ({ rule, subject }) => `${rule}|${subject}`).values()) {
      machines.set(machine.rule, machine.subject, machine);
    }
    const open = this.#episodes.parse(await tables.watch.openEpisodes(this.#network), ({ id }) => id);
    return { machines, open };
  }
}
