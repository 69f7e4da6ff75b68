import type { HttpResponse } from "./http.ts";

/** The parsed body of an error response. */
export interface ErrorBody {
  /** gRPC code. */
  readonly code: number | undefined;
  readonly message: string | undefined;
  readonly details: readonly unknown[];
  /** Words of the details: details[].message and details[].inner. */
  readonly innerWords: string | undefined;
  /** True where the body is the error JSON of the interface; false for HTML, other text or nothing. */
  readonly structured: boolean;
}

const NOTHING: ErrorBody = {
  code: undefined,
  message: undefined,
  details: [],
  innerWords: undefined,
  structured: false,
};

/** Longer words than this are cut: they go into one sentence. */
const MAX_WORDS = 300;

/** Reads `{code, message, details}`, bare or under `error`; text that is no JSON yields its first words; never throws. */
export function readErrorBody(body: string): ErrorBody {
  const trimmed = body.trim();
  if (trimmed === "") return NOTHING;
  if (!trimmed.startsWith("{")) return { ...NOTHING, message: wordsOfText(trimmed) };
  let parsed: unknown;
  try {
    parsed = JSON.parse(trimmed);
  } catch {
    return { ...NOTHING, message: toShortLine(trimmed) };
  }
  return readErrorValue(parsed) ?? { ...NOTHING, message: toShortLine(trimmed) };
}

/** The same for parsed JSON; undefined if it is no error of the API. */
export function readErrorValue(value: unknown): ErrorBody | undefined {
  if (!isRecord(value)) return undefined;
  const inner = value["error"];
  const record = isRecord(inner) ? inner : value;
  const code = record["code"];
  const message = record["message"] ?? (typeof inner === "string" ? inner : undefined);
  if (typeof code !== "number" && typeof message !== "string") return undefined;
  const details = Array.isArray(record["details"]) ? (record["details"] as unknown[]) : [];
  return {
    code: typeof code === "number" && Number.isSafeInteger(code) ? code : undefined,
    message: typeof message === "string" && message !== "" ? toShortLine(message) : undefined,
    details,
    innerWords: wordsOfDetails(details),
    structured: true,
  };
}

/**
 * A 404 about the route, not about an entity: code 5, "Not Found" and no details. That is what the gateway of real
 * nodes (grpc-gateway) answers to a path it does not know.
 */
export function isRouteMissing(status: number, body: ErrorBody): boolean {
  return (
    status === 404 && body.structured && body.code === 5 && body.message === "Not Found" && body.details.length === 0
  );
}

/** The same for a whole response. */
export function isRouteMissingResponse({ status, text }: Pick<HttpResponse, "status" | "text">): boolean {
  return status === 404 && isRouteMissing(status, readErrorBody(text));
}

/** One line without control characters, at most 300 characters. */
export function toShortLine(text: string): string {
  const line = text
    .slice(0, MAX_WORDS * 4)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length <= MAX_WORDS ? line : `${line.slice(0, MAX_WORDS - 1).replace(/[\uD800-\uDBFF]$/u, "")}…`;
}

function wordsOfDetails(details: readonly unknown[]): string | undefined {
  const words: string[] = [];
  for (const detail of details) {
    if (!isRecord(detail)) continue;
    for (const part of [detail["message"], detail["inner"]]) {
      if (typeof part === "string" && part.trim() !== "" && !words.includes(part)) words.push(part);
    }
  }
  return words.length === 0 ? undefined : toShortLine(words.join(": "));
}

/** The title of a proxy's page, or the beginning of other text. */
function wordsOfText(text: string): string {
  if (!text.startsWith("<")) return toShortLine(text);
  const title = /<title[^>]*>([^<]+)/iu.exec(text.slice(0, 10_000))?.[1] ?? "";
  return toShortLine(title) || "a web page";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
