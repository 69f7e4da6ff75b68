import { setTimeout as sleep } from "node:timers/promises";

import { freePort } from "../support/free-port.ts";
import type { Running } from "../support/bellwether.ts";
import { type Bot, type Kill, startBot } from "./bot-runs.ts";
import { readRows } from "./database.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** What happens to one of the processes, or to all of them. */
const TROUBLES = ["a kill", "a freeze", "cut connections", "a leave"] as const;

/** Longer than a process is believed to live without a heartbeat. */
const FROZEN_MILLIS = 10_000;

/** How long an orderly end may take. */
const LEAVE_MILLIS = 10_000;

/** The equal processes beside the one that is killed at its steps. They are killed, frozen and cut off from the database. */
export class Companions {
  readonly #bot: Bot;
  readonly #random: SeededRandom;
  readonly #note: (line: string) => void;
  readonly #unordered: string[] = [];
  #count = 0;
  #running: Running[] = [];
  #frozen: Promise<void> = Promise.resolve();

  constructor(bot: Bot, random: SeededRandom, note: (line: string) => void) {
    this.#bot = bot;
    this.#random = random;
    this.#note = note;
  }

  async start(count: number): Promise<void> {
    this.#count = count;
    await this.gather();
  }

  /** Before a run that ends as named something happens to one of them, or to all; a freeze goes on in the background. */
  async trouble(kill: Kill): Promise<void> {
    if (this.#count > 0 && !isWatchersStep(kill)) await this.#suffer(this.#random.pick(TROUBLES));
  }

  /** Before a run that ends at a step which only the process that watches passes, they all leave. */
  async makeWay(kill: Kill): Promise<void> {
    if (this.#count > 0 && isWatchersStep(kill)) await this.#suffer("a leave");
  }

  async #suffer(what: (typeof TROUBLES)[number]): Promise<void> {
    await this.#frozen;
    const index = Math.floor(this.#random.between(0, this.#running.length - 0.001));
    const one = this.#running[index];
    this.#note(`${what} beside`);
    if (what === "cut connections") {
      await readRows(
        this.#url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()",
      );
    } else if (what === "a leave") {
      this.#unordered.push(...(await this.#leave()));
    } else if (what === "a freeze") {
      one?.child.kill("SIGSTOP");
      this.#frozen = sleep(FROZEN_MILLIS).then(() => void one?.child.kill("SIGCONT"));
    } else {
      await one?.kill("SIGKILL");
      this.#running[index] = await this.#begin();
    }
  }

  /** All that have left are there again. */
  async gather(): Promise<void> {
    while (this.#running.length < this.#count) this.#running.push(await this.#begin());
  }

  /** All end in order; gives what went wrong with that, now and before. */
  async stop(): Promise<string[]> {
    await this.#frozen;
    return [...this.#unordered, ...(await this.#leave())];
  }

  async #leave(): Promise<string[]> {
    const began = performance.now();
    const ends = await Promise.all(this.#running.map((one) => one.kill("SIGTERM")));
    this.#running = [];
    const millis = performance.now() - began;
    return [
      ...ends.flatMap(({ code, stderr }) =>
        code === 0 ? [] : [`a process did not end in order (${code}): ${stderr}`],
      ),
      ...(millis > LEAVE_MILLIS ? [`processes took ${Math.round(millis)} ms to end in order`] : []),
    ];
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

function isWatchersStep(kill: Kill): boolean {
  return "at" in kill && kill.at.startsWith("observ");
}
