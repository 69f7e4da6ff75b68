import type { z } from "zod";

import type { RequestTarget } from "./failure.ts";
import { nodeFailure } from "./failure.ts";
import { readErrorValue, toShortLine, type ErrorBody } from "./error-body.ts";
import type { HttpResponse } from "./http.ts";

/** The body of a 200 as the schema's type. Throws ApiError `unreadable` naming the path in the JSON. */
export function parseResponse<T extends z.ZodType>(reply: HttpResponse, schema: T, asked: RequestTarget): z.output<T> {
  const body = parseJson(reply, asked);
  const error = errorInstead(body);
  if (error !== undefined) {
    const why = `says “${error.innerWords ?? error.message ?? "an error"}” (though with HTTP 200)`;
    const { code, message: nodeMessage, details, innerWords } = error;
    throw nodeFailure("unreadable", why, asked, {
      httpStatus: reply.status,
      path: "error",
      code,
      nodeMessage,
      details,
      innerWords,
    });
  }
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = pathOf(issue?.path ?? []);
  const why = `sent an answer that cannot be understood: ${wordsOf(issue?.message)} at ${path}`;
  throw nodeFailure("unreadable", why, asked, { httpStatus: reply.status, path });
}

/** An error in the place of an answer. Every field of an answer may be absent, so that no schema would mind it. */
function errorInstead(body: unknown): ErrorBody | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  return "error" in body || ("code" in body && "message" in body) ? readErrorValue(body) : undefined;
}

/** What zod has to say, without its jargon. */
function wordsOf(message: string | undefined): string {
  if (message === undefined) return "it has another shape";
  return toShortLine(message)
    .replace(/^Invalid input: /u, "")
    .replace(/, received undefined$/u, " but there is nothing");
}

function parseJson(reply: HttpResponse, asked: RequestTarget): unknown {
  try {
    return JSON.parse(reply.body.toString("utf8"));
  } catch (cause) {
    const foreign = /^\s*</u.test(reply.body.subarray(0, 100).toString("utf8"));
    const what =
      reply.body.length === 0
        ? "an empty answer"
        : foreign
          ? "a web page instead of JSON"
          : "an answer that is not JSON";
    throw nodeFailure("unreadable", `sent ${what}`, asked, { httpStatus: reply.status, foreign, cause });
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
