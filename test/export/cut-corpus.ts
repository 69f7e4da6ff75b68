import { buffer } from "node:stream/consumers";

import { createApiClient } from "../../src/api/client/client.ts";
import { ApiError } from "../../src/api/api-error.ts";
import type { LedgerExports } from "../../src/export/ledger-exports.ts";
import { silentLog } from "../../src/log.ts";
import { LAST_CHUNK, rawChunk, rawHead, rawNode } from "../support/raw-node.ts";
import { request } from "./an-export.ts";
import { csv, type Row } from "./ledger-csv.ts";
import { normalised } from "./normalised.ts";

/** How the export's end shows: by the last chunk, by the length, or only by the end of the connection. */
type Ending = "chunks" | "length" | "connection";
type Framing = "raw" | "lines" | "messages";

/** One export on the wire. */
export interface CutStream {
  readonly name: string;
  /** The file without its framing, and as it is delivered. */
  readonly file: Buffer;
  readonly normalised: Buffer;
  readonly ending: Ending;
  /** The body before the transfer coding, cut where a node that ends properly may stop. */
  readonly body: Buffer;
  wire(body: Buffer): Buffer;
}

// Short ids and few columns, so that every offset can be tried.
const PARTY = "ab";
const ASSET = "cd";
const COLUMNS = [
  "vega_time",
  "quantity",
  "asset_id",
  "account_from_party_id",
  "account_to_party_id",
  "account_to_balance",
];
const row = (values: Row = {}): Row => ({
  vega_time: "2023-01-18 01:09:59+00",
  quantity: "18446744073709551616",
  asset_id: ASSET,
  account_from_party_id: PARTY,
  account_to_party_id: "network",
  account_to_balance: "1234567",
  ...values,
});

const files: Readonly<Record<string, Buffer>> = {
  "two rows": Buffer.from(csv(COLUMNS, [row(), row({ quantity: "-7" })])),
  "CRLF, quotes and UTF-8": Buffer.from(
    csv([...COLUMNS, "later"], [row({ later: "ü“,\n" }), row({ later: "1\n0" })], "\r\n"),
  ),
  "header only": Buffer.from(csv(COLUMNS, [])),
};

const framings: Readonly<Record<Framing, (file: Buffer) => Buffer>> = {
  raw: (file) => file,
  lines: (file) => Buffer.from(messagesOf(file).join("\n")),
  messages: (file) => Buffer.from(messagesOf(file).join("")),
};

/** Three messages, cut inside rows. */
function messagesOf(file: Buffer): string[] {
  const third = Math.ceil(file.length / 3);
  return [0, third, 2 * third].map((from) =>
    JSON.stringify({ result: { contentType: "text/csv", data: file.subarray(from, from + third).toString("base64") } }),
  );
}

const endings: Readonly<Record<Ending, (body: Buffer) => Buffer>> = {
  chunks: (body) =>
    Buffer.concat([
      Buffer.from(rawHead("HTTP/1.1 200 OK", ["Content-Type: text/csv", "Transfer-Encoding: chunked"])),
      ...[0, 1].map((half) => rawChunk(body.subarray((half * body.length) / 2, ((half + 1) * body.length) / 2))),
      LAST_CHUNK,
    ]),
  length: (body) => Buffer.concat([Buffer.from(rawHead("HTTP/1.1 200 OK", [`Content-Length: ${body.length}`])), body]),
  connection: (body) => Buffer.concat([Buffer.from(rawHead("HTTP/1.0 200 OK", ["Content-Type: text/csv"])), body]),
};

/** Every file in every framing with every ending: 27 streams. */
export const CUT_STREAMS: readonly CutStream[] = Object.entries(files).flatMap(([what, file]) =>
  (Object.keys(framings) as Framing[]).flatMap((framing) =>
    (Object.keys(endings) as Ending[]).map((ending) => ({
      name: `${what}, ${framing}, ended by its ${ending}`,
      file,
      normalised: Buffer.from(normalised([file], { query: { partyId: PARTY, assetId: ASSET } }).text),
      ending,
      body: framings[framing](file),
      wire: endings[ending],
    })),
  ),
);

/** `drop`: the connection ends there; `reset`: it is reset; `stop`: the node ends its answer properly there. */
export type CutKind = "drop" | "reset" | "stop";

export interface Cut {
  readonly stream: CutStream;
  readonly kind: CutKind;
  /** In the wire's bytes; of a `stop`, in the body's. */
  readonly offset: number;
  readonly raw: boolean;
}

/** Every cut of a stream, except where even the node's own end says no more: a proper end between two rows. */
export function cutsOf(stream: CutStream): Cut[] {
  const wire = stream.wire(stream.body).length;
  const at = (kind: CutKind, length: number): Cut[] =>
    Array.from({ length }, (_, offset) => ({ stream, kind, offset, raw: offset % 2 === 0 }));
  return [
    ...at("drop", wire),
    ...at("reset", wire),
    ...(stream.ending === "connection" ? [] : at("stop", stream.body.length).filter(isInsideRow)),
  ];
}

/** Whether the file ends within a row where the body ends properly here. */
function isInsideRow({ stream: { body }, offset }: Cut): boolean {
  const part = body.subarray(0, offset).toString("latin1");
  if (!part.trimStart().startsWith("{")) return offset === 0 || body[offset - 1] !== 0x0a;
  const messages = part.split(/(?<=\})\s*(?=\{)/u).flatMap((text) => {
    try {
      return [JSON.parse(text) as { result: { data: string } }];
    } catch {
      return [];
    }
  });
  const file = Buffer.concat(messages.map((message) => Buffer.from(message.result.data, "base64")));
  return file.at(-1) !== 0x0a || !/[\s}]$/u.test(part);
}

/** What became of a cut export: refused, labelled as unconfirmed, or accepted as whole. */
export type CutOutcome = "refused" | "labelled" | "accepted";

export interface CutWorld extends AsyncDisposable {
  /** Throws where the file's label and its name disagree, or a failure is no ApiError. */
  judge(cut: Cut): Promise<CutOutcome>;
}

export async function cutWorld(exports: LedgerExports): Promise<CutWorld> {
  const node = await rawNode();
  const api = createApiClient({
    network: "testnet",
    nodes: [{ url: node.url }],
    simulated: false,
    log: silentLog(),
    limits: { requestsPerSecond: 1e6, burst: 1e6, exportPauseMillis: 0 },
  });
  return {
    async judge({ stream, kind, offset, raw }) {
      const sent =
        kind === "stop" ? stream.wire(stream.body.subarray(0, offset)) : stream.wire(stream.body).subarray(0, offset);
      node.serve = (_head, socket) => {
        if (kind === "reset") socket.write(sent, () => socket.resetAndDestroy());
        else socket.end(sent);
      };
      try {
        const file = await exports.export(api, request({ raw, query: { partyId: PARTY, assetId: ASSET } }));
        const bytes = await buffer(file.attachment.open());
        await file.attachment.dispose();
        const named = file.attachment.name.includes("END-NOT-CONFIRMED");
        const { endIsProven } = file.account;
        if (named === endIsProven) throw new Error(`the name ${file.attachment.name} does not say how it ended`);
        const wanted = raw ? stream.file : stream.normalised;
        if (!wanted.subarray(0, bytes.length).equals(bytes)) throw new Error("other bytes than the node's");
        return endIsProven ? "accepted" : "labelled";
      } catch (error) {
        if (error instanceof ApiError) return "refused";
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      await api.close();
      await node[Symbol.asyncDispose]();
    },
  };
}
