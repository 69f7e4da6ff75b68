import type { SeenKind } from "./store.ts";

/** The tables as they stand after the last migration. Times are Unix milliseconds. */
export interface Schema {
  seen_ids: {
    network: string;
    kind: SeenKind;
    id: string;
    /** The id in lower case, for searching. */
    id_key: string;
    label: string | null;
    label_key: string | null;
    seen_at: number;
    /** The place within the call that noted it. */
    position: number;
  };
  button_payloads: {
    key: string;
    /** JSON. */
    value: string;
    expires_at: number;
  };
  saved_parties: {
    owner: string;
    id: string;
    name: string | null;
    saved_at: number;
  };
}
