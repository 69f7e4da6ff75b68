/** How the prompt is started in a shell. */
export const ASK = "npm run -s ask";

/** A command line as a shell takes it: `npm run -s ask -- "market list"`, for the network that was asked for by an option. */
export function shellLine(line: string, network: string | undefined): string {
  const quoted = /["$`\\!]/u.test(line) ? `'${line.replaceAll("'", String.raw`'\''`)}'` : `"${line}"`;
  const own = network === undefined || /\bnetwork:/u.test(line) ? "" : `--network ${network} `;
  return `${ASK} -- ${own}${quoted}`;
}
