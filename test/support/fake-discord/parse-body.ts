import type { StoredFile } from "./state.ts";
import { ErrorResponse } from "./error-response.ts";

export interface ParsedBody {
  readonly json: Record<string, unknown>;
  /** By their number in `files[n]`. */
  readonly files: ReadonlyMap<number, Omit<StoredFile, "description">>;
  readonly bytes: number;
}

/** JSON, or multipart with payload_json and files[n], read by Node's own parser of forms. */
export async function parseBody(bytes: Buffer, contentType: string | undefined): Promise<ParsedBody> {
  if (bytes.length === 0) return { json: {}, files: new Map(), bytes: 0 };
  if (contentType?.startsWith("application/json") === true) {
    return { json: JSON.parse(bytes.toString()) as Record<string, unknown>, files: new Map(), bytes: bytes.length };
  }
  if (contentType?.startsWith("multipart/form-data") !== true)
    throw new ErrorResponse(400, 50_035, `Content-Type ${contentType}`);
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": contentType } }).formData();
  const files = new Map<number, Omit<StoredFile, "description">>();
  let json: Record<string, unknown> = {};
  for (const [key, value] of form) {
    const number = /^files\[(\d+)\]$/u.exec(key)?.[1];
    if (key === "payload_json" && typeof value === "string") json = JSON.parse(value) as Record<string, unknown>;
    else if (number !== undefined && typeof value !== "string") {
      files.set(Number(number), { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
    } else throw new ErrorResponse(400, 50_035, `unexpected part ${key}`);
  }
  return { json, files, bytes: bytes.length };
}
