// Pictures for chats. They are drawn in a process of its own (png-child.ts): to draw one takes 50 ms, in which nothing else
// could run here, and what a thread takes of memory stays. Scenes are drawn there, too, since V8 kept 100 kB of garbage here
// for each. It is started with the first picture, gets no environment, no shell and nothing from outside but the scene, and
// ends after a minute of rest, and when this process is gone.
import { type ChildProcess, fork } from "node:child_process";

import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import { type Attachment, memoryAttachment } from "../reply/reply.ts";
import type { Scene } from "../reply/chart.ts";
import { inTime, type Milliseconds } from "../units/time.ts";

/** Pictures that may wait; those beyond are not drawn. */
const MAX_WAITING = 50;
const MAX_MILLIS: Milliseconds = 5000;
/** From asking for a picture until it is there, those before it included. */
const MAX_WAIT: Milliseconds = 10_000;
/** The process ends after so long without a picture, and after so many. */
const REST: Milliseconds = 60_000;
const MAX_PICTURES = 500;

/** What differs in tests. */
interface PicturesOptions {
  readonly log: Log;
  readonly rest?: Milliseconds;
  readonly maxMillis?: Milliseconds;
  readonly maxWait?: Milliseconds;
  readonly maxPictures?: number;
}

/** Draws scenes; a failed one is why there is no picture, in a clause for people. */
export type Draw = (scene: Scene, alt: string) => Promise<Attachment | { readonly failed: string }>;

/** Draws one scene after the other. */
export function createPictures({
  log,
  rest = REST,
  maxMillis = MAX_MILLIS,
  maxWait = MAX_WAIT,
  maxPictures = MAX_PICTURES,
}: PicturesOptions) {
  let child: ChildProcess | undefined;
  let drawn = 0;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  let resting: NodeJS.Timeout | undefined;

  function end(): void {
    clearTimeout(resting);
    child?.kill("SIGKILL");
    child = undefined;
  }

  function begin(): ChildProcess {
    drawn = 0;
    const file = new URL("./png-child.ts", import.meta.url);
    const begun = fork(file, [], {
      execPath: process.execPath,
      // A larger young generation costs 35 MB and saves no time.
      execArgv: ["--expose-gc", "--max-semi-space-size=1", "--disable-warning=ExperimentalWarning"],
      env: {},
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    begun.on("error", () => undefined);
    begun.once("exit", () => {
      if (child === begun) child = undefined;
    });
    begun.unref();
    return begun;
  }

  async function png(scene: Scene): Promise<Uint8Array> {
    clearTimeout(resting);
    const running = (child ??= begin());
    const answered = Promise.withResolvers<Uint8Array>();
    const fail = (why: string) => (): void => answered.reject(new Error(why));
    const [onExit, onError] = [
      fail("the process that draws has ended"),
      fail("the process that draws cannot be started"),
    ];
    const timer = setTimeout(fail(`not drawn within ${maxMillis} ms`), maxMillis);
    const onMessage = (said: { readonly png: Uint8Array } | { readonly failed: string }): void =>
      "png" in said ? answered.resolve(said.png) : fail(said.failed)();
    running.once("message", onMessage).once("exit", onExit).once("error", onError);
    running.channel?.ref();
    try {
      running.send(scene, (error) => {
        if (error !== null) answered.reject(error);
      });
      const made = await answered.promise;
      drawn += 1;
      if (drawn >= maxPictures) end();
      else resting = setTimeout(end, rest).unref();
      return made;
    } catch (thrown) {
      end();
      throw thrown;
    } finally {
      clearTimeout(timer);
      running.channel?.unref();
      running.off("message", onMessage).off("exit", onExit).off("error", onError);
    }
  }

  const draw: Draw = async (scene, alt) => {
    if (waiting >= MAX_WAITING) {
      log.warn({ why: `${MAX_WAITING} others wait` }, "picture not drawn");
      return { failed: "too many others wait for theirs" };
    }
    waiting += 1;
    const late = new AbortController();
    try {
      const turn = last.then(() => {
        late.signal.throwIfAborted();
        return png(scene);
      });
      last = turn.catch(() => undefined);
      const drawn = await inTime(turn, { millis: maxWait }, () => {
        late.abort();
        throw new Error(`not drawn within ${maxWait} ms, with those before it`);
      });
      const name = scene.simulated === true ? "SIMULATED-chart.png" : "chart.png";
      return memoryAttachment(name, "image/png", drawn, { alt });
    } catch (thrown) {
      log.warn({ why: messageOf(thrown) }, "picture not drawn");
      return { failed: "it could not be drawn" };
    } finally {
      waiting -= 1;
    }
  };

  return { draw, close: async (): Promise<void> => end() };
}

/** Whether pictures can be drawn here: why not, else undefined. */
export async function whyNoPictures(): Promise<string | undefined> {
  try {
    await import("@resvg/resvg-js");
    return undefined;
  } catch (thrown) {
    return messageOf(thrown).split("\n", 1)[0] ?? "";
  }
}
