import { hostname } from "node:os";

import { describe, expect, test } from "vitest";

import { allowedHosts } from "../../../../src/adapters/web/access/allowed-hosts.ts";

describe("bound to loopback", () => {
  const hosts = allowedHosts({ host: "127.0.0.1", port: 8080 });

  test.each(["127.0.0.1:8080", "localhost:8080", "LocalHost:8080", "[::1]:8080"])("answers to %s", (header) => {
    expect(hosts.allowsHost(header)).toBe(true);
  });

  test.each([
    undefined,
    "",
    "localhost",
    "localhost:8081",
    "evil.example:8080",
    "evil.example",
    "localhost.evil.example:8080",
    "10.0.0.7:8080",
    "localhost:8080@evil.example",
    "user@localhost:8080",
    "localhost:8080/x",
    "localhost:8080#",
    "0.0.0.0:8080",
    " localhost:8080 x",
  ])("does not answer to %s", (header) => {
    expect(hosts.allowsHost(header)).toBe(false);
  });

  test("knows its own origin from those of other pages", () => {
    const own = "127.0.0.1:8080";
    expect(hosts.allowsOrigin("http://127.0.0.1:8080", own)).toBe(true);
    expect(hosts.allowsOrigin("http://127.0.0.1:8081", own)).toBe(false);
    expect(hosts.allowsOrigin("https://127.0.0.1:8080", own)).toBe(false);
    expect(hosts.allowsOrigin("http://localhost:8080", own)).toBe(false);
    expect(hosts.allowsOrigin("null", own)).toBe(false);
    expect(hosts.allowsOrigin("http://evil.example:8080", "evil.example:8080")).toBe(false);
    expect(hosts.allowsOrigin("http://127.0.0.1:8080", undefined)).toBe(false);
  });
});

test("bound to port 80, which browsers leave out", () => {
  const hosts = allowedHosts({ host: "127.0.0.1", port: 80 });
  expect(hosts.allowsHost("localhost")).toBe(true);
  expect(hosts.allowsOrigin("http://localhost", "localhost")).toBe(true);
});

test("bound to one address of a network", () => {
  const hosts = allowedHosts({ host: "192.168.1.4", port: 8080 });
  expect(hosts.url).toBe("http://192.168.1.4:8080/");
  expect(hosts.allowsHost("192.168.1.4:8080")).toBe(true);
  expect(hosts.allowsHost("192.168.1.5:8080")).toBe(false);
  expect(hosts.allowsHost("evil.example:8080")).toBe(false);
});

test("bound to an IPv6 address", () => {
  expect(allowedHosts({ host: "::1", port: 8080 }).url).toBe("http://[::1]:8080/");
});

test("bound to all addresses, it answers to any literal address and its own name, on mapped ports too, and to no other name", () => {
  for (const host of ["0.0.0.0", "::"]) {
    const hosts = allowedHosts({ host, port: 8080 });
    for (const header of ["10.0.0.7:8080", "10.0.0.7:9000", "[fd00::7]:8080", "localhost:9000", `${hostname()}:8080`]) {
      expect([header, hosts.allowsHost(header)]).toEqual([header, true]);
    }
    expect(hosts.allowsHost("evil.example:8080")).toBe(false);
    expect(hosts.url).toBe("http://localhost:8080/");
  }
});

test("with a public address, it answers to that as well", () => {
  const hosts = allowedHosts({ host: "127.0.0.1", port: 8080, publicUrl: new URL("https://bell.example.net/") });
  expect(hosts.url).toBe("https://bell.example.net/");
  expect(hosts.allowsHost("bell.example.net")).toBe(true);
  expect(hosts.allowsHost("bell.example.net:443")).toBe(true);
  expect(hosts.allowsHost("bell.example.net:80")).toBe(false);
  expect(hosts.allowsHost("localhost:8080")).toBe(true);
  expect(hosts.allowsOrigin("https://bell.example.net", "bell.example.net")).toBe(true);
  expect(hosts.allowsOrigin("https://evil.example.net", "bell.example.net")).toBe(false);
});
