import { readFileSync } from "node:fs";

/** The signs of the font of pictures by their code, and their widths in hundredths of the size: its tables cmap and hmtx. */
export function fontWidths(): ReadonlyMap<number, number> {
  const font = readFileSync(new URL("../../src/chart/font/dejavu-sans-condensed.ttf", import.meta.url));
  const tables = new Map(
    Array.from({ length: font.readUInt16BE(4) }, (_, at) => {
      const record = 12 + 16 * at;
      return [font.toString("latin1", record, record + 4), font.readUInt32BE(record + 8)] as const;
    }),
  );
  const [head = 0, hhea = 0, hmtx = 0, cmap = 0] = ["head", "hhea", "hmtx", "cmap"].map((name) => tables.get(name));
  const unitsPerEm = font.readUInt16BE(head + 18);
  const metrics = font.readUInt16BE(hhea + 34);
  const widthOf = (glyph: number): number =>
    Math.ceil((font.readUInt16BE(hmtx + 4 * Math.min(glyph, metrics - 1)) * 100) / unitsPerEm);
  const subtables = Array.from(
    { length: font.readUInt16BE(cmap + 2) },
    (_, at) => cmap + font.readUInt32BE(cmap + 8 + 8 * at),
  );
  const found = subtables.find((at) => font.readUInt16BE(at) === 4) ?? 0;
  const count = font.readUInt16BE(found + 6) / 2;
  const widths = new Map<number, number>();
  for (let segment = 0; segment < count; segment += 1) {
    const at = (part: number): number => found + 14 + 2 * (part * count + segment) + (part > 0 ? 2 : 0);
    const [end, start, delta, offset] = [
      font.readUInt16BE(at(0)),
      font.readUInt16BE(at(1)),
      font.readUInt16BE(at(2)),
      font.readUInt16BE(at(3)),
    ];
    for (let code = start; code <= end && code !== 0xffff; code += 1) {
      const glyph = offset === 0 ? (code + delta) % 65_536 : font.readUInt16BE(at(3) + offset + 2 * (code - start));
      if (glyph !== 0) widths.set(code, widthOf(glyph));
    }
  }
  return widths;
}
