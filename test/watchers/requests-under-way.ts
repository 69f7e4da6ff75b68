import { onTestFinished } from "vitest";

import { requestsUnderWay as countRequests } from "../support/requests-under-way.ts";

/** Resolves once no HTTP request of this process is under way; counts until the test is over. */
export function requestsUnderWay(): () => Promise<void> {
  const underWay = countRequests(3);
  onTestFinished(() => underWay.end());
  return () => underWay.settle();
}
