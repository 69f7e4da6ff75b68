import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import { Client } from "pg";

import { onServer, type PostgresServer, serverPackageMissing, startPostgres } from "../test/support/postgres.ts";
import { type DistantServer, openDistantServer } from "./support/distant-server.ts";
import { atLeast, atMost, median, type Measured, runAsScript } from "./support/figure.ts";

// One event to many channels over HTTP, to platforms without limits in another process: deliveries a second, from the
// event to the last message, of one process on SQLite and of one, two and four on a PostgreSQL server of this machine, by
// turns. The processes have no limits of their own either: those of the platforms, which all share, would hide the curve.
// Both engines are as durable as they are by default. Platforms, server and processes share this machine's cores: what a
// delivery costs them says how many these carry.
// Then the same with a server at a distance and platforms that take their time: what a delivery costs in round trips.

const CHANNELS = 2000;
const ROUNDS = 3;
const NAME = "deliveries a second by one, two or four processes, the least";
/** The pause between two looks at who waits for the turn. */
const LOOK_MILLIS = 50;
/** The last receipts are stored, and the platforms count. */
const SETTLE_MILLIS = 300;
const GIVE_UP_MILLIS = 60_000;
/** From a process to the distant server, and as long back. */
const ONE_WAY_MILLIS = 4;
/** How long a platform takes to answer. */
const ANSWER_MILLIS = 450;
/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: its clock ticks, 100 a second on Linux. */
const MILLIS_PER_TICK = 10;

interface Taken {
  readonly perSecond: number;
  /** Milliseconds of a core for each delivery. */
  readonly cost: { readonly processes: number; readonly server: number; readonly platforms: number };
  /** The part of the looks in which a process waited for another one's transaction; 0 to 1. */
  readonly waiting: number;
  /** How often the processes waited for the server, for each delivery; 0 where it is near. */
  readonly trips: number;
}

interface Group extends AsyncDisposable {
  readonly name: string;
  take(): Promise<Taken>;
}

async function measure(): Promise<readonly Measured[]> {
  if (serverPackageMissing !== undefined) return [{ name: NAME, skipped: `no PostgreSQL ${serverPackageMissing}` }];
  const server = await startPostgres({ settings: { fsync: "on", full_page_writes: "on", synchronous_commit: "on" } });
  try {
    return [...(await measureNear(server)), ...(await measureFar(server))];
  } finally {
    await server.remove();
  }
}

async function measureNear(server: PostgresServer): Promise<readonly Measured[]> {
  const { curve, detail } = await takeCurve(server, "near");
  const [, one = 0, two = 0, four = 0] = curve.map(({ perSecond }) => perSecond);
  return [
    // Five times what Discord allows a bot.
    atLeast(NAME, Math.min(one, two, four), 250, "/s", detail),
    // They share the cores and the turn: more of them must not hinder each other.
    atLeast("deliveries a second by four processes, against one", four / one, 0.5, "times", detail),
  ];
}

async function measureFar(server: PostgresServer): Promise<readonly Measured[]> {
  const { curve, detail } = await takeCurve(server, "far");
  const [one = 0, two = 0] = curve.map(({ perSecond }) => perSecond);
  const trips = Math.max(...curve.map((taken) => taken.trips));
  const where = `${ONE_WAY_MILLIS} ms to the server, platforms take ${ANSWER_MILLIS} ms; ${detail}`;
  return [
    atMost("round trips for each delivery, to a distant server", trips, 0.15, "", where),
    atLeast("deliveries a second by two processes, against one, distant", two / one, 1.6, "times", where),
  ];
}

/** The medians of groups of processes that deliver by turns; near, also of one process on SQLite. */
async function takeCurve(server: PostgresServer, at: "near" | "far") {
  const platforms = fork(new URL("support/open-platforms.ts", import.meta.url), [
    String(at === "far" ? ANSWER_MILLIS : 0),
  ]);
  try {
    const [{ origin }] = (await once(platforms, "message")) as [{ origin: string }];
    await using stack = new AsyncDisposableStack();
    const groups: Group[] = [];
    if (at === "near") groups.push(stack.use(await openGroup({ name: "SQLite", count: 1, origin, platforms })));
    for (const count of [1, 2, 4]) {
      const database = `${at}${count}`;
      await onServer(server.url("postgres"), `create database ${database}`);
      const distant = at === "far" ? stack.use(await openDistantServer(server.socket, ONE_WAY_MILLIS)) : undefined;
      const shared = { server, database, distant };
      groups.push(stack.use(await openGroup({ name: `PostgreSQL × ${count}`, count, origin, platforms, shared })));
    }
    const taken = new Map(groups.map(({ name }) => [name, [] as Taken[]]));
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const group of groups) {
        const one = await group.take();
        if (round > 0) taken.get(group.name)?.push(one);
      }
    }
    const curve = [...taken].map(([name, all]) => ({ name, ...mediansOf(all) }));
    console.log(curve.map(lineOf).join("\n"));
    const rates = curve.map(({ name, perSecond }) => `${name} ${perSecond.toFixed(0)}/s`).join(", ");
    return { curve, detail: `${CHANNELS} channels, medians of ${ROUNDS}: ${rates}` };
  } finally {
    platforms.kill();
  }
}

function mediansOf(all: readonly Taken[]): Taken {
  const of = (part: (one: Taken) => number): number => median(all.map((one) => part(one)));
  return {
    perSecond: of(({ perSecond }) => perSecond),
    cost: {
      processes: of(({ cost }) => cost.processes),
      server: of(({ cost }) => cost.server),
      platforms: of(({ cost }) => cost.platforms),
    },
    waiting: of(({ waiting }) => waiting),
    trips: of(({ trips }) => trips),
  };
}

function lineOf({ name, perSecond, cost, waiting, trips }: Taken & { readonly name: string }): string {
  const { processes, server, platforms } = cost;
  const parts = `processes ${processes.toFixed(2)}, server ${server.toFixed(2)}, platforms ${platforms.toFixed(2)}`;
  const most = 1000 / (processes + server + platforms);
  return `${name}: ${perSecond.toFixed(0)}/s; ms of a core for each: ${parts}, so ${most.toFixed(0)}/s on each core at most; one waits for another's transaction in ${(waiting * 100).toFixed(0)} % of the time; ${trips.toFixed(3)} round trips for each`;
}

interface GroupOptions {
  readonly name: string;
  readonly count: number;
  readonly origin: string;
  readonly platforms: ChildProcess;
  /** Left out: a file. */
  readonly shared?: {
    readonly server: PostgresServer;
    readonly database: string;
    readonly distant: DistantServer | undefined;
  };
}

async function openGroup({ name, count, origin, platforms, shared }: GroupOptions): Promise<Group> {
  const url = shared?.server.url(shared.database);
  const seen = shared?.distant?.url(shared.database) ?? url;
  const processes: ChildProcess[] = [];
  for (let index = 0; index < count; index += 1) {
    const channels = String(index === 0 ? CHANNELS : 0);
    const options = ["--origin", origin, "--channels", channels, ...(seen === undefined ? [] : ["--url", seen])];
    const child = fork(new URL("support/delivering-process.ts", import.meta.url), options);
    await once(child, "message");
    processes.push(child);
  }
  const used = (): readonly number[] => [
    sum(processes.map(({ pid }) => cpuMillis(pid))),
    shared === undefined ? 0 : serverMillis(shared.server.pid()),
    cpuMillis(platforms.pid),
  ];
  let block = 100;
  return {
    name,
    async take() {
      const arrived = once(platforms, "message", { signal: AbortSignal.timeout(GIVE_UP_MILLIS) }) as Promise<
        [{ lastAt: number }]
      >;
      platforms.send(CHANNELS);
      await sleep(SETTLE_MILLIS);
      const before = used();
      const tripsBefore = shared?.distant?.trips() ?? 0;
      const over = new AbortController();
      const looks = url === undefined ? Promise.resolve(0) : lookForWaiting(url, over.signal);
      const began = performance.timeOrigin + performance.now();
      processes[0]?.send((block += 1));
      const [{ lastAt }] = await arrived.finally(() => over.abort());
      const waiting = await looks;
      await sleep(SETTLE_MILLIS);
      const trips = ((shared?.distant?.trips() ?? 0) - tripsBefore) / CHANNELS;
      const [ofProcesses = 0, ofServer = 0, ofPlatforms = 0] = used().map(
        (millis, index) => (millis - (before[index] ?? 0)) / CHANNELS,
      );
      return {
        perSecond: CHANNELS / ((lastAt - began) / 1000),
        cost: { processes: ofProcesses, server: ofServer, platforms: ofPlatforms },
        waiting,
        trips,
      };
    },
    async [Symbol.asyncDispose]() {
      const ends = processes.map((one) => once(one, "exit"));
      for (const one of processes) one.kill();
      await Promise.all(ends);
    },
  };
}

/** The part of the looks in which a connection to the database waited for a lock. */
async function lookForWaiting(url: string, signal: AbortSignal): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  let [looks, waiting] = [0, 0];
  while (!signal.aborted) {
    const { rows } = await client.query<{ waits: boolean }>(
      "select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as waits",
    );
    looks += 1;
    if (rows[0]?.waits === true) waiting += 1;
    await sleep(LOOK_MILLIS);
  }
  await client.end();
  return waiting / looks;
}

/** What a process has used of the cores; 0 once it has ended. */
function cpuMillis(pid: number | undefined): number {
  return sum(ticksOf(pid).slice(0, 2)) * MILLIS_PER_TICK;
}

/** The same of a server: its first process, those that it began and those that have ended. */
function serverMillis(first: number): number {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && parentOf(Number(name)) === first)
    .map((name) => cpuMillis(Number(name)));
  return sum(children) + sum(ticksOf(first)) * MILLIS_PER_TICK;
}

/** Its own time in user and system mode, and that of children that have ended. */
function ticksOf(pid: number | undefined): number[] {
  return statOf(pid).slice(11, 15).map(Number);
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

/** The fields after the name of the process. */
function statOf(pid: number | undefined): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /su, "")
      .split(" ");
  } catch {
    return [];
  }
}

function sum(all: readonly number[]): number {
  return all.reduce((total, one) => total + one, 0);
}

await runAsScript(import.meta.url, measure);
