// The head of a chunk says what its columns are, so that one is found and read without the others.
//
// A chunk is a version (1 byte), the length of the places (4 bytes, big-endian), the places of its columns (a list in JSON,
// zstd), the number of looks, the traits and the length of each column (integers), and the columns in their order. A column
// of numbers begins with what is known of them before they are decoded. In the first version all this was one JSON, in zstd.

import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

import { LRUCache } from "lru-cache";

import { IntegerReader, IntegerWriter } from "./integers.ts";
import type { Leaf } from "./leaves.ts";

const FIRST_VERSION = 1;
const VERSION = 2;
const HEADER_AT = 5;
/** Places hardly differ from an hour to the next: to decode them anew takes longer than to read a column. A month has 200. */
const RECENT_PLACES = 256;
/** Most are shorter: room for more would cost more than to decompress them. */
const JSON_BYTES = 8192;

/** How a value of a column is predicted: as 0, as its last value, or as the last two go on. */
export type Order = 0 | 1 | 2;

/** A column as the header has it. */
export interface ColumnHeader {
  /** `number`, or numbers in texts; else any leaf. */
  readonly holds: "number" | "digits" | "any";
  /** The value of all looks; there is no body then. */
  readonly is?: Leaf;
  /** Each look has a value: the body does not say which do. */
  readonly isWhole: boolean;
  /** The body is no zstd frame: that would be hardly shorter. */
  readonly isPlain: boolean;
  /** What is no number stands in the body for each look, as in the first version; else with how often it comes in a row. */
  readonly isEach?: true;
  readonly numbers?: NumbersHeader;
  readonly body: Uint8Array;
}

/** Numbers as integers of one scale, of which each is its prediction, and so many units more. */
export interface NumbersHeader {
  readonly order: Order;
  /** The column whose value of the same look is subtracted first. */
  readonly less: number | undefined;
  /** The first integer, less that of the other column. */
  readonly base: bigint;
  readonly unit: bigint;
  /** The rest is not known of the first version, in whose body the scale is: they are the numbers times ten to the power of it. */
  readonly scale?: number;
  readonly least?: bigint;
  readonly most?: bigint;
}

/** A head, of which columns are read as they are asked for. */
export interface Header {
  /** The number of looks. */
  readonly size: number;
  /** The columns by the place of their values, as JSON. */
  readonly columns: ReadonlyMap<string, number>;
  readonly column: (index: number) => ColumnHeader;
}

/** Throws for bytes that are no chunk. */
export function readHeader(bytes: Uint8Array): Header {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [version] = view;
  if (version !== VERSION && version !== FIRST_VERSION) {
    throw new RangeError(`a chunk of looks has the unknown version ${version ?? "none"}`);
  }
  const end = HEADER_AT + view.readUInt32BE(1);
  const packed = view.subarray(HEADER_AT, end);
  return version === VERSION ? readParts(packed, view.subarray(end)) : readFirst(packed, view.subarray(end));
}

const recentPlaces = new LRUCache<string, Header["columns"]>({ max: RECENT_PLACES });

function readPlaces(packed: Buffer): Header["columns"] {
  const name = packed.toString("latin1");
  const known = recentPlaces.get(name);
  if (known !== undefined) return known;
  const keys = jsonOf(packed) as readonly string[];
  const places = new Map(keys.map((key, index) => [key, index]));
  recentPlaces.set(name, places);
  return places;
}

function jsonOf(packed: Buffer): unknown {
  return JSON.parse(zstdDecompressSync(packed, { chunkSize: JSON_BYTES }).toString());
}

const TRAITS = { number: 1, digits: 2, same: 4, whole: 8, plain: 16 } as const;

function readParts(packed: Buffer, rest: Buffer): Header {
  const columns = readPlaces(packed);
  const reader = new IntegerReader(rest);
  const size = reader.count();
  const traits = new Uint8Array(columns.size);
  const ends = new Float64Array(columns.size);
  let end = 0;
  for (let index = 0; index < columns.size; index += 1) {
    traits[index] = reader.count();
    ends[index] = end += reader.count();
  }
  const bodies = reader.rest();
  const column = (index: number): ColumnHeader => {
    const part = bodies.subarray(ends[index - 1] ?? 0, ends[index]);
    return readColumn(traits[index] ?? 0, part);
  };
  return { size, columns, column };
}

function readColumn(traits: number, part: Uint8Array): ColumnHeader {
  const has = (trait: number): boolean => (traits & trait) !== 0;
  const common = {
    holds: has(TRAITS.number) ? "number" : has(TRAITS.digits) ? "digits" : "any",
    isWhole: has(TRAITS.whole),
    isPlain: has(TRAITS.plain),
  } as const;
  if (has(TRAITS.same)) {
    const text = Buffer.from(part.buffer, part.byteOffset, part.length).toString();
    return { ...common, is: JSON.parse(text) as Leaf, body: NOTHING };
  }
  if (common.holds === "any") return { ...common, body: part };
  const reader = new IntegerReader(part);
  const [order, less, scale] = [reader.count() as Order, reader.count(), reader.count()];
  const [base, unit] = [reader.integer(), reader.integer()];
  const least = base + reader.integer();
  const most = least + reader.integer();
  const numbers = { order, less: less === 0 ? undefined : less - 1, base, unit, scale, least, most };
  return { ...common, numbers, body: reader.rest() };
}

const NOTHING = new Uint8Array();

/** The reverse, for a column at a place. */
export function packChunk(size: number, columns: ReadonlyMap<string, ColumnHeader>): Uint8Array {
  const writer = new IntegerWriter();
  writer.count(size);
  const parts = [...columns.values()].map((column) => {
    const part = [headOf(column), column.body];
    writer.count(traitsOf(column));
    writer.count(part.reduce((sum, { length }) => sum + length, 0));
    return part;
  });
  const packed = zstdCompressSync(Buffer.from(JSON.stringify([...columns.keys()])));
  const lead = Buffer.alloc(HEADER_AT);
  lead.writeUInt8(VERSION, 0);
  lead.writeUInt32BE(packed.length, 1);
  return Buffer.concat([lead, packed, writer.bytes(), ...parts.flat()]);
}

function traitsOf({ holds, is, isWhole, isPlain }: ColumnHeader): number {
  const kind = holds === "any" ? 0 : TRAITS[holds];
  return kind | (is === undefined ? 0 : TRAITS.same) | (isWhole ? TRAITS.whole : 0) | (isPlain ? TRAITS.plain : 0);
}

function headOf({ is, numbers }: ColumnHeader): Uint8Array {
  if (is !== undefined) return Buffer.from(JSON.stringify(is));
  if (numbers === undefined) return NOTHING;
  const { order, less, scale = 0, base, unit, least = 0n, most = 0n } = numbers;
  const writer = new IntegerWriter();
  for (const one of [order, less === undefined ? 0 : less + 1, scale]) writer.count(one);
  for (const one of [base, unit, least - base, most - least]) writer.integer(one);
  return writer.bytes();
}

/** The head of the first version. */
interface FirstHeader {
  readonly looks: number;
  readonly columns: readonly {
    readonly key: string;
    readonly holds: ColumnHeader["holds"];
    readonly is?: Leaf;
    readonly bytes: number;
    readonly by?: { readonly order: Order; readonly less?: number; readonly base: string; readonly unit: string };
    readonly plain?: true;
  }[];
}

function readFirst(packed: Buffer, bodies: Buffer): Header {
  const { looks, columns } = jsonOf(packed) as FirstHeader;
  let end = 0;
  const headers = columns.map(({ holds, is, bytes, by, plain }): ColumnHeader => {
    const body = bodies.subarray(end, (end += bytes));
    const same = is === undefined ? {} : { is };
    const numbers = by && { order: by.order, less: by.less, base: BigInt(by.base), unit: BigInt(by.unit) };
    const shape = { holds, isWhole: is !== undefined, isPlain: plain === true, isEach: true as const, body };
    return { ...shape, ...same, ...(numbers === undefined ? {} : { numbers }) };
  });
  const column = (index: number): ColumnHeader => {
    const header = headers[index];
    if (header === undefined) throw new RangeError(`a chunk of looks has no column ${index}`);
    return header;
  };
  return { size: looks, columns: new Map(columns.map(({ key }, index) => [key, index])), column };
}
