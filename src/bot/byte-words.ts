/** `1.2 MB` in powers of 1000, as file managers and platforms count. */
export function byteWords(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return unit === 0 ? `${bytes} ${bytes === 1 ? "byte" : "bytes"}` : `${value.toFixed(1)} ${units[unit] ?? ""}`;
}

/** `12,345` */
export function countWords(count: number): string {
  return count.toLocaleString("en-US");
}
