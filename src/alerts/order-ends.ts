/** Of these nothing follows. An order that is partly filled has ended too, since what was left of it was not kept. */
export const FINAL_STATUSES: ReadonlySet<string> = new Set([
  "STATUS_EXPIRED",
  "STATUS_CANCELLED",
  "STATUS_STOPPED",
  "STATUS_FILLED",
  "STATUS_REJECTED",
  "STATUS_PARTIALLY_FILLED",
]);
