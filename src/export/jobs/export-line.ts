import { UserError } from "../../errors.ts";
import type { ExportJobRow } from "../../store/store.ts";
import type { Milliseconds } from "../../units/time.ts";

/** A job that waits or runs, in whichever process. Times are Unix milliseconds. */
type OpenJob = Pick<
  ExportJobRow,
  "code" | "platform" | "person" | "network" | "state" | "created_at" | "started_at" | "ended_at"
>;

/** The state of all exports at one moment. */
export interface LineState {
  /** Oldest first. */
  readonly open: readonly OpenJob[];
  /** When the last export of each person who waits ended. */
  readonly served: readonly { readonly platform: string; readonly person: string; readonly at: Milliseconds }[];
  readonly at: Milliseconds;
  /** How many exports a network's nodes take at a time; 1 or more. */
  readonly nodes: (network: string) => number;
  /** Until when the nodes of a network must not be asked, as far as this process knows. */
  readonly pausedUntil: (network: string) => Milliseconds;
  /** A network's last exports, the last one first. */
  readonly lastTurns: (network: string) => readonly Turn[];
  /** The pause that each node gets between two exports; an export that begins in it waits for its end. */
  readonly pauseMillis: (network: string) => Milliseconds;
}

/** When an export began and ended. */
export interface Turn {
  readonly began: Milliseconds;
  readonly ended: Milliseconds;
}

/** The place of a waiting job. */
export interface Place {
  /** From 1, among `of` that wait for the same network. */
  readonly place: number;
  readonly of: number;
  /** An estimate of the time until it begins, where earlier exports allow one. */
  readonly waitMillis?: Milliseconds | undefined;
}

/**
 * The order in which exports begin: one export a node and one a person at a time, over all processes. It is computed
 * from stored rows alone, so that all processes compute the same. Each person has one place in the line for all their
 * requests, by the time of the first. They move behind the others when one of their exports begins, and again when it
 * ends. Whoever asks for five files waits, from the second on, behind everybody who waits by then. So everybody's turn
 * comes.
 */
export class ExportLine {
  readonly #state: LineState;
  readonly #running: readonly OpenJob[];
  /** The waiting jobs of each person, in the order of turns. */
  readonly #turns: readonly (readonly OpenJob[])[];

  constructor(state: LineState) {
    this.#state = state;
    this.#running = state.open.filter((job) => job.state === "running" && job.ended_at === null);
    const served = new Map(state.served.map((one) => [turnKey(one), one.at]));
    for (const job of this.#running) {
      const key = turnKey(job);
      served.set(key, Math.max(served.get(key) ?? 0, job.started_at ?? 0));
    }
    const waiting = Map.groupBy(
      state.open.filter((job) => job.state === "queued"),
      turnKey,
    );
    this.#turns = [...waiting]
      .map(([key, jobs]) => {
        const [came, last] = [jobs[0]?.created_at ?? 0, served.get(key) ?? 0];
        return { jobs, since: Math.max(came, last), wasServed: last >= came, code: jobs[0]?.code ?? "" };
      })
      .toSorted((a, b) => a.since - b.since || Number(a.wasServed) - Number(b.wasServed) || (a.code < b.code ? -1 : 1))
      .map(({ jobs }) => jobs);
  }

  /** The codes of all jobs that may begin now, in whichever process. */
  next(): readonly string[] {
    const people = new Set(this.#running.map(turnKey));
    const busy = new Map<string, number>();
    for (const { network } of this.#running) busy.set(network, (busy.get(network) ?? 0) + 1);
    const isFree = ({ network }: OpenJob): boolean =>
      (busy.get(network) ?? 0) < this.#state.nodes(network) && this.refusedUntil(network) === undefined;
    return this.#turns.flatMap((jobs) => {
      const first = jobs.find(isFree);
      if (first === undefined || people.has(turnKey(first))) return [];
      busy.set(first.network, (busy.get(first.network) ?? 0) + 1);
      return [first.code];
    });
  }

  /** The line once these have begun. */
  withBegun(codes: readonly string[]): ExportLine {
    const { open, at } = this.#state;
    const begun = open.map((job) =>
      codes.includes(job.code) ? { ...job, state: "running" as const, started_at: at } : job,
    );
    return new ExportLine({ ...this.#state, open: begun });
  }

  /** Whether a job runs. */
  runs(code: string): boolean {
    return this.#running.some((job) => job.code === code);
  }

  /**
   * Until when no export of a network begins, because its nodes ask for fewer questions; undefined where they do not.
   */
  refusedUntil(network: string): Milliseconds | undefined {
    const { open, at, pausedUntil } = this.#state;
    const times = open.flatMap((job) =>
      job.state === "queued" && job.network === network ? (job.started_at ?? 0) : [],
    );
    const until = Math.max(pausedUntil(network), ...times);
    return until > at ? until : undefined;
  }

  /** The places of all waiting jobs, by code. */
  places(): ReadonlyMap<string, Place> {
    const places = new Map<string, Place>();
    for (const network of new Set(this.#turns.flat().map((job) => job.network))) {
      const order = this.#order(network);
      for (const [ahead, { code }] of order.entries()) {
        places.set(code, { place: ahead + 1, of: order.length, waitMillis: this.#waitOf(network, ahead) });
      }
    }
    return places;
  }

  /** The jobs that wait for a network, in the order in which they would begin. */
  #order(network: string): readonly OpenJob[] {
    const rounds: OpenJob[][] = [];
    for (const jobs of this.#turns) {
      const here = jobs.filter((job) => job.network === network);
      for (const [round, job] of here.entries()) (rounds[round] ??= []).push(job);
    }
    return rounds.flat();
  }

  /** The estimate takes each export to last as long as the last ones did on average, and a pause before it. */
  #waitOf(network: string, ahead: number): Milliseconds | undefined {
    const { at, lastTurns, pauseMillis } = this.#state;
    const [turns, pause, nodes] = [lastTurns(network), pauseMillis(network), this.#state.nodes(network)];
    if (turns.length === 0) return undefined;
    /** When the node of an export that began then had its pause behind it. */
    const askedAt = (began: Milliseconds): Milliseconds => {
      const before = turns.filter(({ ended }) => ended <= began)[nodes - 1];
      return Math.max(began, (before?.ended ?? -Infinity) + pause);
    };
    const lasted = turns.map(({ began, ended }) => Math.max(0, ended - askedAt(began)));
    const average = lasted.reduce((sum, one) => sum + one, 0) / lasted.length;
    const left = this.#running
      .flatMap((job) => (job.network === network ? [Math.max(0, askedAt(job.started_at ?? at) + average - at)] : []))
      .toSorted((a, b) => a - b);
    const first = nodes > left.length ? 0 : (left[ahead % nodes] ?? 0);
    const wait = Math.round(first + Math.floor(ahead / nodes) * (average + pause));
    return Math.max((this.refusedUntil(network) ?? at) - at, wait);
  }
}

/**
 * One key a person. Two workspaces may give different people the same id, which is unlikely: these would take turns as
 * one person.
 */
function turnKey({ platform, person }: Pick<ExportJobRow, "platform" | "person">): string {
  return `${platform}/${person}`;
}

/** How many jobs one person may have in line, the running one included. */
export const MAX_JOBS_PER_PERSON = 6;
/** How many all people together may have. */
const MAX_JOBS = 500;

/** Throws UserError where the line is too long for one more. */
export function checkBounds(open: readonly OpenJob[], asker: Pick<ExportJobRow, "platform" | "person">): void {
  const own = open.filter((job) => turnKey(job) === turnKey(asker)).length;
  if (own >= MAX_JOBS_PER_PERSON) {
    throw new UserError(`${own} exports of yours are under way or waiting already.`, {
      remedy: "Wait until one is there, or cancel one. This shows them:",
      suggestion: "ledger list",
    });
  }
  if (open.length >= MAX_JOBS) {
    throw new UserError(`${open.length} exports are waiting already.`, { remedy: "Ask again in an hour." });
  }
}
