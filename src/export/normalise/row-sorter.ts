import { readSync, writeSync } from "node:fs";

import type { SplitTime } from "../vega-time.ts";

/** The memory for the rows of one run. */
const RUN_BYTES = 16 * 1024 * 1024;
/** The shortest rows have a few commas and a time. The arrays of places have room for so many rows a run. */
const BYTES_A_ROW = 64;
/** The head of each row, in memory and in the file: its length, seconds and nanoseconds. */
const HEAD_BYTES = 16;
/** The size of a write; with smaller ones, writing takes up to half as much time again. */
const OUTPUT_BYTES = 256 * 1024;

/**
 * Sorts rows by their time, and rows of one time by their bytes, so that the same rows always give the same bytes.
 * Memory is bounded: runs of rows are sorted in memory, written to a file and merged from there.
 */
export class RowSorter {
  /** The memory of the run: each row is written to it, at the place that `reserve` returns. */
  readonly bytes: Buffer;
  readonly #runsFd: number;
  readonly #starts: Uint32Array;
  readonly #seconds: Float64Array;
  readonly #nanos: Uint32Array;
  #count = 0;
  #end = 0;
  /** Where each run ends in the file. */
  readonly #runEnds: number[] = [];

  /** `runsFd`: an open file for the runs, written from its beginning. */
  constructor(runsFd: number, runBytes = RUN_BYTES) {
    this.#runsFd = runsFd;
    this.bytes = Buffer.allocUnsafeSlow(runBytes);
    const rows = Math.ceil(runBytes / BYTES_A_ROW) + 1;
    this.#starts = new Uint32Array(rows + 1);
    this.#seconds = new Float64Array(rows);
    this.#nanos = new Uint32Array(rows);
  }

  /** The place for a row of at most so many bytes. Throws RangeError where a row would be longer than a run. */
  reserve(bytes: number): number {
    const needed = bytes + HEAD_BYTES;
    if (needed > this.bytes.length) throw new RangeError("a row is longer than a run");
    if (this.#end + needed > this.bytes.length || this.#count === this.#seconds.length) this.#spill();
    return this.#end + HEAD_BYTES;
  }

  /** Takes the row that was written at that place and ends at `end`, line end included. */
  add(end: number, time: SplitTime): void {
    const row = this.#count;
    const head = this.#end;
    this.bytes.writeUInt32LE(end - head - HEAD_BYTES, head);
    this.bytes.writeDoubleLE(time.seconds, head + 4);
    this.bytes.writeUInt32LE(time.nanos, head + 12);
    this.#seconds[row] = time.seconds;
    this.#nanos[row] = time.nanos;
    this.#count = row + 1;
    this.#end = end;
    this.#starts[row + 1] = end;
  }

  /** All rows in order, in pieces that are valid only until the next one is taken. */
  *finish(): Generator<Buffer, void, undefined> {
    if (this.#runEnds.length === 0) {
      yield* this.#sorted(HEAD_BYTES);
      return;
    }
    this.#spill();
    yield* this.#merged();
  }

  /** The rows in memory in order, without the first `skipped` bytes of each head. */
  *#sorted(skipped: number): Generator<Buffer, void, undefined> {
    const output = new Output();
    const order = this.#order();
    for (let place = 0; place < order.length; place += 1) {
      const row = order[place] as number;
      const start = (this.#starts[row] as number) + skipped;
      const end = this.#starts[row + 1] as number;
      if (!output.hasRoom(end - start)) yield output.take(end - start);
      output.add(this.bytes, start, end);
    }
    yield output.take();
  }

  #order(): Uint32Array {
    const order = new Uint32Array(this.#count);
    let sorted = true;
    for (let row = 0; row < order.length; row += 1) {
      order[row] = row;
      if (row > 0 && this.#isBefore(row, row - 1)) sorted = false;
    }
    return sorted ? order : this.#mergeSort(order);
  }

  #isBefore(a: number, b: number): boolean {
    const byTime =
      (this.#seconds[a] as number) - (this.#seconds[b] as number) ||
      (this.#nanos[a] as number) - (this.#nanos[b] as number);
    if (byTime !== 0) return byTime < 0;
    const { bytes } = this;
    const starts = this.#starts;
    const startA = (starts[a] as number) + HEAD_BYTES;
    const startB = (starts[b] as number) + HEAD_BYTES;
    return bytes.compare(bytes, startB, starts[b + 1], startA, starts[a + 1]) < 0;
  }

  /** Writes the rows in memory to the file, as a run. */
  #spill(): void {
    if (this.#count === 0) return;
    let position = this.#runEnds.at(-1) ?? 0;
    for (const piece of this.#sorted(0)) position = writeAll(this.#runsFd, piece, position);
    this.#runEnds.push(position);
    this.#count = 0;
    this.#end = 0;
  }

  *#merged(): Generator<Buffer, void, undefined> {
    const output = new Output();
    const ends = this.#runEnds;
    // All rows are in the file now, so their memory is used to read the runs.
    const readBytes = Math.floor(this.bytes.length / ends.length);
    // A binary heap of runs by their first rows; a sorted array is a heap.
    const heap = ends.map((end, run) => {
      const memory = this.bytes.subarray(run * readBytes, (run + 1) * readBytes);
      return new RunReader(this.#runsFd, ends[run - 1] ?? 0, end, memory);
    });
    for (const run of heap) run.next();
    heap.sort((a, b) => (a.isBefore(b) ? -1 : 1));
    for (let run = heap[0]; run !== undefined; run = heap[0]) {
      if (!output.hasRoom(run.end - run.start)) yield output.take(run.end - run.start);
      output.add(run.bytes, run.start, run.end);
      const first = run.next() ? run : (heap.pop() as RunReader);
      // The heap is empty once the last run has ended.
      if (heap.length > 0) siftDown(heap, first);
    }
    yield output.take();
  }

  /**
   * Sorts these rows, possibly in place, by a bottom-up merge sort: several times as fast as the array's own sort,
   * which calls a function for each comparison.
   */
  #mergeSort(rows: Uint32Array): Uint32Array {
    let from = rows;
    let into: Uint32Array = new Uint32Array(rows.length);
    for (let width = 1; width < rows.length; width *= 2) {
      for (let start = 0; start < rows.length; start += 2 * width) {
        const middle = Math.min(start + width, rows.length);
        const end = Math.min(start + 2 * width, rows.length);
        let [left, right] = [start, middle];
        for (let at = start; at < end; at += 1) {
          const takesRight =
            left === middle || (right < end && this.#isBefore(from[right] as number, from[left] as number));
          into[at] = from[takesRight ? right : left] as number;
          if (takesRight) right += 1;
          else left += 1;
        }
      }
      [from, into] = [into, from];
    }
    return from;
  }
}

/** Gathers rows into large pieces. */
class Output {
  #bytes = Buffer.allocUnsafeSlow(OUTPUT_BYTES);
  #filled = 0;

  hasRoom(bytes: number): boolean {
    return this.#filled + bytes <= this.#bytes.length;
  }

  add(bytes: Buffer, start: number, end: number): void {
    this.#filled += bytes.copy(this.#bytes, this.#filled, start, end);
  }

  /** Returns the gathered bytes, and makes room for at least so many more. */
  take(room = 0): Buffer {
    const taken = this.#bytes.subarray(0, this.#filled);
    if (room > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(2 * room);
    this.#filled = 0;
    return taken;
  }
}

/** Reads one run, row by row. After `next`, the row is `bytes` from `start` to `end`, until `next` is called again. */
class RunReader {
  bytes: Buffer;
  start = 0;
  end = 0;
  seconds = 0;
  nanos = 0;
  readonly #fd: number;
  #position: number;
  readonly #until: number;
  #filled = 0;

  constructor(fd: number, from: number, until: number, memory: Buffer) {
    this.#fd = fd;
    this.#position = from;
    this.#until = until;
    this.bytes = memory;
  }

  isBefore(other: RunReader): boolean {
    const byTime = this.seconds - other.seconds || this.nanos - other.nanos;
    return (byTime || this.bytes.compare(other.bytes, other.start, other.end, this.start, this.end)) < 0;
  }

  /** Reads the next row; false where there is none. */
  next(): boolean {
    const head = this.#fill(this.end, HEAD_BYTES);
    if (head === this.#filled) return false;
    const length = this.bytes.readUInt32LE(head);
    this.seconds = this.bytes.readDoubleLE(head + 4);
    this.nanos = this.bytes.readUInt32LE(head + 12);
    this.start = this.#fill(head + HEAD_BYTES, length);
    this.end = this.start + length;
    return true;
  }

  /**
   * Makes sure that so many bytes of the run follow `at`, as far as there are, and returns their place, which may be
   * another.
   */
  #fill(at: number, atLeast: number): number {
    const kept = this.#filled - at;
    if (kept >= atLeast) return at;
    if (atLeast > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * atLeast);
      this.bytes.copy(larger, 0, at, this.#filled);
      this.bytes = larger;
    } else {
      this.bytes.copyWithin(0, at, this.#filled);
    }
    this.#filled = kept;
    while (this.#filled < this.bytes.length && this.#position < this.#until) {
      const room = Math.min(this.bytes.length - this.#filled, this.#until - this.#position);
      const read = readSync(this.#fd, this.bytes, this.#filled, room, this.#position);
      if (read === 0) throw new Error("a sorted run has lost its end");
      this.#filled += read;
      this.#position += read;
    }
    return 0;
  }
}

/** Replaces the first run of the heap by this one, and restores the order of the heap. */
function siftDown(heap: RunReader[], run: RunReader): void {
  let at = 0;
  for (;;) {
    const left = heap[2 * at + 1];
    const right = heap[2 * at + 2];
    if (left === undefined) break;
    const isRight = right !== undefined && right.isBefore(left);
    const child = isRight ? right : left;
    if (!child.isBefore(run)) break;
    heap[at] = child;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = run;
}

/** Writes all bytes at a position, and returns the position behind them. */
export function writeAll(fd: number, bytes: Uint8Array, from: number): number {
  let position = from;
  for (let at = 0; at < bytes.length;) {
    const written = writeSync(fd, bytes, at, bytes.length - at, position);
    at += written;
    position += written;
  }
  return position;
}
