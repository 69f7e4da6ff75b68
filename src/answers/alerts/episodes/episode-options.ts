import type { Options } from "../../../bot/options/options.ts";
import { ALL_NETWORKS_OPTION, suggested } from "../alert-options.ts";
import { suggestEpisodes, suggestLogged } from "./episodes.ts";

export const EPISODE_OPTION = {
  kind: "text",
  label: "Alert",
  required: true,
  description: "Its name, or enough of it: node.down",
  example: "network.stalled",
  maxLength: 400,
  rest: true,
  suggest: suggestEpisodes,
  takes: suggested(suggestEpisodes),
} as const;

export const LOG_OPTIONS = {
  what: {
    kind: "text",
    description: "Only lines with this word: a kind, a name, sent, suppressed",
    example: "node.down",
    suggest: suggestLogged,
  },
  page: { kind: "integer", description: "Which page; 1 = the newest", min: 1, max: 1000 },
  file: { kind: "flag", description: "All of it as a file (CSV)", default: false },
  network: ALL_NETWORKS_OPTION,
} as const satisfies Options;
