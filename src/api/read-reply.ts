import type { z } from "zod";

import type { Asked } from "./failure.ts";
import { nodeFailure } from "./failure.ts";
import { readErrorValue, tidy } from "./error-body.ts";
import type { HttpReply } from "./http.ts";

/** The body of a 200 as the schema's type. Throws ApiError `unreadable` naming the path in the JSON. */
export function readReply<T extends z.ZodType>(reply: HttpReply, schema: T, asked: Asked): z.output<T> {
  const body = parseJson(reply, asked);
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = pathOf(issue?.path ?? []);
  const error = readErrorValue(body);
  const words = error?.innerWords ?? error?.message;
  const why =
    words === undefined
      ? `sent an answer that cannot be understood: ${wordsOf(issue?.message)} at ${path}`
      : `says “${words}” (though with HTTP 200)`;
  throw nodeFailure("unreadable", why, asked, { httpStatus: reply.status, path });
}

/** What zod has to say, without its jargon. */
function wordsOf(message: string | undefined): string {
  if (message === undefined) return "it has another shape";
  return tidy(message)
    .replace(/^Invalid input: /u, "")
    .replace(/, received undefined$/u, " but there is nothing");
}

function parseJson(reply: HttpReply, asked: Asked): unknown {
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
    else text += `${text === "" ? "" : "."}${tidy(String(step))}`;
  }
  return text === "" ? "the top" : text;
}
