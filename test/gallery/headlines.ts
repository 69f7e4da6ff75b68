/** What the headline of an answer must say, by its command. Of every command that a sample asks. */
export const HEADLINES: Readonly<Record<string, RegExp>> = {
  help: /What you can ask|2 commands|Subscribe this channel/u,
  time: /(?:mainnet|testnet) is (?:healthy|stalled), block [\d,]+|cannot be seen/u,
  info: /data nodes run .*v\d/u,
  "market list": /\d+ markets trade|has the tightest spread, [\d.]+ %/u,
  "market show": /\w+\/\w+ trades at [\d,.]+, spread [\d.]+ %/u,
  order: /(?:Active|Stopped|Rejected|Parked): /u,
  stake: /stakes? [\d,.]+/u,
  checkpoints: /block [\d,]+, [\d,]+ blocks ago/u,
  chart: /drawn of checkpoints of mainnet/u,
  snapshots: /block [\d,]+, [\d,]+ blocks ago/u,
  rotations: /block [\d,]+, [\d,]+ blocks ago/u,
  "bundle list-asset": /of [A-Z]+ (?:has \d+ signatures|is not signed yet)/u,
  "bundle asset-limits": /of [A-Z]+ (?:has \d+ signatures|is not signed yet)/u,
  "ledger export": /(?:gained|lost) [\d,.]+ USDT|\d+ entries|no entries/u,
  "ledger list": /\d+ ledger exports?/u,
  "ledger cancel": /Nothing to cancel: the ledger of /u,
  "ledger fetch": /Delivered already: the ledger of /u,
  "ledger verify": /SHA-256 of the file of export \d+/u,
  "alerts add": /Subscribed (?:already: )?(?:this channel|the console)/u,
  "alerts try":
    /In \d+ days this would have told you (?:nothing|\d+ times|once|twice)|cannot be said yet: .* watched for \d+ h|Nothing is kept/u,
  "alerts list": /\d+ subscriptions? in|No subscriptions/u,
  "alerts edit": /[Ss]ubscription \w+(?: tells|:) /u,
  "alerts pause": /Paused subscription \w+: /u,
  "alerts resume": /Resumed subscription \w+: /u,
  "alerts remove": /Removed subscription \w+: /u,
  "alerts silence": /Silenced .+ for \d+ |Nothing changed: a silence of everything covers that/u,
  "alerts silences": /Silenced: .+ until |\d+ silences, \d+ active|Nothing is silenced/u,
  "alerts unsilence": /Ended the silence of /u,
  "alerts ack": /Acknowledged: .+ on mainnet/u,
  "alerts why": /on mainnet does not answer, \d+ s so far/u,
  "alerts told": /[Nn]ot known: (?:nothing|nobody) is subscribed|does not answer, \d+ s so far/u,
  "alerts log": /\d+ decisions?|Nothing is in the log/u,
  "alerts drill": /arrived at \d+ of \d+ place/u,
  "alerts status": /does not answer, \d+ s so far|no alert is open/u,
  "answers show": /are for the asker/u,
  "answers set": /are now for everyone/u,
  "my parties": /no party/u,
  "my party": /Saved as treasury/u,
  "my zone": /Your time zone is Europe\/Zurich/u,
  "my forget": /Forgotten: treasury/u,
};

/** Questions in plain words, and what their headline must say. */
export const QUESTIONS: Readonly<Record<string, RegExp>> = {
  "ask is the network healthy": /mainnet is healthy/u,
  "why was my order rejected?": /Which order\? The newest rejected orders/u,
  "please silence node 1 for two hours": /Silence all of sim-1 on mainnet .{0,20}for 2 h\?/u,
  "export last week and check it": /Whose ledger\?/u,
  "show orders and markets": /Did you mean .{0,7}market list or /u,
  market: /\d+ markets trade/u,
  "subscribe here": /Subscribe (?:this channel|the console) to the ops alerts on mainnet\?/u,
  "silence all for the night":
    /Silence everything .{0,20}until (?:2026-01-16 07:00(?::00)? UTC|⟨drawn⟩(?: ⟨drawn⟩)?)\?/u,
};

/** A mistake is named: by a word of what was typed, by what is missing, or by what is wrong with the place. */
export const NAMES_THE_FAULT =
  /“.+”|\bneeds? |\bno (?:version|export|right)\b|\bcannot\b|\bis (?:for|too|not|earlier|the same|shorter|no)\b|\blies in\b|\bare the same\b|\bends?\b|\bOnly people\b|\bpage is gone\b|\bhas 64\b|Silence everything|\bis of no export\b|\bhere is none\b|\bdamaged\b|\bwould end\b|\bNobody can\b|\bNo file\b|\bis chosen for\b|\btakes you alone\b|Which file is to be verified\?|Which alert\?|Silence for how long\?/u;

/** An alert says what it is about, and what is so or what happened. */
export const TELLS =
  /^(?=.*\b(?:mainnet|testnet|Slack|Discord|matrix|database|bot|subscription|silences?|ledger export|Alerts|message)\b)(?=.*\b(?:since|for|again|is|are|was|were|has|had|have|did|made|went|takes|begin|runs|signed|new|linked|upgrade|rotated|arrive|accepts|refused|refuses|can|could|removed|ended|changed|paused|resumed|silenced|subscribed|deleted|overwritten|replaced|checkpoints?|snapshot|lasts)\b)/iu;
