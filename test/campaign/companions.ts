import { setTimeout as sleep } from "node:timers/promises";

import { freePort } from "../support/free-port.ts";
import type { Running } from "../support/bellwether.ts";
import { type Bot, startBot } from "./bot-runs.ts";
import { readRows } from "./database.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** What happens to one of the processes, or to all of them. */
const TROUBLES = ["a kill", "a freeze", "cut connections"] as const;

/** Longer than a process is believed to live without a heartbeat. */
const FROZEN_MILLIS = 10_000;

/** The equal processes beside the one that is killed at its steps. They are killed, frozen and cut off from the database. */
export class Companions {
  readonly #bot: Bot;
  readonly #random: SeededRandom;
  readonly #note: (line: string) => void;
  #running: Running[] = [];
  #frozen: Promise<void> = Promise.resolve();

  constructor(bot: Bot, random: SeededRandom, note: (line: string) => void) {
    this.#bot = bot;
    this.#random = random;
    this.#note = note;
  }

  async start(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) this.#running.push(await this.#begin());
  }

  /** Something happens to one of them; a freeze goes on in the background. */
  async trouble(): Promise<void> {
    if (this.#running.length === 0) return;
    await this.#frozen;
    const [what = "a kill"] = this.#random.shuffled([...TROUBLES]);
    const index = Math.floor(this.#random.between(0, this.#running.length - 0.001));
    const one = this.#running[index];
    this.#note(`${what} beside`);
    if (what === "cut connections") {
      await readRows(
        this.#url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()",
      );
    } else if (what === "a freeze") {
      one?.child.kill("SIGSTOP");
      this.#frozen = sleep(FROZEN_MILLIS).then(() => void one?.child.kill("SIGCONT"));
    } else {
      await one?.kill("SIGKILL");
      this.#running[index] = await this.#begin();
    }
  }

  /** All end in order; gives what went wrong with that. */
  async stop(): Promise<string[]> {
    await this.#frozen;
    const ends = await Promise.all(this.#running.map((one) => one.kill("SIGTERM")));
    this.#running = [];
    return ends.flatMap(({ code, stderr }) =>
      code === 0 ? [] : [`a process did not end in order (${code}): ${stderr}`],
    );
  }

  get #url(): string {
    return this.#bot.env["DATABASE_URL"] ?? "";
  }

  async #begin(): Promise<Running> {
    const env = { ...this.#bot.env, WEB_PORT: String(await freePort()) };
    const begun = startBot({ ...this.#bot, env });
    await begun.printed(/Bellwether runs/u);
    return begun;
  }
}
