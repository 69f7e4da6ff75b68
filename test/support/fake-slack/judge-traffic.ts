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

/** What a payload carries and nobody sees. */
const CARRIED: ReadonlySet<string> = new Set(["value", "url", "private_metadata", "metadata", "action_id", "block_id"]);

/** Nothing that the bot says may call everybody. */
function pingsIn(value: unknown): string[] {
  const shown = JSON.stringify(value, (key, part: unknown) => (CARRIED.has(key) ? undefined : part));
  return /<!(?:channel|here|everyone)\b/u.test(shown) ? ["it calls everybody"] : [];
}

const STRUCTURED: ReadonlySet<string> = new Set(["attachments", "blocks", "files", "metadata", "view"]);

/** What the SDK sends: a form, with JSON in the fields that are no plain values. */
export function argumentsOf(bytes: Buffer): Record<string, unknown> {
  return Object.fromEntries(
    [...new URLSearchParams(bytes.toString())].map(([key, value]) => {
      if (value === "true" || value === "false") return [key, value === "true"];
      return [key, STRUCTURED.has(key) ? (JSON.parse(value) as unknown) : value];
    }),
  );
}
