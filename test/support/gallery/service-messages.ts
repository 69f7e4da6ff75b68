import type { NetworkStatus } from "../../../src/alerts/judge/kinds/network-status.ts";
import type { DeliveryContext } from "../../../src/alerts/message/delivery-subject.ts";
import type { AlertMessage, ChangeMessage } from "../../../src/alerts/message/message.ts";
import type { Notice } from "../../../src/alerts/message/notice.ts";
import type { Silence } from "../../../src/alerts/route/silence.ts";
import { anEpisode, aSubscription } from "../../alerts/samples.ts";

type Message = readonly [AlertMessage, DeliveryContext?];

const NASTY = "<@everyone> *bold* & [x](y)";
const at = "1700000000000000000";
const until = "1700086400000000000";
const away = { type: "away", from: at, to: "1700001920000000000" } as const;
const lost = { about: "lost", platform: "slack", channel: "C1", why: "is_archived" } as const;
const noticed = (notice: Notice): Message => [{ type: "notice", at, notice }];
const token = { type: "token", platform: "slack", why: "Slack says invalid_auth", since: at, at } as const;
const place = { ...token, channel: "C1", why: "Slack says not_in_channel" } as const;
const silence: Silence = {
  id: "k7m2w",
  scope: { destination: "slack//C1", network: "mainnet", kind: "node.down" },
  from: 1_699_999_000_000,
  until: 1_700_007_000_000,
  reason: "node upgrade",
  by: "bob",
  created: 1_699_999_000_000,
};
const subscription = aSubscription({
  id: "k7m4w",
  destination: { platform: "slack", channel: "C1" },
  kinds: ["node.down", "network.stalled"],
});
const standing: NetworkStatus = {
  network: "mainnet",
  verdict: "healthy",
  looked: at,
  answering: 3,
  nodes: 3,
  height: "1250",
  firing: [],
  more: 0,
};
const changed = (change: ChangeMessage["change"]): Message => [{ type: "change", by: "ann", at, change }];

/** What the bot says about itself and about changes: every type of it, with the cases that are worded differently. */
export const serviceMessages: readonly Message[] = [
  noticed({ ...lost, subscriptions: 1, unsent: 1 }),
  noticed({ ...lost, subscriptions: 2, unsent: 3 }),
  [{ ...away, late: [] }],
  [{ ...away, late: [{ kind: "checkpoint.new", count: 2 }] }],
  [{ ...away, late: [{ kind: "history.reset", count: 1 }] }],
  [{ ...away, late: [], unseen: ["mainnet"] }],
  [
    {
      ...away,
      late: [
        { kind: "checkpoint.new", count: 2 },
        { kind: "history.reset", count: 1 },
      ],
      unseen: ["mainnet", "testnet"],
    },
  ],
  ...[0, 1, 12].map((waiting): [AlertMessage] => [{ ...token, change: { what: "refused", waiting, until } }]),
  [{ ...token, change: { what: "revoked", subscriptions: 0, unsent: 0 } }],
  [{ ...token, change: { what: "revoked", removed: true, subscriptions: 1, unsent: 1 } }],
  [{ ...token, change: { what: "accepted", waiting: 0, subscriptions: 0, unsent: 0 } }],
  [{ ...token, change: { what: "accepted", waiting: 1, subscriptions: 1, unsent: 2 } }],
  [{ ...token, change: { what: "back", subscriptions: 2, unsent: 0 } }],
  [{ ...token, platform: "matrix", change: { what: "refused", waiting: 2, until } }],
  [{ ...token, workspace: "T0123ABCD", change: { what: "refused", waiting: 2, until } }],
  [{ ...token, workspace: "T0123ABCD", change: { what: "revoked", removed: true, subscriptions: 2, unsent: 0 } }],
  [{ ...token, workspace: "T0123ABCD", change: { what: "accepted", waiting: 0, subscriptions: 2, unsent: 0 } }],
  [{ ...place, change: { what: "refused", waiting: 2, until } }],
  [{ ...place, workspace: "T0123ABCD", change: { what: "refused", waiting: 2, until } }],
  [{ ...place, operator: true, change: { what: "refused", waiting: 0, until } }],
  [{ ...place, channel: "user:U1", change: { what: "revoked", subscriptions: 1, unsent: 1 } }],
  [{ ...place, change: { what: "accepted", waiting: 2, subscriptions: 1, unsent: 0 } }],
  [{ ...place, change: { what: "back", subscriptions: 1, unsent: 0 } }],
  noticed({
    about: "refused",
    platform: "slack",
    places: [{ channel: "C1", why: "Slack says invalid_blocks.", dead: 0, plain: 1 }],
  }),
  noticed({
    about: "refused",
    platform: "discord",
    places: [
      { channel: "1122334455667788990", why: "Discord says 50013 Missing Permissions.", dead: 2, plain: 1 },
      { channel: "2", why: NASTY, dead: 1, plain: 0 },
    ],
  }),
  ...(["deleted", "replaced", "overwritten", "begun anew"] as const).map((what) =>
    noticed({ about: "database", what, file: "/var/lib/bellwether/bellwether.db" }),
  ),
  noticed({ about: "database", what: "gone back", file: "bellwether on db.example:5432", lostMillis: 20_400 }),
  noticed({ about: "silences", silences: [silence] }),
  noticed({ about: "silences", silences: [silence, { ...silence, id: "k7m3w", scope: {}, reason: NASTY }] }),
  [{ type: "export", job: "k7m5w", at }],
  [{ type: "test", by: "ada", at }],
  [{ type: "test", by: "ada", at, subscription, standing }],
  changed({ what: "added", subscription, standing }),
  ...(["edited", "removed", "paused", "resumed"] as const).map((what) => changed({ what, subscription })),
  ...(["silenced", "unsilenced"] as const).map((what) => changed({ what, silence })),
  changed({ what: "silenced", silence, over: { what: "ended", by: "bob", at } }),
  changed({ what: "paused", subscription, over: { what: "resumed", by: "bob", at } }),
  changed({ what: "acknowledged", episode: anEpisode("network.stalled"), others: 2 }),
];
