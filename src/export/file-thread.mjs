// Runs in a thread of its own: writes blocks to an open file and takes their SHA-256 while the main thread receives the
// next ones. Plain JavaScript, because stripping types would double the thread's start.
// The rule concerns the windows of browsers: a port of Node's has no origin.
// oxlint-disable unicorn/require-post-message-target-origin
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

const hash = createHash("sha256");
let position = 0;

// block-thread.ts declares the messages.
parentPort?.on("message", (request) => {
  if (request === "end") {
    parentPort?.postMessage({ result: { sizeBytes: position, sha256: hash.digest("hex") } });
    parentPort?.close();
    return;
  }
  const { memory, length } = request;
  try {
    const bytes = new Uint8Array(memory, 0, length);
    for (let at = 0; at < length;) {
      const written = writeSync(workerData.fd, bytes, at, length - at, position);
      at += written;
      position += written;
    }
    hash.update(bytes);
  } catch (error) {
    const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
    parentPort?.postMessage({ failed: { kind: "system", message, code } });
    return;
  }
  parentPort?.postMessage({ memory }, [memory]);
});
