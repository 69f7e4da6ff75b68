import { z } from "zod";

import { parseJson } from "../../chat/parse-json.ts";
import { slackPlatform } from "../platform.ts";
import type { KeyRing } from "../../chat/key-ring.ts";

/** The tokens of an installation. */
const Tokens = z.object({
  botToken: z.string(),
  /** Serves once; absent where tokens do not expire. */
  refreshToken: z.string().exactOptional(),
});
export type Tokens = z.infer<typeof Tokens>;

/** Seals tokens for the installation with this id alone. */
export function sealTokens(keys: KeyRing, id: string, tokens: Tokens): string {
  return keys.seal(JSON.stringify(tokens), aboutOf(id));
}

/** Undefined where none of the keys opens them. */
export function openTokens(
  keys: KeyRing,
  { id, sealed }: { readonly id: string; readonly sealed: string },
): Tokens | undefined {
  const text = keys.open(sealed, aboutOf(id));
  return text === undefined ? undefined : Tokens.safeParse(parseJson(text)).data;
}

function aboutOf(id: string): string {
  return `${slackPlatform.id}/${id}`;
}
