import type { HomeData } from "../../src/adapters/chat/home-data.ts";

/** The home tab of a person without anything, on networks of which nothing is known. */
export const EMPTY_HOME: HomeData = {
  savedParties: () => Promise.resolve([]),
  standing: () =>
    Promise.resolve({ title: { tone: "neutral", text: [] }, networks: [], open: [], more: 0, pages: 1, silences: [] }),
  subscriptionsOf: () => Promise.resolve([]),
  state: () => Promise.resolve(() => ""),
};
