import { z } from "zod";

import { flagField, listField, recordField, textField } from "./fields.ts";

/** One page of a list, with the cursors that lead on. Cursors are opaque and belong to the node that gave them. */
export interface Page<T> {
  readonly rows: readonly { readonly cursor: string | undefined; readonly node: T }[];
  readonly startCursor: string | undefined;
  readonly endCursor: string | undefined;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** What an answer without a page comes to. */
export const EMPTY_PAGE: Page<never> = {
  rows: [],
  startCursor: undefined,
  endCursor: undefined,
  hasNextPage: false,
  hasPreviousPage: false,
};

/** Which page. At most one of `first` and `last`; `after` goes with `first`, `before` with `last`. */
export interface PageRequest {
  /** How many rows forwards, 1 or more. */
  readonly first?: number;
  readonly after?: string;
  /** How many rows backwards, 1 or more. */
  readonly last?: number;
  readonly before?: string;
  /** Default true, as at the node. */
  readonly newestFirst?: boolean;
}

/** The interface's page<T>, with its edges flattened into rows. */
export function page<T extends z.ZodType>(node: T) {
  return z
    .looseObject({
      edges: listField(z.looseObject({ cursor: textField, node })),
      pageInfo: recordField(
        z.looseObject({
          startCursor: textField,
          endCursor: textField,
          hasNextPage: flagField,
          hasPreviousPage: flagField,
        }),
      ),
    })
    .transform(({ edges, pageInfo }): Page<z.output<T>> => ({
      rows: edges.map((edge) => ({ cursor: edge.cursor, node: edge.node as z.output<T> })),
      startCursor: pageInfo?.startCursor,
      endCursor: pageInfo?.endCursor,
      hasNextPage: pageInfo?.hasNextPage ?? false,
      hasPreviousPage: pageInfo?.hasPreviousPage ?? false,
    }));
}
