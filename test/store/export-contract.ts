import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { ExportFileRow, ExportJobRow, ExportOwner, Store } from "../../src/store/store.ts";
import { NEW_EXPORT } from "../support/export-jobs.ts";
import type { StoreUnderTest } from "./contract.ts";

const T = 1_700_000_000_000;
const ANN: ExportOwner = { platform: "slack", workspace: "T1", person: "ann" };

function job(code: string, more: Partial<ExportJobRow> = {}): ExportJobRow {
  return {
    ...NEW_EXPORT,
    code,
    platform: "slack",
    workspace: "T1",
    channel: "C1",
    person: "ann",
    network: "mainnet",
    state: "queued",
    invocation: `{"command":"ledger export","options":{"party":"o'hara \u{1F41E}"}}`,
    created_at: T,
    ...more,
  };
}

function file(code: string, name: string, more: Partial<ExportFileRow> = {}): ExportFileRow {
  return {
    code,
    name,
    media_type: "text/csv",
    size_bytes: 9,
    sha256: "ab".repeat(32),
    path: `/exports/${code}-${name}`,
    link: null,
    ...more,
  };
}

const codes = (rows: readonly { readonly code: string }[]): string[] => rows.map(({ code }) => code);
const names = (rows: readonly ExportFileRow[]): string[] => rows.map(({ code, name }) => `${code}/${name}`);

/** The contract of every engine for ledger exports. */
export function exportContract(engine: string, create: () => Promise<StoreUnderTest>): void {
  describe(`ledger exports in a store on ${engine}`, () => {
    let under: StoreUnderTest;
    let store: Store;
    beforeEach(async () => {
      under = await create();
      store = under.store;
    });
    afterEach(() => under.cleanUp());

    const add = async (...jobs: readonly ExportJobRow[]): Promise<void> => {
      for (const one of jobs) await store.exports.add(one);
    };

    it("keep every value of a job and of its files, also beyond 2^32 and over a restart", async () => {
      const ended: ExportJobRow = {
        code: "full",
        platform: "discord",
        workspace: "",
        channel: null,
        person: "1",
        network: "testnet",
        state: "kept",
        process: "p",
        invocation: null,
        created_at: T,
        started_at: T + 1,
        ended_at: T + 2,
        node: "https://a.example",
        row_count: 5_000_000_000,
        byte_count: 9_007_199_254_740_991,
        failure: "it's \\ % \u0001",
        result: '{"net":"-123456789012345678901"}',
        account: '{"rows":0}',
        expires_at: T + 86_400_000,
      };
      const files = [
        file("full", "a.csv", { size_bytes: 5_000_000_000, link: "secret" }),
        file("full", "b.zip", { media_type: "application/zip", size_bytes: 0, path: null }),
      ];
      await add(job("plain"), ended);
      const bare = {
        ...ANN,
        workspace: "T1",
        code: "bare",
        network: "mainnet",
        state: "queued",
        created_at: T,
      } as const;
      await store.exports.add(bare);
      await store.exports.addFiles(files);
      await store.close();
      store = await under.reopen();
      expect(await store.exports.get("plain")).toEqual(job("plain"));
      expect(await store.exports.get("full")).toEqual(ended);
      expect(await store.exports.get("bare")).toEqual({ ...NEW_EXPORT, ...bare });
      expect(await store.exports.get("none")).toBeUndefined();
      expect(await store.exports.files("full")).toEqual(files);
      expect(await store.exports.files("plain")).toEqual([]);
    });

    it("change only what is named of the one job that is named", async () => {
      await add(job("a"), job("b"));
      await store.exports.update("a", { state: "running", started_at: T + 5, byte_count: 3_000_000_000 });
      await store.exports.update("a", { node: "https://a.example", channel: null });
      await store.exports.update("none", { state: "failed" });
      expect(await store.exports.get("a")).toEqual({
        ...job("a", { state: "running", started_at: T + 5, byte_count: 3_000_000_000 }),
        node: "https://a.example",
        channel: null,
      });
      expect(await store.exports.get("b")).toEqual(job("b"));
    });

    it("say when those who wait were last served, and how long the last ones of a network took", async () => {
      const began = { started_at: T + 1 };
      await add(
        job("waits"),
        job("first", { ...began, ended_at: T + 5, state: "delivered", expires_at: T + 105 }),
        job("last", { ...began, ended_at: T + 9, state: "kept", expires_at: T + 109 }),
        job("failed", { ...began, ended_at: T + 20, state: "failed", expires_at: T + 120, platform: "discord" }),
        job("never began", { ended_at: T + 30, state: "cancelled", expires_at: T + 130 }),
        job("runs", { ...began, state: "running" }),
        job("bob", { person: "bob", ...began, ended_at: T + 40, state: "delivered", expires_at: T + 140 }),
        job("test", { network: "testnet", ...began, ended_at: T + 3, state: "kept", expires_at: T + 103 }),
      );
      expect(await store.exports.served()).toEqual([{ platform: "slack", person: "ann", at: T + 9 }]);
      const lasted = async (network: string, limit: number): Promise<number[]> =>
        (await store.exports.lastTurns(network, limit)).map(({ began, ended }) => ended - began);
      expect(await lasted("mainnet", 10)).toEqual([39, 8, 4]);
      expect(await lasted("mainnet", 2)).toEqual([39, 8]);
      expect(await lasted("testnet", 2)).toEqual([2]);
      await store.exports.update("waits", { state: "cancelled" });
      expect(await store.exports.served()).toEqual([]);
    });

    it("refuse a code, and a name within a job, a second time, and keep the first", async () => {
      await add(job("a"), job("b"));
      await expect(store.exports.add(job("a", { person: "bob" }))).rejects.toThrow(/unique/iu);
      await store.exports.addFiles([file("a", "x.csv"), file("b", "x.csv")]);
      await expect(store.exports.addFiles([file("a", "y.csv"), file("a", "x.csv", { size_bytes: 1 })])).rejects.toThrow(
        /unique/iu,
      );
      await store.exports.addFiles([]);
      expect(await store.exports.get("a")).toEqual(job("a"));
      expect(await store.exports.files("a")).toEqual([file("a", "x.csv")]);
    });

    it("are listed newest first to whoever is meant, until they expire", async () => {
      await add(
        job("b", { created_at: T + 1 }),
        job("a", { created_at: T + 1, expires_at: T + 101 }),
        job("old", { expires_at: T + 100 }),
        job("elsewhere", { workspace: "T2", created_at: T + 3 }),
        job("bobs", { person: "bob", created_at: T + 2 }),
        job("discords", { platform: "discord", created_at: T + 4 }),
      );
      const table: readonly [ExportOwner | undefined, number, number, readonly string[]][] = [
        [ANN, T, 10, ["a", "b", "old"]],
        [ANN, T + 99, 10, ["a", "b", "old"]],
        [ANN, T + 100, 10, ["a", "b"]],
        [ANN, T + 101, 10, ["b"]],
        [ANN, T, 2, ["a", "b"]],
        [{ platform: "slack", person: "ann" }, T, 10, ["elsewhere", "a", "b", "old"]],
        [{ platform: "slack", workspace: "", person: "ann" }, T, 10, []],
        [{ ...ANN, person: "ANN" }, T, 10, []],
        [undefined, T, 10, ["discords", "elsewhere", "bobs", "a", "b", "old"]],
        [undefined, T + 100, 3, ["discords", "elsewhere", "bobs"]],
      ];
      for (const [owner, at, limit, found] of table) {
        expect([owner, at, codes(await store.exports.list(owner, at, limit))]).toEqual([owner, at, found]);
      }
    });

    it("are abandoned while they are queued or running in no process that lives, else open; oldest first", async () => {
      const states = ["delivered", "kept", "failed", "cancelled", "interrupted"] as const;
      await add(...states.map((state) => job(state, { state })));
      await add(job("c", { created_at: T + 1 }), job("b", { state: "running", created_at: T + 1 }), job("d"));
      await add(job("own", { process: "p", created_at: T - 1 }), job("gone", { process: "q", created_at: T + 2 }));
      await add(job("later", { process: "p", state: "running", created_at: T + 3 }));
      expect(codes(await store.exports.abandoned("p"))).toEqual(["d", "b", "c", "gone"]);
      expect(codes(await store.exports.open("p"))).toEqual(["own", "later"]);
      expect(codes(await store.exports.open("q"))).toEqual(["gone"]);
      // A server knows that it lives from its heartbeat.
      await store.processes.heartbeat();
      const { self } = store.processes;
      await add(job("here", { process: self, created_at: T + 4 }));
      expect(codes(await store.exports.open(self))).toEqual(["here"]);
      const [seen, abandoned] = [codes(await store.exports.open("p")), codes(await store.exports.abandoned("p"))];
      const isServer = store.processes.aliveFor !== undefined;
      expect([seen.includes("here"), abandoned.includes("here")]).toEqual([isServer, !isServer]);
      await store.exports.update("here", { state: "delivered" });
      await store.exports.update("gone", { process: "p" });
      await store.exports.update("d", { state: "cancelled" });
      expect(await store.exports.abandoned("p")).toEqual([
        job("b", { state: "running", created_at: T + 1 }),
        job("c", { created_at: T + 1 }),
      ]);
    });

    it("have files in the order of their names by code unit, kept until they are dropped", async () => {
      await add(job("late", { ended_at: T + 2 }), job("early", { ended_at: T + 1 }), job("same", { ended_at: T + 2 }));
      await store.exports.addFiles([
        file("late", "b.csv", { link: "l2" }),
        file("late", "a-2.csv"),
        file("late", "B.csv"),
        file("late", "a.csv"),
        file("late", "a_1.csv"),
        file("late", "gone.csv", { path: null, link: "l3" }),
      ]);
      await store.exports.addFiles([file("early", "x.csv"), file("same", "x.csv")]);
      const late = ["late/B.csv", "late/a-2.csv", "late/a.csv", "late/a_1.csv", "late/b.csv"];
      expect(names(await store.exports.files("late"))).toEqual([...late, "late/gone.csv"]);
      expect(names(await store.exports.kept())).toEqual(["early/x.csv", ...late, "same/x.csv"]);
      await store.exports.drop("late");
      await store.exports.drop("none");
      expect(await store.exports.kept()).toEqual([file("early", "x.csv"), file("same", "x.csv")]);
      const dropped = await store.exports.files("late");
      expect(dropped.map(({ path, link, sha256 }) => [path, link, sha256])).toEqual(
        dropped.map(() => [null, null, "ab".repeat(32)]),
      );
    });

    it("give the file behind a link while its bytes are kept and its job has not expired", async () => {
      await add(job("a", { expires_at: T + 10 }), job("b", { expires_at: T + 10 }), job("open"));
      const linked = file("a", "x.csv", { link: "secret" });
      await store.exports.addFiles([
        linked,
        file("a", "y.csv"),
        file("b", "x.csv", { link: "gone", path: null }),
        file("open", "x.csv", { link: "early" }),
      ]);
      const table: readonly [string, number, ExportFileRow | undefined][] = [
        ["secret", T + 9, linked],
        ["secret", T + 10, undefined],
        ["SECRET", T, undefined],
        ["gone", T, undefined],
        ["early", T, undefined],
        ["", T, undefined],
      ];
      for (const [link, at, found] of table) {
        expect([link, at, await store.exports.linked(link, at)]).toEqual([link, at, found]);
      }
      await store.exports.drop("a");
      expect(await store.exports.linked("secret", T)).toBeUndefined();
    });

    it("are found once each by the hash or the names of their files, newest first", async () => {
      await add(job("b", { created_at: T + 1 }), job("a", { created_at: T + 1 }), job("c"), job("d"));
      const hash = "cd".repeat(32);
      await store.exports.addFiles([
        file("a", "x.csv", { sha256: hash }),
        file("a", "y.csv", { sha256: hash }),
        file("b", "y.csv"),
        file("c", "X.csv", { sha256: hash, path: null }),
      ]);
      const table: readonly [Parameters<Store["exports"]["ofFile"]>[0], number, readonly string[]][] = [
        [{ sha256: hash }, 10, ["a", "c"]],
        [{ sha256: hash }, 1, ["a"]],
        [{ sha256: hash.toUpperCase() }, 10, []],
        [{ names: ["x.csv", "y.csv", "nothing.csv"] }, 10, ["a", "b"]],
        [{ names: ["X.csv"] }, 10, ["c"]],
        [{ names: ["%.csv"] }, 10, []],
        [{ names: [] }, 10, []],
      ];
      for (const [by, limit, found] of table) {
        expect([by, codes(await store.exports.ofFile(by, limit))]).toEqual([by, found]);
      }
      expect(await store.exports.ofFile({ names: ["X.csv"] }, 1)).toEqual([job("c")]);
    });

    it("are recognisable while their account is kept, newest first, though they have expired", async () => {
      await add(
        job("b", { account: "{}", created_at: T + 1, expires_at: 1 }),
        job("a", { account: "{}", created_at: T + 1 }),
        job("older", { account: "{}" }),
        job("none"),
        job("bobs", { account: "{}", person: "bob", created_at: T + 2 }),
      );
      expect(codes(await store.exports.recognisable(ANN, 10))).toEqual(["a", "b", "older"]);
      expect(codes(await store.exports.recognisable(ANN, 1))).toEqual(["a"]);
      expect(codes(await store.exports.recognisable(undefined, 10))).toEqual(["bobs", "a", "b", "older"]);
    });

    it("lose what names a party when they expire, and all of it when they are old", async () => {
      const told = { account: "{}", result: "{}", failure: "why", ended_at: T };
      await add(
        job("aged", { ...told, created_at: T - 1, expires_at: T + 900 }),
        job("with", { ...told, expires_at: T + 10 }),
        job("without", { ...told, expires_at: T + 10 }),
        job("later", { ...told, expires_at: T + 11 }),
        job("open"),
      );
      await store.exports.addFiles([file("aged", "x.csv"), file("with", "x.csv"), file("later", "x.csv")]);
      await store.exports.prune(T + 10, T);
      expect(codes(await store.exports.list(undefined, 0, 10))).toEqual(["later", "open", "with"]);
      expect(await store.exports.get("with")).toEqual(
        job("with", { account: "{}", ended_at: T, expires_at: T + 10, invocation: null, channel: null }),
      );
      expect(await store.exports.get("later")).toEqual(job("later", { ...told, expires_at: T + 11 }));
      expect(await store.exports.files("aged")).toEqual([]);
      expect(await store.exports.files("with")).toEqual([file("with", "x.csv")]);
    });

    it("are changed in a transaction with the rest of its work, or not at all", async () => {
      await add(job("a"));
      await store.transaction(async (tables) => {
        await tables.exports.update("a", { state: "interrupted" });
        await tables.alerts.watch.putSnapshot("mainnet", "owed", T, "{}");
      });
      const failing = store.transaction(async (tables) => {
        await tables.exports.update("a", { state: "failed" });
        await tables.exports.add(job("b"));
        await tables.exports.addFiles([file("a", "x.csv")]);
        throw new Error("changed its mind");
      });
      await expect(failing).rejects.toThrow("changed its mind");
      expect(await store.exports.get("a")).toEqual(job("a", { state: "interrupted" }));
      expect(await store.exports.get("b")).toBeUndefined();
      expect(await store.exports.files("a")).toEqual([]);
    });

    it("go with the person whose they are, on their platform", async () => {
      await add(job("anns"), job("bobs", { person: "bob" }), job("other", { platform: "discord" }));
      await store.exports.addFiles([file("anns", "x.csv"), file("bobs", "x.csv")]);
      await store.parties.erase({ owner: "slack:T1:ann", platform: "slack", id: "ann", name: "Ann Lee" });
      expect(codes(await store.exports.list(undefined, 0, 10)).toSorted()).toEqual(["bobs", "other"]);
      expect(await store.exports.files("anns")).toEqual([]);
      expect(await store.exports.files("bobs")).toHaveLength(1);
    });
  });
}
