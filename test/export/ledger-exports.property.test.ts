import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { ApiError } from "../../src/api/api-error.ts";
import { createApiClient } from "../../src/api/client/client.ts";
import { StorageError, UserError } from "../../src/errors.ts";
import { temporaryFiles } from "../../src/export/temporary-file.ts";
import { silentLog } from "../../src/log.ts";
import { nanoseconds } from "../../src/units/time.ts";
import { saying } from "../support/said.ts";
import { exportFolder, failureOf, request } from "./an-export.ts";
import { COLUMNS_12, COLUMNS_13, csv, OTHER_ASSET, PARTY, row } from "./ledger-csv.ts";
import { ledgerNode } from "./ledger-node.ts";
import { runs } from "../support/runs.ts";

const folder = exportFolder();

const send = (into: ServerResponse, text: string): void => {
  into.writeHead(200, { "Content-Type": "text/csv" });
  into.end(text);
};

describe("an export", () => {
  test("counts, gives the span, and drops and counts rows outside the query", async () => {
    const rows = [
      row({ vega_time: "2023-01-18 01:10:00.5+00" }),
      row({ vega_time: "2023-01-18 01:09:59+00", account_from_party_id: "network", account_to_party_id: PARTY }),
      row({ vega_time: "2023-01-18 01:09:58+00", asset_id: OTHER_ASSET }),
    ];
    await using node = await ledgerNode((_, into) => send(into, csv(COLUMNS_13, rows)), true);
    const file = await folder.exports().export(node.api, request({ columns: ["quantity", "effect"] }));
    const text = (await buffer(file.attachment.open())).toString();
    // By their time.
    expect(text).toBe(csv(["quantity", "effect"], rows.slice(0, 2).toReversed()));
    expect(file).toMatchObject({
      account: {
        rows: 2,
        dropped: { asset: 1, party: 0, range: 0 },
        firstTime: "1674004199000000000",
        lastTime: "1674004200500000000",
        flows: { total: { rows: 2, net: "0" } },
        fingerprint: { columns: ["quantity", "effect"], rows: 2, sums: { effect: "0" } },
        outgoingOnly: false,
        raw: false,
        endIsProven: true,
      },
      columns: ["quantity", "effect"],
      asOf: { network: "testnet", node: node.name, simulated: true },
    });
    expect(file.attachment.name).toBe("SIMULATED-PARTIAL-HISTORY-ledger.csv");
    await file.attachment.dispose();
  });

  test("stays on disk until it is disposed of, and can be read again and again", async () => {
    await using node = await ledgerNode((_, into) => send(into, csv(COLUMNS_12, [row()])));
    const { attachment } = await folder.exports().export(node.api, request());
    const both = await Promise.all([buffer(attachment.open()), buffer(attachment.open())]);
    const file = csv([...COLUMNS_13, "amount"], [row()]);
    expect(both.map(String)).toEqual([file, file]);
    await attachment.dispose();
    await attachment.dispose();
    expect(await folder.leftOver()).toEqual([]);
    await expect(buffer(attachment.open())).rejects.toThrow("given up");
  });

  test("a column that is not there ends it at the header, long before the ledger's end", async () => {
    let dropped: Promise<unknown> | undefined;
    await using node = await ledgerNode((_, into) => {
      dropped = once(into, "close");
      into.write(csv(COLUMNS_12, [row()]));
    });
    // It waits for no reason.
    const exports = folder.exports({ reasonMillis: 1e9 });
    const thrown = await failureOf(exports.export(node.api, request({ columns: ["vega_tyme"] })));
    expect(thrown).toBeInstanceOf(UserError);
    expect((thrown as UserError).message).toContain("did you mean “vega_time”?");
    await dropped;
    expect(await folder.leftOver()).toEqual([]);
  });

  test("raw and columns exclude each other, and the node is not even asked", async () => {
    let asked = 0;
    await using node = await ledgerNode((_, into) => {
      asked += 1;
      send(into, "");
    });
    const thrown = await failureOf(folder.exports().export(node.api, request({ raw: true, columns: ["quantity"] })));
    expect(thrown).toBeInstanceOf(UserError);
    expect(asked).toBe(0);
  });

  test("aborted on the way: the connection is dropped, nothing is left", async () => {
    let dropped: Promise<unknown> | undefined;
    await using node = await ledgerNode((_, into) => {
      dropped = once(into, "close");
      into.write(csv(COLUMNS_12, [row()]));
    });
    const abort = new AbortController();
    let ticks = 0n;
    let reports = 0;
    const leave = (): void => {
      reports += 1;
      abort.abort(new Error("changed my mind"));
    };
    const exporting = folder
      .exports({ now: () => nanoseconds((ticks += 400_000_000n)) })
      .export(node.api, request({ signal: abort.signal, onProgress: leave }));
    await expect(exporting).rejects.toThrow("changed my mind");
    expect(reports).toBe(1);
    await dropped;
    expect(await folder.leftOver()).toEqual([]);
  });

  test("aborted at any moment: nothing is left, and the next one is whole", async () => {
    const ledger = csv(
      COLUMNS_12,
      Array.from({ length: 20_000 }, () => row()),
    );
    await using node = await ledgerNode((_, into) => send(into, ledger));
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 30 }), fc.boolean(), async (millis, raw) => {
        const abort = new AbortController();
        const timer = setTimeout(() => abort.abort(new Error("changed my mind")), millis);
        const done = await failureOf(
          folder
            .exports()
            .export(node.api, request({ signal: abort.signal, raw }))
            .then((file) => file.attachment.dispose()),
        );
        clearTimeout(timer);
        expect((done as Error | undefined)?.message ?? "changed my mind").toBe("changed my mind");
        expect(await folder.leftOver()).toEqual([]);
      }),
      runs(50),
    );
    const file = await folder.exports().export(node.api, request({ raw: true }));
    expect(file.attachment.sha256).toBe(createHash("sha256").update(ledger).digest("hex"));
    await file.attachment.dispose();
  });

  test("larger than may be kept: one clear sentence, nothing left", async () => {
    await using node = await ledgerNode((_, into) =>
      send(
        into,
        csv(
          COLUMNS_12,
          Array.from({ length: 99 }, () => row()),
        ),
      ),
    );
    const reports: number[] = [];
    const asked = request({ onProgress: ({ bytes }) => void reports.push(bytes) });
    const thrown = await failureOf(folder.exports({ maxBytes: 20_000 }).export(node.api, asked));
    expect(reports.at(-1)).toBeGreaterThan(20_000);
    expect(thrown).toBeInstanceOf(UserError);
    expect((thrown as UserError).message).toMatch(saying("0 MB"));
    expect(await folder.leftOver()).toEqual([]);
  });

  test("all together take no more of the disk than they may: one too many leaves nothing, and has room once another is done", async () => {
    const ledger = csv(
      COLUMNS_12,
      Array.from({ length: 99 }, () => row()),
    );
    await using node = await ledgerNode((_, into) => send(into, ledger));
    // While it is received, an export may take three times its bytes.
    const exports = folder.exports({ maxTemporaryBytes: 3 * ledger.length });
    const first = await exports.export(node.api, request());
    const held = await folder.leftOver();
    expect(await failureOf(exports.export(node.api, request()))).toBeInstanceOf(StorageError);
    expect(await folder.leftOver()).toEqual(held);
    await first.attachment.dispose();
    const again = await exports.export(node.api, request());
    await again.attachment.dispose();
    expect(await folder.leftOver()).toEqual([]);
  });

  test.each([
    ["no byte at all", ""],
    ["a message without data", '{"result":{"data":""}}'],
    ["a row cut short", `${csv(COLUMNS_12, [row()])}2023-01-18 01`],
    ["a quote never closed", `${csv(COLUMNS_12, [row()])}"`],
  ])("%s is no ledger: the node is named", async (_name, text) => {
    await using node = await ledgerNode((_, into) => send(into, text));
    // Room for one: the first gives its room back.
    const exports = folder.exports({ maxTemporaryBytes: 5 * text.length });
    for (const _ of [1, 2]) {
      const reports: number[] = [];
      const asked = request({ onProgress: ({ bytes }) => void reports.push(bytes) });
      const thrown = await failureOf(exports.export(node.api, asked));
      expect(reports.at(-1)).toBe(text.startsWith("vega") ? text.length : undefined);
      expect(thrown).toBeInstanceOf(ApiError);
      expect(thrown).toMatchObject({ node: node.name, network: "testnet" });
      expect(await folder.leftOver()).toEqual([]);
    }
  });

  test.each([
    ["text/csv;charset=utf-8", "text/csv;charset=utf-8"],
    ['text/csv; header="present"; charset=utf-8', 'text/csv; header="present"; charset=utf-8'],
    ["application/vnd.ms-excel", "application/vnd.ms-excel"],
    ["text/csv\nX-Later: 1", "text/csv"],
    ["a text/plain", "text/csv"],
    ["text/plain a", "text/csv"],
    ["text", "text/csv"],
  ])("of the content type %j is a file of the media type %s", async (contentType, mediaType) => {
    const data = Buffer.from(csv(COLUMNS_13, [row()])).toString("base64");
    await using node = await ledgerNode((_, into) => send(into, JSON.stringify({ result: { contentType, data } })));
    const { attachment } = await folder.exports().export(node.api, request());
    expect(attachment.mediaType).toBe(mediaType);
    await attachment.dispose();
  });

  test.each([
    [1, false],
    [1, true],
    [400, true],
  ])("row %s that the node broke off itself: the node's reason is reported, not the row (raw %s)", async (at, raw) => {
    const rows = Array.from({ length: at }, () => row());
    await using node = await ledgerNode((_, into) => {
      into.write(`${csv(COLUMNS_12, rows)}2023-01-18 01\n`);
      setTimeout(() => {
        into.write("2023-01-18 02\n");
        into.end('{"error":{"code":13,"message":"Internal error","details":[{"message":"too slow"}]}}');
      }, 30);
    });
    const thrown = await failureOf(folder.exports().export(node.api, request({ raw })));
    expect(thrown).toMatchObject({ kind: "cut", innerWords: "too slow" });
    expect(await folder.leftOver()).toEqual([]);
  });

  test.each([false, true])("a row that cannot be read ends it long before the ledger's end (raw %s)", async (raw) => {
    let dropped: Promise<unknown> | undefined;
    await using node = await ledgerNode((_, into) => {
      dropped = once(into, "close");
      into.write(`${csv(COLUMNS_12, [row()])}2023-01-18 01\n`);
      into.write(Buffer.alloc(256 * 1024, csv(COLUMNS_12, [row()])));
    });
    const thrown = await failureOf(folder.exports({ reasonMillis: 0 }).export(node.api, request({ raw })));
    expect((thrown as ApiError).message).toMatch(saying(2, 1, 12));
    await dropped;
    expect(await folder.leftOver()).toEqual([]);
  });

  describe("where the first of two nodes tells only what the party sent", () => {
    const endless = (into: ServerResponse, text: string): void => {
      into.useChunkedEncodingByDefault = false;
      send(into, text);
    };
    const refuse = (into: ServerResponse): void => void into.writeHead(500).end('{"code":13,"message":"no"}');
    const all = (into: ServerResponse): void => send(into, csv(COLUMNS_13, [row()]));
    const sentOnly = (into: ServerResponse): void => send(into, csv(COLUMNS_12, [row()]));
    /** The file's node of the two, by its place. */
    const exported = async (other: typeof send | typeof refuse, first = send, signal?: AbortSignal) => {
      await using older = await ledgerNode((_, into) => first(into, csv(COLUMNS_12, [row()])));
      await using later = await ledgerNode((_, into) => other(into, csv(COLUMNS_13, [row()])));
      const names = [older.name, later.name];
      const nodes = names.map((name) => ({ url: `http://${name}` }));
      const api = createApiClient({
        network: "testnet",
        nodes,
        simulated: false,
        log: silentLog(),
        limits: { exportPauseMillis: 0 },
      });
      try {
        const file = await folder.exports().export(api, request(signal === undefined ? {} : { signal }));
        const { name, sizeBytes } = file.attachment;
        expect((await buffer(file.attachment.open())).length).toBe(sizeBytes);
        expect([name.includes("OUTGOING-ONLY"), name.includes("END-NOT-CONFIRMED")]).toEqual([
          file.account.outgoingOnly,
          !file.account.endIsProven,
        ]);
        await file.attachment.dispose();
        return names.indexOf(file.asOf.node);
      } finally {
        await api.close();
        expect(await folder.leftOver()).toEqual([]);
      }
    };

    test.each([
      ["tells more", send, send, 1],
      ["tells no more", sentOnly, send, 0],
      ["fails", refuse, send, 0],
      ["does not prove its end", endless, send, 0],
      ["proves its end no less", endless, endless, 1],
    ])("that %s: the better file of the two", async (_name, other, first, place) => {
      expect(await exported(other, first)).toBe(place);
    });

    test("no other is asked where it tells what came as well", async () => {
      expect(await exported(send, all)).toBe(0);
    });

    test("each that tells no more is asked once, and one of them the next time", async () => {
      let asked = 0;
      const serve = (into: ServerResponse): void => {
        asked += 1;
        sentOnly(into);
      };
      await using one = await ledgerNode((_, into) => serve(into));
      await using other = await ledgerNode((_, into) => serve(into));
      const nodes = [one.name, other.name].map((name) => ({ url: `http://${name}` }));
      const limits = { exportPauseMillis: 0 };
      const api = createApiClient({ network: "testnet", nodes, simulated: false, log: silentLog(), limits });
      const exports = folder.exports();
      for (const times of [2, 3]) {
        await (await exports.export(api, request())).attachment.dispose();
        expect(asked).toBe(times);
      }
      await api.close();
    });

    test("the caller may leave while the other is asked", async () => {
      const abort = new AbortController();
      const leaving = exported(() => abort.abort(new Error("left")), send, abort.signal);
      await expect(leaving).rejects.toThrow("left");
    });
  });

  test.runIf(existsSync("/dev/full"))("a full disk: one clear sentence, nothing left", async () => {
    await using node = await ledgerNode((_, into) => send(into, csv(COLUMNS_12, [row()])));
    const files = temporaryFiles({ directory: folder.path, openFile: () => open("/dev/full", "r+") });
    const thrown = await failureOf(folder.exports({ files }).export(node.api, request()));
    expect(thrown).toBeInstanceOf(StorageError);
    expect((thrown as StorageError).title).toContain("disk is full");
    expect(await folder.leftOver()).toEqual([]);
  });

  test("progress comes a few times a second at most, and counts", async () => {
    await using node = await ledgerNode((_, into) => {
      void (async () => {
        into.write(csv(COLUMNS_12, []));
        for (let count = 0; count < 20; count += 1) {
          into.write(csv(COLUMNS_12, [row()]).slice(csv(COLUMNS_12, []).length));
          await sleep(2);
        }
        into.end();
      })();
    });
    // A tenth of a second passes at each reading of the clock.
    let at = 0n;
    const seen: number[] = [];
    const file = await folder
      .exports({ now: () => nanoseconds((at += 100_000_000n)) })
      .export(node.api, request({ onProgress: ({ rows }) => seen.push(rows) }));
    const readings = Number(at / 100_000_000n);
    expect(seen.length).toBeLessThanOrEqual(Math.floor(readings / 4));
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(file.account.rows).toBe(20);
    await file.attachment.dispose();
  });
});
