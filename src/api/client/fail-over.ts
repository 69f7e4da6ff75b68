import type { Milliseconds } from "../../units/duration.ts";
import type { Answer } from "../api-client.ts";
import { ApiError } from "../api-error.ts";
import type { ApiRequest } from "../model/model.ts";
import { isBehind } from "../node/last-seen-block.ts";
import type { AttemptOptions, ClientContext, NodeEndpoint } from "../node/node.ts";
import { FailOverPlan } from "./fail-over-plan.ts";

/** How long to wait for a newer answer from a second node. */
const SECOND_ANSWER_TIMEOUT_MILLIS: Milliseconds = 2000;

/**
 * The one retry layer, around request and parse: tries one node after another, known laggards last, until one answers.
 * Every request is a GET, so repeating it is safe. Rejects with the most informative ApiError, which lists all attempts,
 * or with the signal's reason.
 */
export async function requestWithFailOver<T>(
  endpoints: readonly NodeEndpoint[],
  request: ApiRequest<T>,
  attempt: AttemptOptions,
  context: ClientContext,
): Promise<Answer<T>> {
  const plan = new FailOverPlan(endpoints, attempt, context);
  for (;;) {
    attempt.signal?.throwIfAborted();
    const endpoint = plan.next() ?? (await plan.waitForSoonest());
    let answer: Answer<T>;
    try {
      answer = await endpoint.request(request, attempt);
    } catch (error) {
      const pauseMillis = plan.pauseAfter(endpoint, error);
      if (pauseMillis === undefined) throw plan.finalError(error, request.what);
      if (pauseMillis > 0) await context.clock.sleep(pauseMillis, attempt.signal);
      continue;
    }
    const better = endpoints.length === 1 ? undefined : plan.alternativeTo(endpoint, answer.asOf, isEmpty(answer));
    return better === undefined ? answer : latest(endpoint, answer, better);
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
