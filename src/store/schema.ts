import type { Generated } from "kysely";

import type {
  ChunkRow,
  DecisionRow,
  DeliveryRow,
  EpisodeRow,
  ItemRow,
  MachineRow,
  MessageRow,
  NotificationStateRow,
  ReceiptRow,
  SilenceRow,
  SubscriptionRow,
} from "./alert-tables/alert-tables.ts";
import type { LooksChunkRow, TailRow } from "./alert-tables/looks.ts";
import type { AnswerChoice, ExportFileRow, ExportJobRow, InstallationRow, OpenAnswerRow, SeenKind } from "./store.ts";

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
    /** The index within the call that noted it. */
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
  answer_choices: {
    platform: string;
    workspace: string;
    markets: AnswerChoice["markets"];
    chosen_by: string;
    chosen_at: number;
  };
  console_sign_outs: { session: string; ends_at: number };
  /** Facts about the database itself, such as its origin, and what holders of duties leave. */
  database_marks: { name: string; value: string };
  /** Growing numbers that give rows their order, also on an engine with several writers. */
  alert_counters: { name: string; value: number };
  alert_subscriptions: SubscriptionRow;
  alert_silences: SilenceRow;
  /** `looks`: how many looks of the watcher were kept so far. */
  watcher_snapshots: { network: string; watcher: string; at: number; data: string; looks: Generated<number> };
  looks_tail: TailRow;
  looks_chunks: LooksChunkRow;
  alert_machines: MachineRow;
  /**
   * The revision grows with every change of one of its notification states. A bare one ended long ago: nobody is named in
   * it, and nothing is left of whom it was told.
   */
  alert_episodes: EpisodeRow & { notification_revision: Generated<number>; bare: Generated<0 | 1> };
  alert_notification_states: NotificationStateRow;
  alert_messages: MessageRow & { created_at: number };
  alert_chunks: ChunkRow & { seq: number };
  alert_deliveries: DeliveryRow;
  /** The position grows in the order of arrival; only messages at the console get one. */
  alert_receipts: ReceiptRow & { position: Generated<number | null> };
  alert_items: ItemRow;
  /** `seq` is the order in which they were made. */
  alert_decisions: DecisionRow & { seq: number; lasting: Generated<0 | 1> };
  export_jobs: ExportJobRow;
  export_files: ExportFileRow;
  installations: InstallationRow;
  /** States of OAuth that were used, until they expire: each is accepted once. */
  used_states: { state: string; ends_at: number };
  open_answers: OpenAnswerRow;
  /** The processes that live; `alive_until` is of the database's clock. */
  processes: { id: string; alive_until: number };
  /** The process that has each duty; the epoch grows whenever another process takes it. */
  leases: { name: string; holder: string; epoch: number };
}

/** Every table, with the columns that tell its rows apart. */
export const TABLES: { readonly [T in keyof Schema]: readonly (keyof Schema[T] & string)[] } = {
  seen_ids: ["network", "kind", "id"],
  button_payloads: ["key"],
  saved_parties: ["owner", "id"],
  answer_choices: ["platform", "workspace"],
  console_sign_outs: ["session"],
  database_marks: ["name"],
  alert_counters: ["name"],
  alert_subscriptions: ["id"],
  alert_silences: ["id"],
  watcher_snapshots: ["network", "watcher"],
  looks_tail: ["network", "watcher", "number"],
  looks_chunks: ["network", "watcher", "first"],
  alert_machines: ["network", "rule", "subject"],
  alert_episodes: ["id"],
  alert_notification_states: ["episode", "destination"],
  alert_messages: ["id"],
  alert_chunks: ["seq"],
  alert_deliveries: ["seq"],
  alert_receipts: ["delivery"],
  alert_items: ["id"],
  alert_decisions: ["seq"],
  export_jobs: ["code"],
  export_files: ["code", "name"],
  installations: ["platform", "id"],
  used_states: ["state"],
  open_answers: ["id"],
  processes: ["id"],
  leases: ["name"],
};
