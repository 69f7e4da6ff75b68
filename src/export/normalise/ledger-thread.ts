// Runs in a thread of its own: makes a file of the blocks that the main thread sends.
import { parentPort, workerData } from "node:worker_threads";

import { failureToSend } from "../block-thread.ts";
import { LedgerWork, type LedgerWorkOptions } from "./normalise.ts";

const work = new LedgerWork(workerData as LedgerWorkOptions);

// block-thread.ts declares the messages.
parentPort?.on("message", (request: "end" | { readonly memory: ArrayBuffer; readonly length: number }) => {
  try {
    if (request === "end") {
      parentPort?.postMessage({ result: work.finish() }, []);
      parentPort?.close();
      return;
    }
    work.push(Buffer.from(request.memory, 0, request.length));
    parentPort?.postMessage({ memory: request.memory, rows: work.rows }, [request.memory]);
  } catch (error) {
    parentPort?.postMessage({ failed: failureToSend(error) }, []);
  }
});
