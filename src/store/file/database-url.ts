import path from "node:path";
import { fileURLToPath } from "node:url";

import { UserError } from "../../errors.ts";
import { isPostgresUrl } from "../postgres-url.ts";

/**
 * The absolute path of the database file that a DATABASE_URL names: `file:./data/bellwether.db` (relative to the
 * working directory), `file:///srv/bellwether.db`, or a bare path.
 *
 * @throws UserError for any other scheme. The value itself is never repeated: it may hold a password.
 */
export function databaseFile(url: string): string {
  const scheme = /^([a-z][a-z\d+.-]+):/iu.exec(url)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "file") {
    throw new UserError(`DATABASE_URL has the scheme ${scheme}:, which is not supported.`, {
      remedy:
        "Use a file, such as file:./data/bellwether.db, or a server, such as postgres://user:password@host/bellwether.",
    });
  }
  const file = scheme === "file" ? filePath(url) : url;
  if (file.trim() === "" || file.includes("\0") || /[/\\]$/u.test(file) || file.includes(":memory:")) {
    throw new UserError("DATABASE_URL names no file.", { remedy: "Use a file, such as file:./data/bellwether.db." });
  }
  return path.resolve(file);
}

/**
 * The folder for files beside a database: that of its file, or `data/` in the working directory for one on a server.
 */
export function folderBeside(url: string): string {
  return isPostgresUrl(url) ? path.resolve("data") : path.dirname(databaseFile(url));
}

function filePath(url: string): string {
  if (!/^file:\/\//iu.test(url)) return url.slice("file:".length);
  try {
    return fileURLToPath(url);
  } catch {
    throw new UserError("DATABASE_URL is no file address: after file:// an absolute path must follow.", {
      remedy: "Use file:./data/bellwether.db or file:///srv/bellwether/bellwether.db.",
    });
  }
}
