import { readFileSync } from "node:fs";
import path from "node:path";

import { formatDecimal, type Decimal } from "../../src/units/decimal.ts";

/** What a case's answer means; see test/fixtures/wire/README.md. */
export interface Means {
  readonly values?: Readonly<Record<string, string | boolean>>;
  readonly unset?: readonly string[];
  readonly counts?: Readonly<Record<string, number>>;
  readonly passedThrough?: readonly string[];
  readonly assetId?: string;
  readonly erc20?: readonly string[];
  readonly asOf?: { readonly blockHeight?: string; readonly blockTime?: string };
  readonly routeMissing?: boolean;
  readonly error?: {
    readonly kind?: string;
    readonly httpStatus?: number;
    readonly code?: number;
    readonly nodeMessage?: string;
    readonly innerWords?: readonly string[];
    readonly path?: string;
    readonly retryAfterMillis?: number;
    readonly routeMissing?: boolean;
  };
  readonly fileBase64?: string;
  readonly contentType?: string;
}

export interface WireCase {
  readonly name: string;
  readonly request: { readonly path: string; readonly query: Readonly<Record<string, string>> };
  readonly dialect: "contract" | "v0.71" | "both";
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly bodyText?: string;
    readonly chunks?: readonly string[];
    readonly ends?: "whole" | "dropped";
  };
  readonly means: Means;
}

export function wireCases(file: string): readonly WireCase[] {
  const from = path.resolve(import.meta.dirname, "../fixtures/wire", `${file}.json`);
  return (JSON.parse(readFileSync(from, "utf8")) as { cases: readonly WireCase[] }).cases;
}

/** The value at `order.size` or `rows[0].node.hash`. */
export function valueAt(value: unknown, place: string): unknown {
  const steps = place.split(/[.[\]]+/u).filter((step) => step !== "");
  return steps.reduce<unknown>(
    (at, step) => (typeof at === "object" && at !== null ? (at as Record<string, unknown>)[step] : undefined),
    value,
  );
}

/** A value as the fixtures write it: numbers as strings, to the digit. */
export function asWritten(value: unknown): unknown {
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  if (isDecimal(value)) return formatDecimal(value, { group: false, trim: false });
  return value;
}

function isDecimal(value: unknown): value is Decimal {
  return typeof value === "object" && value !== null && "units" in value && "scale" in value;
}
