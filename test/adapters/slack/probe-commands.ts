import { command, type AnyCommand } from "../../../src/bot/command.ts";
import { UserError } from "../../../src/errors.ts";
import { type Attachment, memoryAttachment, reply, type Reply } from "../../../src/reply/reply.ts";

/** A command that does what a test says. */
export function probe(name: string, run: AnyCommand["run"]): AnyCommand {
  return command({
    name,
    summary: "For tests",
    examples: [name],
    access: "everyone",
    audience: "channel",
    options: { note: { kind: "text", description: "Anything", example: "x" } },
    run,
  });
}

/** A command that waits until it is let go, and shows what it is told meanwhile. */
export function waiting(name: string): {
  readonly command: AnyCommand;
  readonly progress: (latest: Reply) => void;
  readonly finish: (answer: Reply) => void;
} {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  let show: ((latest: Reply) => void) | undefined;
  return {
    command: probe(name, (context) => {
      show = (latest) => context.progress(latest);
      return promise;
    }),
    progress: (latest) => show?.(latest),
    finish: resolve,
  };
}

/** A file that counts how often it was given up. */
export function countedFile(
  name: string,
  content: string,
): { readonly file: Attachment; readonly disposed: () => number } {
  let count = 0;
  const file = {
    ...memoryAttachment(name, "text/csv", content),
    dispose: () => {
      count += 1;
      return Promise.resolve();
    },
  };
  return { file, disposed: () => count };
}

export const titled = (title: string): Reply => reply({ title });

export const failing: AnyCommand = probe("probe fail", () => Promise.reject(new Error("secret words")));
export const mistaken: AnyCommand = probe("probe mistake", () =>
  Promise.reject(new UserError("That is wrong.", { option: "note", remedy: "Do it otherwise." })),
);
