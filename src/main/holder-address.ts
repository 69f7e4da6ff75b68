import { createHash } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** A Unix socket's path has room for 108 bytes on Linux and 104 elsewhere, the final zero included (unix(7), unix(4)). */
const MAX_SOCKET_PATH_BYTES = 103;

/**
 * Where the holder of a database may answer other processes, best place first: beside the file, where its path is
 * short enough for a socket; in a folder of this user's own under the temporary one, since not every file system
 * takes sockets; a named pipe on Windows. Which one it is, the holder's record says.
 */
export function holderAddresses(databaseFile: string, platform: NodeJS.Platform = process.platform): string[] {
  const hash = createHash("sha256").update(databaseFile).digest("hex").slice(0, 24);
  if (platform === "win32") return [`\\\\.\\pipe\\bellwether-${hash}`];
  const beside = `${databaseFile}.sock`;
  const elsewhere = path.join(os.tmpdir(), `bellwether-${os.userInfo().uid}`, `${hash}.sock`);
  return [beside, elsewhere].filter((address) => Buffer.byteLength(address) <= MAX_SOCKET_PATH_BYTES);
}

/** Others may write to the temporary folder as well, so ours must be a real folder that only this user may enter. */
export function makeOwnFolder(folder: string): void {
  const { uid } = os.userInfo();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new Error(`the folder ${folder} is not this user's alone`);
  }
}
