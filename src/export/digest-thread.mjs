// Runs in a thread of its own: takes the SHA-256 of shared blocks while the main thread receives the next ones.
// Plain JavaScript, because stripping types would double the time until the thread is there.
// A port of Node's has no origin to name; the rule is about a browser's windows.
// oxlint-disable unicorn/require-post-message-target-origin
import { createHash } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";

const hash = createHash("sha256");

// What goes to and fro is declared in digest.ts.
parentPort?.on("message", (request) => {
  if (request === "end") {
    parentPort?.postMessage({ sha256: hash.digest("hex") });
    parentPort?.close();
    return;
  }
  hash.update(new Uint8Array(workerData.shared, request.start, request.length));
  parentPort?.postMessage("done");
});
