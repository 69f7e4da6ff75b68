import { judgeMessage, judgeOptions, judgeView } from "./judge.ts";

// Finds what is to be judged in whatever the bot sends, so that no test can forget to.

/** What is wrong with the messages and views that a request carries, whatever it is for. */
export function judgeRequest(area: string, bytes: Buffer): string[] {
  if (area === "upload") return [];
  const args = area === "respond" ? (JSON.parse(bytes.toString()) as Record<string, unknown>) : argumentsOf(bytes);
  return [
    ...("blocks" in args || "text" in args ? [...judgeMessage(args), ...pingsIn(args)] : []),
    ...("view" in args ? [...judgeView(args["view"]), ...pingsIn(args["view"])] : []),
    ...("attachments" in args ? ["attachments, which nothing judges"] : []),
  ];
}

/** What is wrong with what an acknowledgement carries: values to choose from, errors at a form's fields, a view. */
export function judgeAnswer(answer: unknown): string[] {
  if (typeof answer !== "object" || answer === null) return [];
  const { options, errors, view, ...rest } = answer as Record<string, unknown>;
  return [
    ...(options === undefined ? [] : judgeOptions(options)),
    ...(view === undefined ? [] : judgeView(view)),
    ...Object.entries(errors ?? {}).flatMap(([block, words]) =>
      typeof words === "string" && words.trim() !== "" && words.isWellFormed() ? [] : [`no error at ${block}`],
    ),
    ...Object.keys(rest)
      .filter((key) => key !== "response_action")
      .map((key) => `an acknowledgement that carries ${key}, which nothing judges`),
  ];
}

/** Nothing that the bot says may call everybody. */
function pingsIn(value: unknown): string[] {
  return /<!(?:channel|here|everyone)\b/u.test(JSON.stringify(value)) ? ["it calls everybody"] : [];
}

/** What the SDK sends: a form, with JSON in the fields that are no plain values. */
export function argumentsOf(bytes: Buffer): Record<string, unknown> {
  return Object.fromEntries(
    [...new URLSearchParams(bytes.toString())].map(([key, value]) => {
      if (value === "true" || value === "false") return [key, value === "true"];
      return [key, /^[[{]/u.test(value) && key !== "text" ? (JSON.parse(value) as unknown) : value];
    }),
  );
}
