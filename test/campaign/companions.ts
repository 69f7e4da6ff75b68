import { setTimeout as sleep } from "node:timers/promises";

import { onServer, type PostgresServer } from "../support/postgres.ts";
import { freePort } from "../support/free-port.ts";
import type { Running } from "../support/bellwether.ts";
import { type Bot, type Kill, startBot } from "./bot-runs.ts";
import { CUT_CONNECTIONS, GO_BACK, KEEP } from "./database.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** What happens to one of the processes, or to all of them. */
const TROUBLES = ["a kill", "a freeze", "cut connections", "a leave", "a failover", "a restart of the server"] as const;

/** How far apart the clocks of the processes are. */
const CLOCKS_AHEAD = [90_000, -90_000, 0];
/** How far behind the server is that takes over. */
const BEHIND_MILLIS = 8000;

export type Trouble = (typeof TROUBLES)[number];

/** A database that several processes share, and how many run beside the one that is killed. */
export interface SharedDatabase {
  readonly url: string;
  readonly companions: number;
  /** Its server, where that is the campaign's own. */
  readonly server?: Pick<PostgresServer, "start" | "stop"> | undefined;
  /** What happens first; then what chance picks. */
  readonly troubles?: readonly Trouble[];
}

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
  #failedOver: Promise<void> = Promise.resolve();
  /** How often the database has gone back. */
  failovers = 0;
  readonly #server: Pick<PostgresServer, "start" | "stop"> | undefined;
  readonly #troubles: readonly Trouble[];
  #begun = 0;
  #troubled = 0;

  /** `troubles` come first, one after the other. Without `server` it is not restarted. */
  constructor(
    bot: Bot,
    random: SeededRandom,
    note: (line: string) => void,
    { server, troubles = [] }: Pick<SharedDatabase, "server" | "troubles">,
  ) {
    this.#server = server;
    this.#troubles = troubles;
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
    if (this.#count === 0 || isWatchersStep(kill)) return;
    // A server that others use is not restarted.
    const possible = TROUBLES.filter((one) => this.#server !== undefined || one !== "a restart of the server");
    await this.#suffer(this.#troubles[this.#troubled++] ?? this.#random.pick(possible));
  }

  /** Before a run that ends at a step which only the process that watches passes, they all leave. */
  async makeWay(kill: Kill): Promise<void> {
    if (this.#count > 0 && isWatchersStep(kill)) await this.#suffer("a leave");
  }

  async #suffer(what: Trouble): Promise<void> {
    await Promise.all([this.#frozen, this.#failedOver]);
    const index = Math.floor(this.#random.between(0, this.#running.length - 0.001));
    const one = this.#running[index];
    this.#note(`${what} beside`);
    if (what === "cut connections") {
      await onServer(this.#url, CUT_CONNECTIONS);
    } else if (what === "a failover") {
      await onServer(this.#url, ...KEEP);
      this.#failedOver = sleep(BEHIND_MILLIS).then(() => onServer(this.#url, CUT_CONNECTIONS, ...GO_BACK));
      this.failovers += 1;
    } else if (what === "a restart of the server") {
      await this.#server?.stop();
      await sleep(1000);
      await this.#server?.start();
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
    await Promise.all([this.#frozen, this.#failedOver]);
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
    const begun = startBot({ ...this.#bot, env }, undefined, CLOCKS_AHEAD[(this.#begun += 1) % CLOCKS_AHEAD.length]);
    await begun.printed(/Bellwether runs/u);
    return begun;
  }
}

function isWatchersStep(kill: Kill): boolean {
  return "at" in kill && kill.at.startsWith("observ");
}
