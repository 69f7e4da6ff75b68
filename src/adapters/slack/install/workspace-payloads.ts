import { z } from "zod";

import type { Payloads } from "../../adapter.ts";
import { slackPlatform } from "../platform.ts";

/** A payload as it is kept, with the installation that it belongs to. */
const Kept = z.object({ of: z.string(), value: z.unknown() });

/** The button payloads of one installation: no other one reads them, and they are deleted with it. */
export function payloadsOf(payloads: Payloads, installation: string): Payloads {
  const of = `${slackPlatform.id}/${installation}`;
  return {
    put: (value, ttlMillis) => payloads.put({ of, value }, ttlMillis),
    async get(key) {
      const kept = Kept.safeParse(await payloads.get(key)).data;
      return kept?.of === of ? kept.value : undefined;
    },
  };
}
