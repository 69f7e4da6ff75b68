import { onTestFinished } from "vitest";

import { type AlertsConfig, parseAlertsConfig } from "../../src/alerts/alerts-config.ts";
import { nowMillis, randomId, type StepName } from "../../src/alerts/dependencies.ts";
import {
  createDispatcher,
  type DispatchDependencies,
  type Dispatcher,
} from "../../src/alerts/deliver/dispatch/dispatch.ts";
import { type AlertEngine, createAlertEngine } from "../../src/alerts/engine/engine.ts";
import type { AlertEvent } from "../../src/alerts/judge/kinds/event.ts";
import type { Reading } from "../../src/alerts/judge/kinds/reading.ts";
import type { AlertMessage } from "../../src/alerts/message/message.ts";
import { enqueue } from "../../src/alerts/deliver/outbox/outbox.ts";
import type { Sender } from "../../src/alerts/sender.ts";
import { type Log, silentLog } from "../../src/log.ts";
import { createStore, type DatabaseStore } from "../../src/store/create-store.ts";
import { backUp, restore } from "../../src/store/file/backup.ts";
import { settled, VirtualClock } from "../api/virtual-clock.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { describeAlert } from "../support/gist.ts";
import { scratchDatabase, type ScratchDatabase } from "../support/scratch-database.ts";
import { ALIVE_FOR, singleProcess } from "../../src/store/processes.ts";
import type { Processes } from "../../src/store/store.ts";
import { rowsOnce } from "./rows-once.ts";
import type { Destination } from "../../src/alerts/destination.ts";
import { PLATFORMS } from "../support/platforms.ts";

/** Monday, 2024-06-03 12:00 UTC. */
export const NOON = 1_717_416_000_000_000_000n;

export interface StageOptions {
  readonly config?: string;
  readonly startedAt?: bigint;
  readonly senders?: (now: () => number) => FakeSender[];
  readonly operators?: Destination;
  readonly console?: Destination;
  readonly simulated?: readonly string[];
  readonly describe?: DispatchDependencies["describe"];
  /** Draws alerts; left out, their messages get no pictures. */
  readonly draw?: DispatchDependencies["draw"];
  /** Platforms whose senders the test keeps itself. */
  readonly chats?: readonly Sender[];
  readonly log?: Log;
  readonly onOutcome?: DispatchDependencies["onOutcome"];
  /** How many rows of a batch are fanned out at once. */
  readonly chunkRows?: number;
  /** How long ended episodes and their states are kept. */
  readonly keepStates?: number;
  /** Its database is one that other processes use, too. */
  readonly isShared?: boolean;
}

/** The whole path from a reading to a message, in virtual time, on its own database. */
export class Stage {
  readonly clock: VirtualClock;
  readonly senders: readonly FakeSender[];
  readonly config: AlertsConfig;
  /** The steps passed, in order. */
  readonly steps: StepName[] = [];
  engine!: AlertEngine;
  dispatcher!: Dispatcher;
  store!: DatabaseStore;
  readonly #database: ScratchDatabase;
  readonly #options: StageOptions;
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  private constructor(database: ScratchDatabase, options: StageOptions) {
    this.#database = database;
    this.#options = options;
    this.clock = new VirtualClock(options.startedAt ?? NOON);
    this.config = parseAlertsConfig(options.config ?? "{}");
    this.senders = options.senders?.(() => this.now()) ?? [new FakeSender({ now: () => this.now() })];
  }

  static async open(options: StageOptions = {}): Promise<Stage> {
    const stage = new Stage(await scratchDatabase(), options);
    await stage.#start();
    return stage;
  }

  get sender(): FakeSender {
    const [first] = this.senders;
    if (first === undefined) throw new Error("no sender");
    return first;
  }

  now(): number {
    return nowMillis(this.clock);
  }

  /** A round of the watcher `w` of mainnet, and everything that comes of it at once. */
  async round(
    readings: readonly Reading[],
    events: readonly AlertEvent[] = [],
    network = "mainnet",
    more: { readonly name?: string; readonly failure?: unknown } = {},
  ): ReturnType<AlertEngine["processObservation"]> {
    const { name = "w", ...rest } = more;
    const watcher = { name, every: 5000 };
    const at = this.clock.wallClock();
    const snapshot = { at: String(at) };
    const done = await this.engine.processObservation({ network, watcher, snapshot, readings, events, at, ...rest });
    await settled();
    return done;
  }

  /** Adds a message to the outbox. Returns the delivery's id. */
  async owe(destination: Destination, message: AlertMessage): Promise<string> {
    const id = randomId();
    const phase = message.type === "export" ? "export" : "bot";
    const deliveries = [{ id, destination, phase, message }] as const;
    await this.store.transaction(({ alerts }) => enqueue(alerts, { deliveries }, this.now()));
    this.dispatcher.wake();
    return id;
  }

  /** A delivery as it stands, and its receipt once it has arrived. */
  delivery(id: string) {
    return this.store.transaction(async ({ alerts: { outbox } }) => {
      const [row] = await outbox.get([id]);
      const [receipt] = await outbox.receipts([id]);
      return row === undefined ? undefined : { row, receipt };
    });
  }

  /** Rounds 5 s apart, the first of them now, with upkeep in between. */
  async rounds(count: number, readings: readonly Reading[]): Promise<void> {
    for (let round = 0; round < count; round += 1) {
      await this.round(readings);
      await this.pass(5000);
    }
  }

  /** Lets time pass: upkeep at its end, and whatever becomes due. */
  async pass(millis: number): Promise<void> {
    await this.clock.advance(millis);
    await this.engine.upkeep();
    await settled();
    await this.clock.advance(0);
  }

  /** Lets time pass in one step: what was due meanwhile happens once, at its end. */
  async leap(millis: number): Promise<void> {
    await this.clock.leap(millis);
    await this.pass(0);
  }

  /**
   * Keeps what the database holds. Later, the living process finds it so again, as behind a failover to a server that was
   * behind.
   */
  keep(): () => Promise<void> {
    const kept = `${this.file}.${this.now()}`;
    backUp(this.file, kept);
    return async () => {
      await this.store.close();
      await restore(this.file, kept, "before");
      this.store = this.#openStore();
      await this.store.ping();
    };
  }

  /** Ends the process at once, as a kill does, and starts another after so long. */
  async restart(downtimeMillis = 1000): Promise<void> {
    await this.stop();
    await this.clock.advance(downtimeMillis);
    await this.#start();
  }

  /** Stops the dispatcher; deliveries owed from then on wait for the next process. */
  async stopDelivering(): Promise<void> {
    this.#stop.abort();
    await settled();
    await this.clock.advance(10_000);
    await this.#running;
  }

  async stop(): Promise<void> {
    await this.stopDelivering();
    await this.store.close();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#database.remove();
  }

  /** Of its database. */
  get file(): string {
    return this.#database.file;
  }

  #openStore(): DatabaseStore {
    const { log = silentLog() } = this.#options;
    return rowsOnce(createStore({ url: this.file, log, now: () => this.now() }));
  }

  async #start(): Promise<void> {
    const { clock, config } = this;
    const { log = silentLog(), draw } = this.#options;
    this.store = this.#openStore();
    await this.store.ping();
    const { operators, console: shown, onOutcome } = this.#options;
    const recipients = {
      ...(operators === undefined ? {} : { operators }),
      ...(shown === undefined ? {} : { console: shown }),
    };
    const senders: readonly Sender[] = [...this.senders, ...(this.#options.chats ?? [])];
    const known = new Map<string, "edited" | "over">(PLATFORMS.chats.map(({ id, pictures }) => [id, pictures]));
    // What a process holds outlives the database that it holds it of.
    const { processes } = this.store;
    const store: Pick<DatabaseStore, "transaction" | "processes"> = {
      processes: this.#options.isShared === true ? oneOfSome() : processes,
      transaction: (work) => this.store.transaction(work),
    };
    this.dispatcher = createDispatcher({
      store,
      clock,
      log,
      senders,
      describe: this.#options.describe ?? describeAlert,
      draw,
      platforms: PLATFORMS,
      random: () => 0,
      onStep: (step) => this.steps.push(step),
      ...(onOutcome === undefined ? {} : { onOutcome }),
      ...recipients,
    });
    this.engine = createAlertEngine({
      store,
      config,
      clock,
      log,
      simulated: new Set(this.#options.simulated),
      onStep: (step) => this.steps.push(step),
      onOwed: () => this.dispatcher.wake(),
      ...(draw === undefined ? {} : { picturesOn: (platform) => known.get(platform) ?? "edited" }),
      ...(this.#options.chunkRows === undefined ? {} : { chunkRows: this.#options.chunkRows }),
      ...(this.#options.keepStates === undefined ? {} : { keepStates: this.#options.keepStates }),
      ...recipients,
    });
    this.#stop = new AbortController();
    this.#running = this.dispatcher.run(this.#stop.signal);
    await settled();
  }
}

/** A process with others beside it, as far as the dispatcher asks. */
export function oneOfSome(): Processes {
  return { ...singleProcess(), aliveFor: ALIVE_FOR };
}

/** A stage that ends with its test, which fails where a sender was not used as it must be. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const stage = await Stage.open(options);
  onTestFinished(async () => {
    await stage.close();
    for (const sender of stage.senders) sender.verify();
  });
  return stage;
}
