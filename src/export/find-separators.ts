const COMMA = 0x2c;
const LINE_FEED = 0x0a;

/** The most bytes that are searched at once: they, and where their separators are, stay in the processor's cache. */
export const SEARCH_BYTES = 32 * 1024;

/** The separators in a piece of text. The next search in this thread overwrites them. */
export interface Separators {
  /** Where the commas and line feeds are, in their order. */
  readonly positions: Uint32Array;
  /** Which of the positions are line feeds, in their order; behind the last one, the number of all positions. */
  readonly lines: Uint32Array;
  /** The number of line feeds. */
  lineCount: number;
}

// The memory: the bytes, and behind them so many zeros that a step may read beyond their end; then both lists, each with
// room for a text of nothing but separators.
const STEP = 16;
const POSITIONS_AT = SEARCH_BYTES + STEP;
const LINES_AT = POSITIONS_AT + 4 * SEARCH_BYTES;
const PAGE_BYTES = 64 * 1024;
const PAGES = Math.ceil((LINES_AT + 4 * (SEARCH_BYTES + 1)) / PAGE_BYTES);

const PARAMETERS = ["$length"];
const I32_LOCALS = ["$at", "$found", "$lines", "$feeds", "$marks", "$bit"];
const V128_LOCALS = ["$bytes"];
const LOCALS = [...PARAMETERS, ...I32_LOCALS, ...V128_LOCALS];

/** Looks at 16 bytes in each step of the outer loop, and at one separator among them in each of the inner one. */
const SEARCH = `
  block
    loop
      local.get $at      local.get $length      i32.ge_u      br_if 1
      local.get $at      v128.load 4 0          local.tee $bytes
      i32.const ${LINE_FEED}       i8x16.splat            i8x16.eq      i8x16.bitmask      local.tee $feeds
      local.get $bytes   i32.const ${COMMA}           i8x16.splat   i8x16.eq           i8x16.bitmask
      i32.or             local.set $marks
      block
        loop
          local.get $marks   i32.eqz            br_if 1
          local.get $found   i32.const 2        i32.shl
          local.get $at      local.get $marks   i32.ctz       i32.add            i32.store 2 ${POSITIONS_AT}
          local.get $lines   i32.const 2        i32.shl       local.get $found   i32.store 2 ${LINES_AT}
          local.get $lines
          i32.const 0        local.get $marks   i32.sub       local.get $marks   i32.and    local.tee $bit
          local.get $feeds   i32.and            i32.const 0   i32.ne             i32.add    local.set $lines
          local.get $found   i32.const 1        i32.add       local.set $found
          local.get $marks   local.get $bit     i32.xor       local.set $marks
          br 0
        end
      end
      local.get $at      i32.const ${STEP}      i32.add       local.set $at
      br 0
    end
  end
  local.get $lines   i32.const 2        i32.shl       local.get $found   i32.store 2 ${LINES_AT}
  local.get $lines
  end`;

/** The instructions above (https://webassembly.github.io/spec/core/binary/instructions.html). */
const OPCODES: Readonly<Record<string, readonly number[]>> = {
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  end: [0x0b],
  br: [0x0c],
  br_if: [0x0d],
  "local.get": [0x20],
  "local.set": [0x21],
  "local.tee": [0x22],
  "i32.store": [0x36],
  "i32.const": [0x41],
  "i32.eqz": [0x45],
  "i32.ne": [0x47],
  "i32.ge_u": [0x4f],
  "i32.ctz": [0x68],
  "i32.add": [0x6a],
  "i32.sub": [0x6b],
  "i32.and": [0x71],
  "i32.or": [0x72],
  "i32.xor": [0x73],
  "i32.shl": [0x74],
  "v128.load": [0xfd, 0x00],
  "i8x16.splat": [0xfd, 0x0f],
  "i8x16.eq": [0xfd, 0x23],
  "i8x16.bitmask": [0xfd, 0x64],
};

/** A number in LEB128, signed, which for a number that is not negative is as good as unsigned. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x3f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

function sized(bytes: readonly number[]): number[] {
  return [...leb(bytes.length), ...bytes];
}

function assemble(text: string): number[] {
  const words = text.trim().split(/\s+/u);
  return words.flatMap((word) => OPCODES[word] ?? leb(word.startsWith("$") ? LOCALS.indexOf(word) : Number(word)));
}

const [I32, V128, FUNCTION] = [0x7f, 0x7b, 0x60];

/** The module's sections (https://webassembly.github.io/spec/core/binary/modules.html): it takes the memory as `e.m`. */
const MODULE = new Uint8Array(
  [
    [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    // One type, (i32) -> i32; the import; one function of that type; its export as `f`; its locals and code.
    [1, ...sized([1, FUNCTION, 1, I32, 1, I32])],
    [2, ...sized([1, 1, 0x65, 1, 0x6d, 2, 0, ...leb(PAGES)])],
    [3, ...sized([1, 0])],
    [7, ...sized([1, 1, 0x66, 0, 0])],
    [10, ...sized([1, ...sized([2, I32_LOCALS.length, I32, V128_LOCALS.length, V128, ...assemble(SEARCH)])])],
  ].flat(),
);

/** What is used of it: TypeScript declares the whole only with a browser's other globals. */
declare const WebAssembly: {
  validate(module: Uint8Array): boolean;
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (module: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
};

const memory = new WebAssembly.Memory({ initial: PAGES });
const bytes = new Uint8Array(memory.buffer, 0, POSITIONS_AT);
const positions = new Uint32Array(memory.buffer, POSITIONS_AT, SEARCH_BYTES);
const lines = new Uint32Array(memory.buffer, LINES_AT, SEARCH_BYTES + 1);
const found: Separators = { positions, lines, lineCount: 0 };

/** Fills both lists from so many bytes of the memory, and returns the number of line feeds. */
type Search = (length: number) => number;

/** Undefined on a processor without the instructions: on x86 those from before 2008, and what virtual ones imitate. */
function wideSearch(): Search | undefined {
  if (!WebAssembly.validate(MODULE)) return undefined;
  const instance = new WebAssembly.Instance(new WebAssembly.Module(MODULE), { e: { m: memory } });
  return instance.exports["f"] as Search;
}

const searchByByte: Search = (length) => {
  let count = 0;
  let lineCount = 0;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at];
    if (byte !== COMMA && byte !== LINE_FEED) continue;
    positions[count] = at;
    if (byte === LINE_FEED) {
      lines[lineCount] = count;
      lineCount += 1;
    }
    count += 1;
  }
  lines[lineCount] = count;
  return lineCount;
};

/** All ways to search on this processor, the fastest first. */
export const SEARCHES: readonly Search[] = [wideSearch(), searchByByte].filter((search) => search !== undefined);
const [fastest = searchByByte] = SEARCHES;

/**
 * Finds the commas and line feeds in at most SEARCH_BYTES. It is WebAssembly for the instructions that compare 16 bytes
 * at once: V8 has none for JavaScript, and takes 13 ns to find a comma in a string.
 */
export function findSeparators(text: Uint8Array, search = fastest): Separators {
  bytes.set(text);
  bytes.fill(0, text.length, text.length + STEP);
  found.lineCount = search(text.length);
  return found;
}
