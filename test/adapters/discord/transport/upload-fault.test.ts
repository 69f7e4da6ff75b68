import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import { closeRest, createRest } from "../../../../src/adapters/discord/transport/rest.ts";
import { uploadOf } from "../../../../src/adapters/discord/transport/upload.ts";
import { memoryAttachment } from "../../../../src/reply/reply.ts";
import { textOf } from "../../../support/fake-discord/person.ts";
import { probes } from "../probe-commands.ts";
import { stage } from "../stage.ts";
import { watchForRejections } from "../watch-for-rejections.ts";

watchForRejections();

test("Discord breaking off while a file is copied for sharing harms nothing else", async () => {
  await using on = await stage({ simulated: false, extra: probes });
  // The upload that is broken off.
  on.fake.expected.add(0);
  const ann = on.fake.person("Ann");
  const asked = await ann.run(on.channel, "probe files", { count: 1, private: true });
  on.fake.onRequest = ({ path }) => {
    if (path.startsWith("/cdn/")) on.fake.offline = true;
  };
  ann.startPress(asked.last, "Share");
  await sleep(800);
  on.fake.offline = false;
  on.fake.onRequest = () => {};
  expect(textOf((await ann.run(on.channel, "probe buttons")).last)).toContain("Page 1");
});

test("a file that is still read when its upload is refused or aborted harms nothing", async () => {
  let closed = 0;
  let goOn = (): void => {};
  const waiting = new Promise<void>((resolve) => (goOn = resolve));
  async function* slow() {
    try {
      yield Buffer.alloc(10);
      await waiting;
      yield Buffer.alloc(10);
    } finally {
      closed += 1;
    }
  }
  const attachment = {
    ...memoryAttachment("a.bin", "text/plain", Buffer.alloc(20)),
    open: () => Readable.from(slow()),
  };
  await using server = createServer((_, response) => response.writeHead(404).end("{}")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const rest = createRest({ token: "any", apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const send = (signal?: AbortSignal): Promise<unknown> =>
    rest.post("/channels/1/messages", uploadOf({}, [{ name: "a.bin", alt: undefined, attachment }], signal));
  await expect(send()).rejects.toMatchObject({ status: 404 });
  await expect(send(AbortSignal.abort())).rejects.toThrow("aborted");
  goOn();
  await sleep(20);
  expect(closed).toBe(1);
  closeRest(rest);
});
