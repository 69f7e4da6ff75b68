import type { AlertTables } from "../store/alert-ports.ts";
import { Episode, Machine } from "./episode.ts";
import { ParsedRows } from "./parsed-rows.ts";
import { PerSubject } from "./per-subject.ts";

/** Where the rules of one network stand, as it is kept: most of it is as it was at the look before, and parsed then. */
export class KeptState {
  readonly #network: string;
  readonly #machines = new ParsedRows((data) => Machine.parse(JSON.parse(data)));
  readonly #episodes = new ParsedRows((data) => Episode.parse(JSON.parse(data)));

  constructor(network: string) {
    this.#network = network;
  }

  /** All machines, and the open episodes by their ids; for the caller to change. */
  async load(tables: AlertTables): Promise<{ machines: PerSubject<Machine>; open: Map<string, Episode> }> {
    const rows = await tables.watch.machines(this.#network);
    const machines = new PerSubject<Machine>();
    for (const machine of this.#machines.of(rows, ({ rule, subject }) => `${rule}|${subject}`).values()) {
      machines.set(machine.rule, machine.subject, machine);
    }
    const open = this.#episodes.of(await tables.watch.openEpisodes(this.#network), ({ id }) => id);
    return { machines, open };
  }
}
