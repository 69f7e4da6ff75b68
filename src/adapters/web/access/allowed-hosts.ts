import { isIP } from "node:net";
import { hostname } from "node:os";

import { withoutBrackets } from "../../../units/loopback.ts";

const WILDCARDS = new Set(["0.0.0.0", "::"]);

/** The host names and origins under which the console answers. */
export type AllowedHosts = ReturnType<typeof allowedHosts>;

/**
 * A foreign page can point a name of its own at this machine's address (DNS rebinding), and would then be same-origin
 * with the console; only the Host header, which carries that name, reveals it. So the console answers only to names that
 * no such page can own: the bound address, the names of loopback, and the host of `publicUrl`. Bound to all addresses,
 * it also answers to any literal address and to this machine's name, on any port, since containers map ports.
 */
export function allowedHosts(bound: { host: string; port: number; publicUrl?: URL }) {
  const boundHost = withoutBrackets(bound.host).toLowerCase();
  const wildcard = WILDCARDS.has(boundHost);
  const names = new Set(["localhost", "127.0.0.1", "::1", boundHost]);
  const own = wildcard ? "localhost" : isIP(boundHost) === 6 ? `[${boundHost}]` : boundHost;

  /** Whether a Host header names this console. */
  const allowsHost = (header: string | undefined): boolean => {
    if (header === undefined || !URL.canParse(`http://${header}`)) return false;
    const asked = new URL(`http://${header}`);
    // Anything but a host and a port would be parsed as something else.
    if (asked.username !== "" || asked.password !== "" || asked.pathname !== "/" || /[?#\\/@]/u.test(header))
      return false;
    const { publicUrl } = bound;
    // A URL may omit its scheme's default port, and so may a proxy in the Host header.
    if (publicUrl !== undefined && new URL(`${publicUrl.protocol}//${header}`).host === publicUrl.host) return true;
    const name = withoutBrackets(asked.hostname).toLowerCase();
    if (wildcard) return isIP(name) !== 0 || names.has(name) || name === hostname().toLowerCase();
    return names.has(name) && Number(asked.port === "" ? 80 : asked.port) === bound.port;
  };

  return {
    /** Where people reach it. */
    url: bound.publicUrl?.href ?? `http://${own}:${bound.port}/`,
    allowsHost,
    /** Whether an Origin header names a page that this console served under the given Host. */
    allowsOrigin: (origin: string, host: string | undefined): boolean =>
      origin === bound.publicUrl?.origin ||
      (host !== undefined && allowsHost(host) && origin === new URL(`http://${host}`).origin),
  };
}
