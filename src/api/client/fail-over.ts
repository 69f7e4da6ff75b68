import { DelegateBackoff, handleType, retry, type RetryPolicy } from "cockatiel";

import type { Milliseconds } from "../../units/duration.ts";
import type { Answer } from "../api-client.ts";
import { ApiError } from "../api-error.ts";
import type { ApiRequest } from "../model/model.ts";
import { isBehind } from "../node/last-seen-block.ts";
import type { AttemptOptions, ClientContext, NodeEndpoint } from "../node/node.ts";
import { FailOverPlan, MAX_TRIES, RetryRequested } from "./fail-over-plan.ts";

/** How long to wait for a newer answer from a second node. */
const SECOND_ANSWER_TIMEOUT_MILLIS: Milliseconds = 2000;

/** The one retry layer: around request and parse, over all nodes. Every request is a GET, so repeating it is safe. */
const policy: RetryPolicy = retry(handleType(RetryRequested), {
  maxAttempts: MAX_TRIES,
  backoff: new DelegateBackoff((context) =>
    "error" in context.result && context.result.error instanceof RetryRequested ? context.result.error.pauseMillis : 0,
  ),
});

/**
 * Tries one node after another, known laggards last, until one answers. Rejects with the most informative ApiError,
 * which lists all attempts, or with the signal's reason.
 */
export async function requestWithFailOver<T>(
  endpoints: readonly NodeEndpoint[],
  request: ApiRequest<T>,
  attempt: AttemptOptions,
  context: ClientContext,
): Promise<Answer<T>> {
  const plan = new FailOverPlan(endpoints, attempt, context);
  const send = async (): Promise<Answer<T>> => {
    attempt.signal?.throwIfAborted();
    const endpoint = plan.next() ?? (await plan.waitForSoonest());
    let answer: Answer<T>;
    try {
      answer = await endpoint.request(request, attempt);
    } catch (error) {
      throw plan.onFailure(endpoint, error);
    }
    const better = endpoints.length === 1 ? undefined : plan.alternativeTo(endpoint, answer.asOf, isEmpty(answer));
    return better === undefined ? answer : latest(endpoint, answer, better);
  };
  // The first attempt bypasses the policy, since nearly every call ends here.
  let first: Promise<Answer<T>> | undefined = send();
  try {
    return await first;
  } catch (failure) {
    if (!(failure instanceof RetryRequested)) throw plan.finalError(failure, request.what);
  }
  try {
    return await policy.execute(() => {
      const made = first ?? send();
      first = undefined;
      return made;
    });
  } catch (error) {
    throw plan.finalError(error, request.what);
  }

  /** An empty list is doubtful: a node whose history was reset returns one, too. */
  function isEmpty({ value }: Answer<T>): boolean {
    return request.pages === true && (value as { rows?: readonly unknown[] }).rows?.length === 0;
  }

  /** The doubtful answer, or a newer one from another node. */
  async function latest(source: NodeEndpoint, answer: Answer<T>, better: NodeEndpoint): Promise<Answer<T>> {
    const { clock } = context;
    let best = { source, answer };
    let next: NodeEndpoint | undefined = better;
    while (next !== undefined) {
      const deadlineMillis = Math.min(attempt.deadlineMillis, clock.monotonicMillis() + SECOND_ANSWER_TIMEOUT_MILLIS);
      try {
        const other = await next.request(request, { ...attempt, deadlineMillis });
        const now = clock.monotonicMillis();
        if (isBehind(best.source, endpoints, now) && !isBehind(next, endpoints, now)) {
          best = { source: next, answer: other };
        }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
      next = plan.alternativeTo(best.source, best.answer.asOf, isEmpty(best.answer));
    }
    return best.answer;
  }
}
