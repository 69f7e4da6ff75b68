import type { z } from "zod";

import { kindOf } from "../model/fields.ts";
import { type ErrorBody, readErrorValue, toShortLine } from "./error-body.ts";
import type { HttpResponse } from "./http.ts";
import { detailsOf, nodeFailure, type RequestTarget } from "./node-failure.ts";

/** Parses the body of a 200 by its schema. Throws ApiError `unreadable` with the JSON path. */
export function parseResponse<T extends z.ZodType>(
  response: HttpResponse,
  schema: T,
  target: RequestTarget,
): z.output<T> {
  const body = parseJson(response, target);
  const error = errorInstead(body);
  if (error !== undefined) {
    const why = `says “${error.innerWords ?? error.message ?? "an error"}” (though with HTTP 200)`;
    throw nodeFailure("unreadable", why, target, { httpStatus: response.status, path: "error", ...detailsOf(error) });
  }
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const steps = issue?.path ?? [];
  const path = pathOf(steps);
  const value = valueAt(body, steps);
  const what = value === undefined ? `${path} is missing` : `${wordsOf(issue, value)} at ${path}`;
  const why = `sent an answer that cannot be understood: ${what}`;
  throw nodeFailure("unreadable", why, target, { httpStatus: response.status, path });
}

/** An error body with status 200. All fields of an answer are optional, so a schema would accept it. */
function errorInstead(body: unknown): ErrorBody | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  return "error" in body || ("code" in body && "message" in body) ? readErrorValue(body) : undefined;
}

const TYPE_WORDS: Readonly<Record<string, string>> = { array: "a list", object: "an object" };

/** What is wrong with a value: the words of fields.ts, or for a container of another type our own. */
function wordsOf(issue: z.core.$ZodIssue | undefined, value: unknown): string {
  if (issue?.code === "custom") return issue.message;
  const expected = issue?.code === "invalid_type" ? TYPE_WORDS[issue.expected] : undefined;
  return expected === undefined ? "a value of another shape" : `expected ${expected}, not ${kindOf(value)}`;
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | null)?.[step], body);
}

function parseJson(response: HttpResponse, target: RequestTarget): unknown {
  try {
    return JSON.parse(response.text);
  } catch (cause) {
    const foreign = /^\s*</u.test(response.text.slice(0, 100));
    const what =
      response.text === "" ? "an empty answer" : foreign ? "a web page instead of JSON" : "an answer that is not JSON";
    throw nodeFailure("unreadable", `sent ${what}`, target, { httpStatus: response.status, foreign, cause });
  }
}

/** `marketsData[3].markPrice`; the top of the answer is `the top`. */
export function pathOf(path: readonly PropertyKey[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += `${text === "" ? "" : "."}${toShortLine(String(step))}`;
  }
  return text === "" ? "the top" : text;
}
