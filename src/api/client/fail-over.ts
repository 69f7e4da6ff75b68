import { DelegateBackoff, handleType, retry, type RetryPolicy } from "cockatiel";

import type { Milliseconds } from "../../units/duration.ts";
import type { Answer } from "../api-client.ts";
import { ApiError } from "../api-error.ts";
import type { ApiRequest } from "../model/requests.ts";
import { isBehind } from "../node/last-seen-block.ts";
import type { AttemptOptions, ClientContext, NodeEndpoint } from "../node/node.ts";
import { FailOverPlan, MAX_TRIES, RetryRequested } from "./fail-over-plan.ts";

/** Where one answer is there already, a node that may have a later one gets no longer than this. */
const SECOND_ANSWER_TIMEOUT_MILLIS: Milliseconds = 2000;

/** The one retry layer: around request and parse, over all nodes. Every question is a GET, so asking twice is safe. */
const policy: RetryPolicy = retry(handleType(RetryRequested), {
  maxAttempts: MAX_TRIES,
  backoff: new DelegateBackoff((context) =>
    "error" in context.result && context.result.error instanceof RetryRequested ? context.result.error.pauseMillis : 0,
  ),
});

/**
 * Asks one node after the other until one answers, those that are known to lag behind the others last. Rejects with
 * the ApiError that says most, every try in its message, or with the signal's reason.
 */
export async function requestWithFailOver<T>(
  endpoints: readonly NodeEndpoint[],
  asked: ApiRequest<T>,
  attempt: AttemptOptions,
  around: ClientContext,
): Promise<Answer<T>> {
  const plan = new FailOverPlan(endpoints, attempt, around);
  const ask = async (): Promise<Answer<T>> => {
    attempt.signal?.throwIfAborted();
    const endpoint = plan.next() ?? (await plan.waitForSoonest());
    let answer: Answer<T>;
    try {
      answer = await endpoint.request(asked, attempt);
    } catch (error) {
      throw plan.onFailure(endpoint, error);
    }
    const better = endpoints.length === 1 ? undefined : plan.alternativeTo(endpoint, answer.asOf, isEmpty(answer));
    return better === undefined ? answer : latest(endpoint, answer, better);
  };
  // The first try is made at once, and only its failure is handed to the policy: nearly every call ends here.
  let first: Promise<Answer<T>> | undefined = ask();
  try {
    return await first;
  } catch (failure) {
    if (!(failure instanceof RetryRequested)) throw plan.finalError(failure, asked.what);
  }
  try {
    return await policy.execute(() => {
      const made = first ?? ask();
      first = undefined;
      return made;
    });
  } catch (error) {
    throw plan.finalError(error, asked.what);
  }

  /** Of a list: a node whose history began anew has nothing to list either. */
  function isEmpty({ value }: Answer<T>): boolean {
    return asked.pages === true && (value as { rows?: readonly unknown[] }).rows?.length === 0;
  }

  /** A node's doubtful answer, unless others asked in their turn turn out to be further on. */
  async function latest(giver: NodeEndpoint, answer: Answer<T>, better: NodeEndpoint): Promise<Answer<T>> {
    const { clock } = around;
    let best = { giver, answer };
    let next: NodeEndpoint | undefined = better;
    while (next !== undefined) {
      const deadlineMillis = Math.min(attempt.deadlineMillis, clock.monotonicMillis() + SECOND_ANSWER_TIMEOUT_MILLIS);
      try {
        const other = await next.request(asked, { ...attempt, deadlineMillis });
        const now = clock.monotonicMillis();
        if (isBehind(best.giver, endpoints, now) && !isBehind(next, endpoints, now)) {
          best = { giver: next, answer: other };
        }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
      next = plan.alternativeTo(best.giver, best.answer.asOf, isEmpty(best.answer));
    }
    return best.answer;
  }
}
