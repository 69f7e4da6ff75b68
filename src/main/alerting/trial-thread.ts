// Runs in a thread of its own: tries rules on kept looks, which the main thread reads for it.
import { constants, platform, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";

import { messageOf } from "../../errors.ts";
import type { LooksPage, LooksPageQuery } from "../../looks/read.ts";
import { tryNewestFirst } from "./newest-first.ts";
import type { ThreadWork } from "./trials.ts";

// An alert goes first, where cores are few. Elsewhere than on Linux the whole process has one priority.
if (platform() === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

// trials.ts declares the messages: a query is answered by its page, in order.
const waiting: ((page: LooksPage) => void)[] = [];
parentPort?.on("message", (page: LooksPage) => waiting.shift()?.(page));

function readPage(query: LooksPageQuery): Promise<LooksPage> {
  parentPort?.postMessage({ query }, []);
  return new Promise((resolve) => void waiting.push(resolve));
}

const { request, endsAt } = workerData as ThreadWork;
try {
  parentPort?.postMessage(
    { answer: await tryNewestFirst(readPage, request, endsAt - (performance.timeOrigin + performance.now())) },
    [],
  );
} catch (thrown) {
  parentPort?.postMessage({ failed: messageOf(thrown) }, []);
}
parentPort?.close();
