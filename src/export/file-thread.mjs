// Runs in a thread of its own: writes shared blocks to an open file and takes their SHA-256 while the main thread
// receives the next ones. Plain JavaScript, because stripping types would double the time until the thread is there.
// A port of Node's has no origin to name; the rule is about a browser's windows.
// oxlint-disable unicorn/require-post-message-target-origin
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

const hash = createHash("sha256");
let position = 0;

// What goes to and fro is declared in file-thread.ts.
parentPort?.on("message", (request) => {
  if (request === "end") {
    parentPort?.postMessage({ sha256: hash.digest("hex") });
    parentPort?.close();
    return;
  }
  try {
    const bytes = new Uint8Array(workerData.shared, request.start, request.length);
    for (let at = 0; at < bytes.length;) {
      const written = writeSync(workerData.fd, bytes, at, bytes.length - at, position);
      at += written;
      position += written;
    }
    hash.update(bytes);
    parentPort?.postMessage("done");
  } catch (error) {
    const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
    parentPort?.postMessage({ failed: message, code });
  }
});
