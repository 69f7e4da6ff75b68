// Runs in a thread of its own: writes blocks to an open file and takes their SHA-256 while the main thread receives the
// next ones. Plain JavaScript, because stripping types would double the thread's start.
// A port of Node's has no origin to name; the rule is about a browser's windows.
// oxlint-disable unicorn/require-post-message-target-origin
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

// Linux takes the memory for a file's pages in pieces as large as a write asks for. Up to eight pages (its
// PAGE_ALLOC_COSTLY_ORDER, include/linux/mmzone.h) come from lists of what was freed lately; larger ones do not, and in
// a virtual machine that gives its free memory back to its host they cost several times as much, page by page.
const WRITE_BYTES = 32 * 1024;

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
      const written = writeSync(workerData.fd, bytes, at, Math.min(WRITE_BYTES, length - at), position);
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
