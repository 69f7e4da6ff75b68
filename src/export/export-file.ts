import type { AsOf } from "../api/api-client.ts";
import { ApiError } from "../api/api-error.ts";
import { type Attachment, MAX_NAME_CHARACTERS, safeFileName } from "../reply/reply.ts";
import type { MalformedCsv } from "./csv-splitter.ts";
import type { DiskReservation } from "./disk-budget.ts";
import type { LedgerAccount } from "./ledger-account.ts";
import type { LedgerIntake } from "./ledger-intake.ts";
import { splitFile } from "./split-file.ts";

/** The finished file of an intake; disposing of it gives its room back. */
export function attachmentOf(
  { file }: LedgerIntake,
  reservation: DiskReservation,
  name: string,
  contentType: string,
  { sizeBytes, sha256 }: LedgerAccount,
): Attachment {
  const mediaType = /^[\w.+-]+\/[\w.+-]+(; ?[\w.+-]+="?[\w.+-]+"?)*$/u.test(contentType) ? contentType : "text/csv";
  return {
    name,
    mediaType,
    sizeBytes,
    sha256,
    open: () => file.open(),
    split: (maxBytes) => splitFile(file, { name, mediaType }, maxBytes),
    dispose: async () => {
      await file.dispose();
      reservation.release();
    },
  };
}

/** `SIMULATED-PARTIAL-HISTORY-ledger-f8ac93d1-USDT-raw.csv`: the warnings of the reply, then the name asked for. */
export function fileName(
  request: { readonly name: string; readonly raw: boolean },
  { simulated }: Pick<AsOf, "simulated">,
  account: LedgerAccount,
): string {
  const labels = [
    ...(simulated ? ["SIMULATED"] : []),
    ...(account.endIsProven ? [] : ["END-NOT-CONFIRMED"]),
    ...(account.partial === undefined ? [] : ["PARTIAL-HISTORY"]),
    ...(account.outgoingOnly ? ["OUTGOING-ONLY"] : []),
  ].map((label) => `${label}-`);
  const end = `${request.raw ? "-raw" : ""}.csv`;
  const room = MAX_NAME_CHARACTERS - labels.join("").length - end.length;
  return safeFileName(`${labels.join("")}${request.name.slice(0, room)}${end}`);
}

/** The failure of a node that sent what is no ledger. */
export function unreadableFailure({ network, node }: AsOf, cause: MalformedCsv): ApiError {
  const why = `sent a ledger export that cannot be read: ${cause.message}`;
  return new ApiError("unreadable", `${node} ${why}.`, {
    network,
    node,
    httpStatus: 200,
    cause,
    tried: [{ node, why }],
  });
}
