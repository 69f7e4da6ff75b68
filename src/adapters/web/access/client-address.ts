import { BlockList, isIP, isIPv6 } from "node:net";

import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context } from "hono";

/** Which proxies are trusted to name the client they ask for. */
export type TrustedProxies = ReturnType<typeof trustedProxies>;

/** `proxies` are IP addresses and networks (`10.0.0.0/8`), as TRUST_PROXY names them. */
export function trustedProxies(proxies: readonly string[]) {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = "", prefix] = proxy.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  const includes = (given: string): boolean => {
    const address = unmapped(given);
    return isIP(address) !== 0 && list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  };
  return {
    /** Whether an address is one of theirs. */
    includes,
    /**
     * The client of a request: the peer, or behind trusted proxies the last address in X-Forwarded-For that is none of
     * theirs. What stands before that address comes from the client, who may write anything.
     */
    clientOf(peer: string, forwardedFor: string | undefined): string {
      let client = unmapped(peer);
      for (const entry of forwardedFor?.split(",").toReversed() ?? []) {
        if (!includes(client)) return client;
        const named = unmapped(withoutPort(entry.trim()));
        if (isIP(named) === 0) return client;
        client = named;
      }
      return client;
    },
  };
}

/** The client of a request to this server. */
export function clientOf(c: Context, proxies: TrustedProxies): string {
  return proxies.clientOf(getConnInfo(c).remote.address ?? "unknown", c.req.header("x-forwarded-for"));
}

/** One household or server has a whole /64 of IPv6 addresses (RFC 6177), so they count as one client. */
export function clientGroup(given: string): string {
  const address = unmapped(given);
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  if (tail === undefined) return left.slice(0, 4).join(":");
  const right = tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  return [...left, ...zeros, ...right].slice(0, 4).join(":");
}

/** An IPv4 peer of a socket that listens on both families is `::ffff:10.0.0.1`. */
function unmapped(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1] ?? address;
}

/** Some proxies add the client's port: `10.0.0.1:5000`, `[2001:db8::1]:5000`. */
function withoutPort(entry: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/u.exec(entry)?.[1] ?? /^([\d.]+):\d+$/u.exec(entry)?.[1] ?? entry;
}
