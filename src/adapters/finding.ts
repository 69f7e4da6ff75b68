import type { Milliseconds } from "../units/time.ts";

/** The result of one check of the doctor. Texts contain no secrets. */
export type Finding =
  | { readonly state: "ok"; readonly check: string; readonly what: string; readonly cause?: never }
  | {
      /** `warning`: it works, but not as well as it could. */
      readonly state: "warning" | "fault";
      /** The thing checked, in a few words: "Slack scopes". */
      readonly check: string;
      /** One clause or sentence, without its full stop. */
      readonly what: string;
      /** One sentence: what to do about it. */
      readonly remedy: string;
      /** Left out where the operator can mend it by changing a setting. */
      readonly cause?: "network" | "bug";
    };

export function ok(check: string, what: string): Finding {
  return { state: "ok", check, what };
}

export function warning(check: string, what: string, remedy: string): Finding {
  return { state: "warning", check, what, remedy };
}

export function fault(check: string, what: string, remedy: string): Finding {
  return { state: "fault", check, what, remedy };
}

/** For a service that did not answer: the failure may be transient. */
export function noAnswer(check: string, what: string, remedy: string): Finding {
  return { state: "fault", check, what, remedy, cause: "network" };
}

/** For a failed request to a platform; without a status, no answer came. */
export function unanswered(platform: string, statusPage: string, check: string, status: number | undefined): Finding {
  const remedy = `Look at ${statusPage} and at this machine's network, then try again.`;
  if (status === undefined) return noAnswer(check, `${platform} does not answer`, remedy);
  if (status === 429) return noAnswer(check, `${platform} gets too many requests from here`, "Wait a few minutes.");
  const what = status === 200 ? "what cannot be understood" : `HTTP ${status}`;
  return noAnswer(check, `${platform} answers ${what}`, remedy);
}

/** How far this machine's clock is from a platform's, as the Date header of an answer shows it, to the second. */
export function examineClock(
  platform: string,
  headers: Headers | undefined,
  { now, within }: { readonly now: () => Milliseconds; readonly within: Milliseconds },
): Finding[] {
  const ahead = now() - Date.parse(headers?.get("date") ?? "");
  if (Number.isNaN(ahead) || Math.abs(ahead) <= within) return [];
  const seconds = Math.round(ahead / 1000);
  const what = `this machine's clock is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} ${platform}'s`;
  return [warning(`${platform} clock`, what, "Let the machine keep its clock by NTP (timedatectl set-ntp true).")];
}

/** An answer of a platform's interface; without a status, none came. */
export interface PlatformAnswer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Headers;
}

/** The answer to a request of a platform's interface, made without its library. Never rejects. */
export async function answerTo(asked: Promise<Response>): Promise<PlatformAnswer> {
  try {
    const response = await asked;
    const body: unknown = await response.json().catch(() => undefined);
    return { status: response.status, body, headers: response.headers };
  } catch {
    return {};
  }
}
