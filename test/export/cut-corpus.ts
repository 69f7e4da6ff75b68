import { buffer } from "node:stream/consumers";

import { createApiClient } from "../../src/api/client/client.ts";
import { ApiError } from "../../src/api/api-error.ts";
import type { ClientLimits } from "../../src/api/limits.ts";
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
  /** Which of the files it sends. */
  readonly columns: string;
  /** The file without its framing, and as it is delivered. */
  readonly file: CorpusFile;
  normalised(): Buffer;
  readonly ending: Ending;
  /** The body before the transfer coding, cut where a node that ends properly may stop. */
  readonly body: Buffer;
  wire(body: Buffer): Buffer;
}

// Short ids and few columns, so that every offset can be tried; in the order of time, so that a file's beginning is that
// of its rows.
const PARTY = "ab";
const ASSET = "cd";
const COLUMNS_12 = ["vega_time", "quantity", "asset_id", "account_from_party_id", "account_to_party_id"];
const COLUMNS_13 = ["vega_time", "quantity", "effect", ...COLUMNS_12.slice(2)];

interface Entry {
  readonly sent: boolean;
  readonly quantity: bigint;
  readonly later?: string;
}

function rowOf({ sent, quantity, later = "" }: Entry, second: number): Row {
  return {
    vega_time: `2023-01-18 01:09:0${second}+00`,
    quantity: String(quantity),
    effect: String(sent ? -quantity : quantity),
    asset_id: ASSET,
    account_from_party_id: sent ? PARTY : "network",
    account_to_party_id: sent ? "network" : PARTY,
    later,
  };
}

/** A file, with what the party sent and received by the entries it was made of. */
interface CorpusFile {
  readonly bytes: Buffer;
  readonly rows: number;
  readonly in?: string;
  readonly out: string;
}

function fileOf(columns: readonly string[], entries: readonly Entry[], lineEnd = "\n"): CorpusFile {
  const sum = (sent: boolean): string =>
    String(entries.filter((entry) => entry.sent === sent).reduce((all, { quantity }) => all + quantity, 0n));
  return {
    bytes: Buffer.from(csv(columns, entries.map(rowOf), lineEnd)),
    rows: entries.length,
    ...(columns.includes("effect") ? { in: sum(false) } : {}),
    out: sum(true),
  };
}

const files: Readonly<Record<string, CorpusFile>> = {
  "12 columns": fileOf(COLUMNS_12, [
    { sent: true, quantity: 18_446_744_073_709_551_616n },
    { sent: true, quantity: 7n },
  ]),
  "13 columns": fileOf(COLUMNS_13, [
    { sent: true, quantity: 18_446_744_073_709_551_616n },
    { sent: false, quantity: 1_234_567n },
  ]),
  "CRLF, quotes and UTF-8": fileOf(
    [...COLUMNS_13, "later"],
    [
      { sent: true, quantity: 5n, later: "ü“,\n" },
      { sent: false, quantity: 6n, later: "1\n0" },
    ],
    "\r\n",
  ),
  "header only": fileOf(COLUMNS_13, []),
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

/** Every file in every framing with every ending: 36 streams. */
export const CUT_STREAMS: readonly CutStream[] = Object.entries(files).flatMap(([columns, file]) =>
  (Object.keys(framings) as Framing[]).flatMap((framing) =>
    (Object.keys(endings) as Ending[]).map((ending) => ({
      name: `${columns}, ${framing}, ended by its ${ending}`,
      columns,
      file,
      normalised: () => Buffer.from(normalised([file.bytes], { query: { partyId: PARTY, assetId: ASSET } }).text),
      ending,
      body: framings[framing](file.bytes),
      wire: endings[ending],
    })),
  ),
);

/**
 * `drop`: the connection ends there; `reset`: it is reset; `stop`: the node ends its answer properly there; `error`: it
 * reports an error there, and ends its answer properly; `stall`: nothing more comes. Of these, nothing is whole. `pause`:
 * the rest comes a moment later, so that a chunk ends there; `late error`: likewise, with an error at the very end.
 */
export type CutKind = "drop" | "reset" | "stop" | "error" | "stall" | "pause" | "late error";

export interface Cut {
  readonly stream: CutStream;
  readonly kind: CutKind;
  /** In the wire's bytes; of a `stop` and of an error, in the body's. */
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
    ...at("error", stream.body.length + 1),
    ...(stream.ending === "connection" ? [] : at("stop", stream.body.length).filter(isInsideRow)),
  ];
}

/** Every place where a chunk may end, of a stream that is whole and of one with an error at its end. */
export function chunkCutsOf(stream: CutStream): Cut[] {
  const both = ["pause", "late error"] as const;
  return both.flatMap((kind) =>
    Array.from({ length: wireOf(stream, kind, 0).length }, (_, offset) => ({
      stream,
      kind,
      offset,
      raw: offset % 2 === 0,
    })),
  );
}

/** A wait at every place; each takes as long as a client waits for the next byte. */
export function stallsOf(stream: CutStream): Cut[] {
  return Array.from({ length: stream.wire(stream.body).length }, (_, offset) => ({
    stream,
    kind: "stall" as const,
    offset,
    raw: offset % 2 === 0,
  }));
}

const ERROR = JSON.stringify({ error: { code: 13, message: "Internal error", details: [{ message: "too slow" }] } });

/** All that the node sends of a stream, as far as the cut is in its body. */
function wireOf(stream: CutStream, kind: CutKind, offset: number): Buffer {
  const { body } = stream;
  if (kind === "stop") return stream.wire(body.subarray(0, offset));
  if (kind === "error") return stream.wire(Buffer.concat([body.subarray(0, offset), Buffer.from(`\n${ERROR}`)]));
  if (kind === "late error") return stream.wire(Buffer.concat([body, Buffer.from(ERROR)]));
  return stream.wire(body);
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

export async function cutWorld(exports: LedgerExports, limits: Partial<ClientLimits> = {}): Promise<CutWorld> {
  const node = await rawNode();
  const api = createApiClient({
    network: "testnet",
    nodes: [{ url: node.url }],
    simulated: false,
    log: silentLog(),
    limits: { requestsPerSecond: 1e6, burst: 1e6, exportPauseMillis: 0, ...limits },
  });
  return {
    async judge({ stream, kind, offset, raw }) {
      const sent = wireOf(stream, kind, offset);
      node.serve = (_head, socket) => {
        socket.setNoDelay(true);
        if (kind === "stop" || kind === "error") socket.end(sent);
        else if (kind === "drop") socket.end(sent.subarray(0, offset));
        else if (kind === "reset") socket.write(sent.subarray(0, offset), () => socket.resetAndDestroy());
        else if (kind === "stall") socket.write(sent.subarray(0, offset));
        else socket.write(sent.subarray(0, offset), () => setImmediate(() => socket.end(sent.subarray(offset))));
      };
      try {
        const exported = await exports.export(api, request({ raw, query: { partyId: PARTY, assetId: ASSET } }));
        const bytes = await buffer(exported.attachment.open());
        await exported.attachment.dispose();
        const { account } = exported;
        const named = exported.attachment.name.includes("END-NOT-CONFIRMED");
        if (named === account.endIsProven) throw new Error(`the name does not say how it ended`);
        const wanted = raw ? stream.file.bytes : stream.normalised();
        if (!wanted.subarray(0, bytes.length).equals(bytes)) throw new Error("other bytes than the node's");
        if (!account.endIsProven) return "labelled";
        const { total } = account.flows ?? { total: { in: stream.file.in, out: stream.file.out } };
        const isExact =
          account.rows === stream.file.rows && total.in === stream.file.in && total.out === stream.file.out;
        if (!isExact || bytes.length !== wanted.length) throw new Error("accepted, and not what was sent");
        return "accepted";
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
