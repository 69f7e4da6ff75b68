import { z } from "zod";

/** A destination as it is stored. */
export const StoredDestination = z.object({
  platform: z.string(),
  workspace: z.string().exactOptional(),
  /** The platform's id of the channel; `user:` and a person's id for their direct messages. */
  channel: z.string(),
  /** A thread to post in. */
  thread: z.string().exactOptional(),
});
/** Where alerts go: a channel or a person's direct messages on a platform. */
export type Destination = Readonly<z.infer<typeof StoredDestination>>;

/** Names the scope of a token: the keys of all destinations there begin with it and a slash. */
export function tokenKey({ platform, workspace }: Pick<Destination, "platform" | "workspace">): string {
  return (workspace === undefined ? [platform] : [platform, workspace]).map(encodeURIComponent).join("/");
}

const keys = new WeakMap<Destination, string>();

/** Names a destination in the store: equal destinations have equal keys. */
export function destinationKey(destination: Destination): string {
  const known = keys.get(destination);
  if (known !== undefined) return known;
  const { platform, workspace, channel, thread } = destination;
  const key = [platform, workspace ?? "", channel, thread ?? ""].map(encodeURIComponent).join("/");
  keys.set(destination, key);
  return key;
}

/** Each of these destinations once. */
export function distinctDestinations(all: readonly Destination[]): Destination[] {
  return [...new Map(all.map((one) => [destinationKey(one), one])).values()];
}

/** The destination of a key. */
export function destinationFromKey(key: string): Destination {
  const [platform = "", workspace = "", channel = "", thread = ""] = key.split("/").map(decodeURIComponent);
  return {
    platform,
    channel,
    ...(workspace === "" ? {} : { workspace }),
    ...(thread === "" ? {} : { thread }),
  };
}
