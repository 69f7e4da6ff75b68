// A process that writes for ever and prints what is safely written; tests kill it at any moment.
import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";

const store = createStore({ url: process.argv[2] ?? "", log: silentLog() });
await store.claim();
process.stdout.write("claimed\n");
for (let index = Number(process.argv[3]); ; index += 1) {
  const key = await store.payloads.put({ index }, 3_600_000);
  process.stdout.write(`${key} ${index}\n`);
}
