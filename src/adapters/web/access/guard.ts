import type { Context, MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";

import { MAX_BODY_BYTES, createConcurrencyLimit } from "../limits.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";

/** Content Security Policy: only this server's assets, Trusted Types, no framing. */
const PAGE_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ["'none'"],
};

/**
 * The headers of every response. HSTS is left to the proxy that ends TLS. Other sites get no referrer; our own must,
 * since under `no-referrer` browsers send `Origin: null` with our own forms
 * (https://fetch.spec.whatwg.org/#origin-header).
 */
export function securityHeaders(): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: PAGE_POLICY,
    crossOriginOpenerPolicy: "same-origin",
    crossOriginResourcePolicy: "same-origin",
    referrerPolicy: "same-origin",
    xFrameOptions: "DENY",
    strictTransportSecurity: false,
    permissionsPolicy: { camera: false, geolocation: false, microphone: false, payment: false, usb: false },
  });
}

/** Paths that reveal nothing, so that monitors may use any host name. */
const OPEN_PATHS = new Set(["/healthz"]);

/** An error response as JSON: one sentence. `retryAfter`: when to try again, in seconds. */
export function refuse(
  c: Context,
  status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 421 | 429 | 503,
  error: string,
  retryAfter?: number,
): Response {
  return c.json({ error }, status, retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) });
}

/** Refuses requests with a foreign Host header, unless they carry the token, which no foreign page knows. */
export function requireAllowedHost(
  hosts: () => AllowedHosts,
  hasToken: (c: Context) => Promise<boolean>,
): MiddlewareHandler {
  return async (c, next) => {
    if (OPEN_PATHS.has(c.req.path) || hosts().allowsHost(c.req.header("host")) || (await hasToken(c))) return next();
    return refuse(
      c,
      421,
      `This console answers at ${hosts().url} only. To reach it under another name, set PUBLIC_URL to that address.`,
    );
  };
}

/**
 * Refuses requests from foreign pages. Browsers name the page in Origin, and newer ones its relation in Sec-Fetch-Site
 * (https://www.w3.org/TR/fetch-metadata/); programs send neither. Another port of this machine counts as the same site
 * there, so only same-origin passes, beside links to the pages themselves and to files.
 */
export function requireSameOrigin(hosts: () => AllowedHosts): MiddlewareHandler {
  return async (c, next) => {
    const origin = c.req.header("origin");
    const isAllowed = origin === undefined || hosts().allowsOrigin(origin, c.req.header("host"));
    const site = c.req.header("sec-fetch-site") ?? "none";
    if (isAllowed && (site === "same-origin" || site === "none" || isLinkToPage(c))) return next();
    return refuse(c, 403, "Requests from other pages are refused.");
  };
}

function isLinkToPage(c: Context): boolean {
  return (
    c.req.method === "GET" &&
    (c.req.path === "/" || c.req.path === "/login" || c.req.path.startsWith("/download/")) &&
    c.req.header("sec-fetch-mode") === "navigate" &&
    c.req.header("sec-fetch-dest") === "document"
  );
}

/** Refuses bodies that are not JSON: a form or a simple cross-origin request cannot carry that type without a preflight. */
export function requireJson(): MiddlewareHandler {
  return async (c, next) => {
    const type = c.req.header("content-type") ?? "";
    if (/^application\/json\s*(?:;|$)/iu.test(type.trim())) return next();
    return refuse(c, 415, "Send JSON, with the header Content-Type: application/json.");
  };
}

/**
 * Refuses a body of more than `maxBytes`: one with a length before it is read, one without a length once it exceeds the
 * limit. Hono's own bodyLimit copies a request whose body has no length by handing it to the platform's Request, which
 * takes none of the server's.
 */
export function limitBody(maxBytes: number, refusal: (c: Context) => Response): MiddlewareHandler {
  return async (c, next) => {
    const length = c.req.header("content-length");
    // The server itself lets nothing through beyond an announced length.
    if (length !== undefined && c.req.header("transfer-encoding") === undefined) {
      return Number(length) > maxBytes ? refusal(c) : next();
    }
    const { body, headers, signal } = c.req.raw;
    if (body === null) return next();
    const read = await readUpTo(body, maxBytes);
    if (read === undefined) return refusal(c);
    c.req.raw = new Request(c.req.url, { method: c.req.method, headers, signal, body: read });
    return next();
  };
}

/** Refuses a body that is longer than any question. */
export function limitQuestion(): MiddlewareHandler {
  return limitBody(MAX_BODY_BYTES, (c) => refuse(c, 413, `A request has at most ${MAX_BODY_BYTES / 1024} KiB.`));
}

/** Undefined for a longer body. */
async function readUpTo(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  // The refusal is sent on the same connection, so the rest of the body is not cancelled.
  for await (const piece of body.values({ preventCancel: true })) {
    size += piece.length;
    if (size > maxBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Refuses requests beyond so many at a time. */
export function limitRunning(count: number, error: string, retryAfter?: number): MiddlewareHandler {
  const takeSlot = createConcurrencyLimit(count);
  return async (c, next) => {
    const release = takeSlot();
    if (release === undefined) return refuse(c, 503, error, retryAfter);
    try {
      return await next();
    } finally {
      release();
    }
  };
}
