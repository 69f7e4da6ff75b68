import type { PlatformPlace, Platforms } from "../../alerts/destination.ts";
import { type Action, commandAction } from "../../reply/reply.ts";
import { shortenId } from "../../reply/text.ts";
import type { SavedParties, SavedParty } from "../../store/store.ts";
import type { Caller } from "../invocation.ts";
import type { Choice, Option, Options } from "./options.ts";

/** The caller's saved parties, the default one first, and their time zone. */
export type OwnParties = ReturnType<typeof ownParties>;

/** The parties of one person on all servers; their id may be unique only within one. */
export function ownParties(
  saved: SavedParties,
  here: PlatformPlace,
  caller: Pick<Caller, "id"> & { readonly name?: string },
  platforms: Platforms,
) {
  const owner = (): string => {
    const perWorkspace = platforms.chat(here.platform)?.peoplePerWorkspace === true;
    const place = perWorkspace ? [here.platform, here.workspace ?? ""] : [here.platform];
    return [...place, caller.id].join(":");
  };
  // A row like that of a party; no owner of parties ends like this.
  const zones = (): string => `${owner()}:time zone`;
  const forgetZone = async (): Promise<void> => {
    for (const { id } of await saved.list(zones())) await saved.forget(zones(), id);
  };
  return {
    /** The time zone that the caller chose. */
    zone: async () => (await saved.list(zones()))[0]?.id,
    async saveZone(zone: string) {
      await forgetZone();
      await saved.save(zones(), { id: zone, name: undefined });
    },
    list: () => saved.list(owner()),
    save: (party: SavedParty) => saved.save(owner(), party),
    forget: (id: string) => saved.forget(owner(), id),
    /** Erases everything that is stored about the caller, parties included. */
    async eraseCaller() {
      await forgetZone();
      const chat = platforms.chat(here.platform);
      await saved.erase({
        owner: owner(),
        platform: chat?.id,
        ...(chat?.destinationsPerWorkspace === true ? { workspace: here.workspace ?? "" } : {}),
        id: caller.id,
        name: caller.name ?? caller.id,
      });
    },
  };
}

/** Offered to whoever names no party where one is needed. */
export const SAVE_PARTY = { label: "Save my party", command: "my party", form: true } as const;

export const SAVE_PARTY_ACTION: Action = { ...commandAction(SAVE_PARTY.label, SAVE_PARTY.command), form: true };

/** Typed to ask about all parties despite a saved default: `stake party:all`. */
export const EVERYBODY = "all";

/**
 * Fills in saved parties: the default one if a party option was omitted, and ids for names. A failing store counts as
 * no saved parties.
 */
export async function withSavedParties<V extends Readonly<Record<string, unknown>>>(
  options: Options,
  values: V,
  own: OwnParties,
): Promise<V> {
  const names = Object.keys(options).filter((name) => takesParty(options[name]));
  const saved = await own.list().catch(() => []);
  const filled = names.map((name) => [name, savedId(values[name], saved)] as const);
  return { ...values, ...Object.fromEntries(filled.filter(([, id]) => id !== undefined)) };
}

/** Whether an option's value may be the name of a saved party. */
export function takesParty(option: Option | undefined): boolean {
  return option?.kind === "text" && option.saved === "party";
}

/** The party that a command needs and has not got, from the caller or from what they saved. */
export function neededParty(options: Options, values: Readonly<Record<string, unknown>>): string | undefined {
  const isMissed = ([name, option]: [string, Option]): boolean =>
    option.kind === "text" && option.needed === true && values[name] === undefined;
  return Object.entries(options).find(isMissed)?.[0];
}

function savedId(typed: unknown, saved: readonly SavedParty[]): string | undefined {
  if (typed === undefined) return saved[0]?.id;
  if (typeof typed !== "string") return undefined;
  const wanted = typed.trim().toLowerCase();
  return saved.find(({ name }) => name?.toLowerCase() === wanted)?.id ?? typed;
}

/** Saved parties that match the typed text, as choices; they come before all others. */
export async function suggestSavedParties(typed: string, own: OwnParties): Promise<readonly Choice[]> {
  const wanted = typed.trim().toLowerCase();
  const saved = await own.list().catch(() => []);
  return saved
    .filter(({ id, name }) => id.startsWith(wanted) || name?.toLowerCase().includes(wanted) === true)
    .map(({ id, name }) => ({
      label: `${name ?? "saved"} (${shortenId(id)})`,
      value: id,
      ...(name === undefined ? {} : { typed: name }),
    }));
}
