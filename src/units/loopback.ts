import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether only this machine can reach a listener at this host: a name, or an address with or without brackets. */
export function isLoopback(host: string): boolean {
  const bare = withoutBrackets(host);
  const version = isIP(bare);
  return version === 0 ? bare.toLowerCase() === "localhost" : loopback.check(bare, version === 4 ? "ipv4" : "ipv6");
}

/** The address in a URL's host, in which those of IPv6 stand in brackets. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/u, "$1");
}
