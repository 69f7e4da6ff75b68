import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";

import type { SeededRandom } from "../campaign/seeded-random.ts";
import { pathsIn, replaced } from "../support/node-bodies.ts";
import { LAST_CHUNK, rawChunk, rawHead } from "../support/raw-node.ts";

/** Says something wrong in the place of a whole answer. */
export type Say = (socket: Socket, body: Buffer, random: SeededRandom) => void;

export interface Fault {
  readonly name: string;
  readonly say: Say;
}

const JSON_TYPE = "Content-Type: application/json";
const ok = (body: Buffer, ...headers: string[]): Buffer =>
  Buffer.concat([Buffer.from(rawHead("HTTP/1.1 200 OK", [...headers, `Content-Length: ${body.length}`])), body]);
const wire = (make: (body: Buffer, random: SeededRandom) => Buffer | string): Say => {
  return (socket, body, random) => socket.end(make(body, random));
};
const named = (group: string, faults: Readonly<Record<string, Say>>): Fault[] =>
  Object.entries(faults).map(([name, say]) => ({ name: `${group}: ${name}`, say }));

const ERROR = {
  code: 13,
  message: "Internal error",
  details: [{ "@type": "x", message: "no such table", inner: "x" }],
};
const STATUSES = [
  201, 202, 204, 206, 300, 301, 302, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 413, 418, 422,
  425, 429, 431, 451, 500, 501, 502, 503, 504, 505, 511, 520, 599, 700, 999,
];

const statuses: Fault[] = STATUSES.map((status) => ({
  name: `status: ${status}`,
  say: wire((body, random) => {
    const said = random.pick([
      JSON.stringify(ERROR),
      JSON.stringify({ error: ERROR }),
      "<html><title>Oh</title>",
      "",
      body,
    ]);
    const bytes = Buffer.from(said);
    return Buffer.concat([Buffer.from(rawHead(`HTTP/1.1 ${status} X`, [`Content-Length: ${bytes.length}`])), bytes]);
  }),
}));

const framing = named("framing", {
  "ended by the connection": wire((body) => Buffer.concat([Buffer.from("HTTP/1.0 200 OK\r\n\r\n"), body])),
  "ended by the connection, cut": wire((body, random) =>
    Buffer.concat([Buffer.from("HTTP/1.0 200 OK\r\n\r\n"), cut(body, random)]),
  ),
  "cut in the head": wire((body, random) => ok(body).subarray(0, Math.floor(random.between(1, 30)))),
  "cut in the body": wire((body, random) => cut(ok(body), random)),
  "cut in a chunk": wire((body, random) => cut(chunked(body), random)),
  "no last chunk": wire((body) => chunked(body).subarray(0, -LAST_CHUNK.length)),
  "a chunk's size is no number": wire(
    () => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n",
  ),
  "a chunk of enormous size": wire(
    () => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}\r\n0\r\n\r\n",
  ),
  "length below zero": wire(() => "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}"),
  "length is no number": wire(() => "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n{}"),
  "length too long": wire((body) => Buffer.concat([lengthOf(body.length + 10), body])),
  "length too short": wire((body) => Buffer.concat([lengthOf(Math.max(0, body.length - 10)), body])),
  "length enormous": wire(() => lengthOf(1e15)),
  "two lengths": wire((body) => ok(body, "Content-Length: 3")),
  "length and chunks": wire((body) => ok(body, "Transfer-Encoding: chunked")),
  "another transfer coding": wire((body) =>
    Buffer.concat([Buffer.from(rawHead("HTTP/1.1 200 OK", ["Transfer-Encoding: gzip"])), body]),
  ),
  "100 Continue before": wire((body) => Buffer.concat([Buffer.from("HTTP/1.1 100 Continue\r\n\r\n"), ok(body)])),
  "103 Early Hints before": wire((body) => Buffer.concat([Buffer.from("HTTP/1.1 103 Early Hints\r\n\r\n"), ok(body)])),
  "101 without a question": wire(() => "HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n"),
  "HTTP/2 preface": wire(() => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  "no head": wire((body) => body),
  noise: wire((_body, random) => Buffer.from(Array.from({ length: 300 }, () => Math.floor(random.between(0, 256))))),
  "closed at once": (socket) => void socket.end(),
  "reset at once": (socket) => void socket.resetAndDestroy(),
  "reset in the body": (socket, body) => {
    socket.write(ok(body).subarray(0, -1), () => setTimeout(() => socket.resetAndDestroy(), 5));
  },
  "a status of two digits": wire(() => "HTTP/1.1 20 OK\r\n\r\n"),
  "a status without words": wire((body) =>
    Buffer.concat([Buffer.from(`HTTP/1.1 200\r\nContent-Length: ${body.length}\r\n\r\n`), body]),
  ),
  "lines without CR": wire((body) => `HTTP/1.1 200 OK\nContent-Length: ${body.length}\n\n${body.toString()}`),
  "two answers": wire((body) => Buffer.concat([ok(body), ok(Buffer.from("{}"))])),
});

const sizes = named("size", {
  nothing: wire(() => ok(Buffer.alloc(0))),
  "a blank": wire(() => ok(Buffer.from(" "))),
  "64 KiB and a byte": wire((body) => ok(padded(body, 64 * 1024 + 1))),
  "1 MiB of blanks before": wire((body) => ok(Buffer.concat([Buffer.alloc(1024 * 1024, " "), body]))),
  "9 MiB": wire((body) => ok(padded(body, 9 * 1024 * 1024))),
  "an error of 1 MiB": wire(() =>
    Buffer.concat([
      Buffer.from(rawHead("HTTP/1.1 500 X", ["Content-Length: 1048576"])),
      Buffer.alloc(1024 * 1024, "x"),
    ]),
  ),
  "without end": (socket, body) => {
    const piece = rawChunk(Buffer.alloc(256 * 1024, body));
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on("drain", more).write(rawHead("HTTP/1.1 200 OK", ["Transfer-Encoding: chunked"]));
    more();
  },
  "nested 100,000 deep": wire(() => ok(Buffer.from(`${"[".repeat(1e5)}${"]".repeat(1e5)}`))),
  "10,000 unknown fields": wire((body) =>
    ok(withMember(body, Array.from({ length: 10_000 }, (_, at) => `"u${at}":${at}`).join(","))),
  ),
  "an unknown field nested 50,000 deep": wire((body) =>
    ok(withMember(body, `"u":${"[".repeat(5e4)}${"]".repeat(5e4)}`)),
  ),
  "a byte order mark": wire((body) => ok(Buffer.concat([Buffer.from("\uFEFF"), body]))),
});

const speeds = named("speed", {
  silence: () => undefined,
  "silence behind the head": (socket) => void socket.write(rawHead("HTTP/1.1 200 OK", ["Content-Length: 5"])),
  "silence in the body": (socket, body) => void socket.write(ok(body).subarray(0, -1)),
  late: (socket, body) => void setTimeout(() => socket.end(ok(body)), 60),
  "byte by byte": (socket, body) => {
    let at = 0;
    const bytes = ok(body);
    const timer = setInterval(() => {
      if (socket.destroyed || at >= bytes.length) clearInterval(timer);
      else socket.write(bytes.subarray(at, (at += 1)));
    }, 10);
  },
});

const VALUES: Readonly<Record<string, string>> = {
  null: "null",
  true: "true",
  zero: "0",
  "below zero": "-1",
  "a fraction": "1.5",
  "1e300": "1e300",
  "beyond all numbers": "1e999",
  "an empty text": '""',
  "a text": '"x"',
  "400 digits": `"${"9".repeat(400)}"`,
  "a negative text": '"-7"',
  hexadecimal: '"0x10"',
  "a control character": '"\\u0000\\u001b[2J"',
  "half a surrogate": '"\\ud800"',
  "an empty list": "[]",
  "a list": '[null,1,"x",{}]',
  "an empty object": "{}",
  "an object": '{"__proto__":{"a":1},"constructor":1,"toString":null}',
};
const PLACE = "\u0001place\u0001";

const types = named("type of a field", {
  ...Object.fromEntries(
    Object.entries(VALUES).map(([name, value]) => [name, wire((body, random) => ok(withValue(body, value, random)))]),
  ),
  "left out": wire((body, random) => ok(withValue(body, undefined, random))),
});

const roots = named("whole body", {
  ...Object.fromEntries(
    Object.entries(VALUES).map(([name, value]) => [name, wire(() => ok(Buffer.from(value), JSON_TYPE))]),
  ),
  "an error with 200": wire(() => ok(Buffer.from(JSON.stringify(ERROR)))),
  "a wrapped error with 200": wire(() => ok(Buffer.from(JSON.stringify({ error: ERROR })))),
  "a web page": wire(() => ok(Buffer.from("<!DOCTYPE html><title>Sign in</title>"), "Content-Type: text/html")),
  XML: wire(() => ok(Buffer.from('<?xml version="1.0"?><a/>'))),
  compressed: wire((body) => ok(gzipSync(body), "Content-Encoding: gzip")),
  "UTF-16": wire((body) => ok(Buffer.from(body.toString(), "utf16le"))),
  "invalid UTF-8": wire((body) =>
    ok(Buffer.concat([body.subarray(0, 20), Buffer.from([0xff, 0xfe, 0xc0]), body.subarray(20)])),
  ),
  "cut, ended properly": wire((body, random) => ok(cut(body, random))),
  twice: wire((body) => ok(Buffer.concat([body, body]))),
  "followed by an error": wire((body) =>
    ok(Buffer.concat([body, Buffer.from(`\n${JSON.stringify({ error: ERROR })}`)])),
  ),
});

const header = (...lines: string[]): Say => wire((body) => ok(body, ...lines));
const headers = named("headers", {
  "quota no number": header("RateLimit-Remaining: lots"),
  "quota spent": header("RateLimit-Remaining: 0", "RateLimit-Limit: 0"),
  "quota enormous": header("RateLimit-Remaining: 99999999999999999999"),
  "block below zero": header("X-Block-Height: -5", "X-Block-Timestamp: -1"),
  "block no number": header("X-Block-Height: 0x1F", "X-Block-Timestamp: now"),
  "block far ahead": header("X-Block-Height: 99999999999999999999", "X-Block-Timestamp: 99999999999999999999"),
  "block twice": header("X-Block-Height: 1", "X-Block-Height: 2"),
  "another media type": header("Content-Type: image/png; charset=\u00ff"),
  cookies: header(...Array.from({ length: 50 }, (_, at) => `Set-Cookie: a${at}=b`)),
  "100 KB of them": header(`X-Long: ${"x".repeat(100_000)}`),
  "no value": header("X-Empty:"),
  "no colon": header("this is no header"),
  "a NUL": header("X-Nul: a\u0000b"),
  "not kept alive": header("Connection: close", "Keep-Alive: timeout=-1"),
  "429 with a wait that is none": wire(() => "HTTP/1.1 429 X\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n"),
  "429 for years": wire(() => "HTTP/1.1 429 X\r\nRetry-After: 999999999\r\nContent-Length: 0\r\n\r\n"),
  "403 with a date": wire(
    () => "HTTP/1.1 403 X\r\nRetry-After: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: 0\r\n\r\n",
  ),
});

/** Each thing that a node, or what stands before it, may do wrong. */
export const FAULTS: readonly Fault[] = [...statuses, ...framing, ...sizes, ...speeds, ...types, ...roots, ...headers];

function lengthOf(length: number): Buffer {
  return Buffer.from(rawHead("HTTP/1.1 200 OK", [`Content-Length: ${length}`]));
}

function chunked(body: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(rawHead("HTTP/1.1 200 OK", ["Transfer-Encoding: chunked"])),
    rawChunk(body),
    LAST_CHUNK,
  ]);
}

function cut(bytes: Buffer, random: SeededRandom): Buffer {
  return bytes.subarray(0, Math.floor(random.between(1, bytes.length)));
}

/** The body with an unknown member that fills it up; rows of a ledger are repeated. */
function padded(body: Buffer, length: number): Buffer {
  if (body[0] !== 0x7b) return Buffer.alloc(length, body);
  return withMember(body, `"later":"${"x".repeat(Math.max(0, length - body.length))}"`);
}

function withMember(body: Buffer, member: string): Buffer {
  return body[0] === 0x7b ? Buffer.concat([Buffer.from(`{${member},`), body.subarray(1)]) : body;
}

/** A value anywhere in the body, or nothing in its place; in rows, in any cell. */
function withValue(body: Buffer, value: string | undefined, random: SeededRandom): Buffer {
  const text = body.toString();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    const cells = text.split(/(?<=[,\n])/u);
    cells[Math.floor(random.between(0, cells.length))] = value === undefined ? "" : `${value},`;
    return Buffer.from(cells.join(""));
  }
  const place = random.pick(pathsIn(parsed).filter((path) => path.length > 0));
  const put = replaced(parsed, place, value === undefined ? undefined : PLACE);
  return Buffer.from(JSON.stringify(put).replace(JSON.stringify(PLACE), () => value ?? ""));
}
