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
      /** Who can mend it; left out = the operator, by changing a setting. */
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
