import { LRUCache } from "lru-cache";

import type { SendError } from "../../../alerts/sender.ts";
import type { Log } from "../../../log.ts";
import type { Milliseconds } from "../../../units/time.ts";
import type { HomeData, WorkspaceUser } from "../../chat/home-data.ts";
import type { HomePlace } from "../../chat/press.ts";
import type { SlackTiming } from "../context.ts";
import { HOME_PUBLISH_PAUSE_MILLIS } from "../limits.ts";
import { toSendError } from "../send/send-error.ts";
import { describeError } from "../transport/api-error.ts";
import type { Sleep } from "../transport/web-api.ts";

interface ViewersDependencies {
  /** A name for the state that the tabs of a workspace show. */
  readonly state: () => ReturnType<HomeData["state"]>;
  /** Publishes the tab of a person anew. Rejects where Slack does not take it. */
  readonly renew: (person: WorkspaceUser) => Promise<void>;
  /** Whether this process is the first of several to renew a tab within a time. */
  readonly isFirst: (tab: string, millis: Milliseconds) => Promise<boolean>;
  readonly timing: Pick<SlackTiming, "homeCheckMillis" | "homeRenewMillis">;
  /** Unix milliseconds. */
  readonly now: () => Milliseconds;
  readonly sleep: Sleep;
  readonly stopping: AbortSignal;
  /** Is given the work that goes on after a request. */
  readonly track: (work: Promise<void>) => void;
  readonly log: Log;
}

/** Somebody who looked at the home tab, and what it shows. */
interface Viewer {
  readonly person: WorkspaceUser;
  lookedAt: Milliseconds;
  publishedAt: Milliseconds;
  place: HomePlace;
  /** Undefined where it was not known when the tab was published: it is then renewed. */
  state: string | undefined;
}

export const OVERVIEW: HomePlace = { page: 0 };

/** For how long after a look a tab is renewed. */
const RENEWED_FOR: Milliseconds = 86_400_000;
/** Of more people than these, those who have not looked for longest are forgotten. */
const MAX_VIEWERS = 1000;
/** A tab that Slack refuses in such a way is not tried again. */
const HOPELESS: ReadonlySet<SendError["kind"]> = new Set(["gone", "permanent", "content"]);

/** Who looked at the home tab within the day: while there is somebody, their tabs are renewed when the state changes. */
export class HomeViewers {
  readonly #dependencies: ViewersDependencies;
  readonly #viewers = new LRUCache<string, Viewer>({ max: MAX_VIEWERS });
  /** Workspaces whose tabs are being renewed, one after the other. */
  readonly #busy = new Set<string | undefined>();
  #isWatching = false;

  constructor(dependencies: ViewersDependencies) {
    this.#dependencies = dependencies;
  }

  /** Somebody opens the tab, or presses something there. */
  looked(person: WorkspaceUser): void {
    const { now, track } = this.#dependencies;
    const { place = OVERVIEW, state } = this.#viewers.peek(keyOf(person)) ?? {};
    this.#viewers.set(keyOf(person), { person, lookedAt: now(), publishedAt: now(), place, state });
    if (this.#isWatching) return;
    this.#isWatching = true;
    track(this.#watch().finally(() => (this.#isWatching = false)));
  }

  /** What of the tab somebody looks at. */
  placeOf(person: WorkspaceUser): HomePlace {
    return this.#viewers.peek(keyOf(person))?.place ?? OVERVIEW;
  }

  /** A tab was published. */
  shown(person: WorkspaceUser, place: HomePlace, state: string | undefined): void {
    const viewer = this.#viewers.peek(keyOf(person));
    if (viewer !== undefined) Object.assign(viewer, { place, state, publishedAt: this.#dependencies.now() });
  }

  /** Renews tabs until nobody has looked for a day, or the bot stops. Never rejects. */
  async #watch(): Promise<void> {
    const { log, now, sleep, state, stopping, timing, track } = this.#dependencies;
    for (;;) {
      const isOver = await sleep(timing.homeCheckMillis, stopping).then(
        () => false,
        () => true,
      );
      const expired = Array.from(this.#viewers).filter(([, { lookedAt }]) => lookedAt + RENEWED_FOR <= now());
      for (const [key] of expired) this.#viewers.delete(key);
      if (isOver || this.#viewers.size === 0) return;
      try {
        const stateOf = await state();
        for (const [workspace, viewers] of Map.groupBy(this.#viewers.values(), ({ person }) => person.workspace)) {
          const current = stateOf(workspace);
          const due = viewers.filter(
            (one) => one.state !== current && one.publishedAt + timing.homeRenewMillis <= now(),
          );
          if (due.length === 0 || this.#busy.has(workspace)) continue;
          this.#busy.add(workspace);
          track(this.#renewAll(due, current).finally(() => this.#busy.delete(workspace)));
        }
      } catch (error) {
        log.warn({ platform: "slack", why: describeError(error) }, "home tabs not renewed");
      }
    }
  }

  /** Those who looked last come first. Never rejects. */
  async #renewAll(due: readonly Viewer[], state: string): Promise<void> {
    const { isFirst, log, now, renew, sleep, stopping, timing } = this.#dependencies;
    for (const viewer of due) {
      if (stopping.aborted) return;
      const key = keyOf(viewer.person);
      viewer.publishedAt = now();
      try {
        if (!(await isFirst(key, timing.homeRenewMillis))) {
          viewer.state = state;
          continue;
        }
        await renew(viewer.person);
      } catch (error) {
        log.warn({ platform: "slack", why: describeError(error) }, "home tabs not renewed");
        if (HOPELESS.has(toSendError(error, true).kind)) this.#viewers.delete(key);
      }
      await sleep(HOME_PUBLISH_PAUSE_MILLIS, stopping).catch(() => undefined);
    }
  }
}

function keyOf({ id, workspace = "" }: WorkspaceUser): string {
  return `${workspace}/${id}`;
}
