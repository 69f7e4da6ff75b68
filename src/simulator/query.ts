import { WireFailure } from "./wire-failure.ts";

// What the gateway makes of a query before any handler sees it: a value of the wrong type is refused without details.

/** Undefined where absent. Throws WireFailure (400) in the words of the gateway's parser. */
export function readInt32(query: URLSearchParams, name: string): number | undefined {
  const value = readInteger(query, name, 2n ** 31n);
  return value === undefined ? undefined : Number(value);
}

/** Undefined where absent. Throws WireFailure (400) in the words of the gateway's parser. */
export function readInt64(query: URLSearchParams, name: string): bigint | undefined {
  return readInteger(query, name, 2n ** 63n);
}

/** Undefined where absent. Throws WireFailure (400) in the words of the gateway's parser. */
export function readBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (["1", "t", "T", "TRUE", "true", "True"].includes(text)) return true;
  if (["0", "f", "F", "FALSE", "false", "False"].includes(text)) return false;
  throw mismatch(name, "strconv.ParseBool", text, "invalid syntax");
}

function readInteger(query: URLSearchParams, name: string, beyond: bigint): bigint | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?\d{1,100}$/u.test(text)) throw mismatch(name, "strconv.ParseInt", text, "invalid syntax");
  const value = BigInt(text.replace("+", ""));
  if (value >= beyond || value < -beyond) throw mismatch(name, "strconv.ParseInt", text, "value out of range");
  return value;
}

function mismatch(name: string, parser: string, text: string, why: string): WireFailure {
  return new WireFailure(
    "invalidArgument",
    `type mismatch, parameter: ${name}, error: ${parser}: parsing ${JSON.stringify(text)}: ${why}`,
  );
}
