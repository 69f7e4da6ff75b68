import { type Channels, countOf, play, type Sent, STYLES } from "./economy/channel.ts";
import { type Scene, SCENES } from "./economy/scenes.ts";
import { atMost, type Measured, runAsScript, tableOf } from "./support/figure.ts";

// How many posts a channel gets of what happens to a network, in each style, in virtual time: the worlds of
// verdicts/world.ts through the watchers' judgement, the engine, the outbox and the dispatcher to a platform that
// accepts everything. Edits ring for nobody, and are counted beside. `--show=WORDS` plays the scenes whose names have
// these words, and prints the title of all that each channel got.
//
// The scenes are in economy/scenes.ts.

const SHOW = process.argv.find((argument) => argument.startsWith("--show="))?.slice(7);
/** A card, and a short post when it becomes critical and when it is over. */
const LIVE_STALL = { name: "stall 5 min", posts: 3 };

async function measure(): Promise<readonly Measured[]> {
  const scenes = SCENES.filter(({ name }) => SHOW === undefined || name.includes(SHOW));
  if (scenes.length === 0) throw new Error(`no such scene; there are: ${SCENES.map(({ name }) => name).join("; ")}`);
  const rows: string[][] = [["scene", ...STYLES, "known", "at most"]];
  const figures: Measured[] = [];
  for (const scene of scenes) {
    const channels = await play(scene);
    const { name, known, most = known } = scene;
    rows.push([name, ...STYLES.map((style) => counted(channels[style])), String(known), String(most)]);
    figures.push(...figuresOf(scene, channels));
    if (SHOW !== undefined) console.log(shownOf(scene, channels));
  }
  console.log(`Posts, + those that only threads show, and edits of one channel:\n\n${tableOf(rows)}\n`);
  return figures;
}

function counted(sent: readonly Sent[]): string {
  const replies = countOf(sent, "reply");
  return `${countOf(sent, "post")}${replies === 0 ? "" : ` + ${replies}`} (${countOf(sent, "edit")})`;
}

function figuresOf({ name, known, most = known }: Scene, channels: Channels): Measured[] {
  const posts = Math.max(...STYLES.map((style) => countOf(channels[style], "post")));
  const detail = STYLES.map((style) => `${style} ${counted(channels[style])}`).join(", ");
  const figures: Measured[] = [atMost(`economy: ${name}`, posts, most, "posts", detail)];
  if (name === LIVE_STALL.name) {
    const value = countOf(channels.live, "post");
    const holds = value === LIVE_STALL.posts;
    figures.push({
      name: `economy: ${name}, live`,
      value,
      unit: "posts",
      bound: `exactly ${LIVE_STALL.posts}`,
      holds,
      detail: "a card and two short posts",
    });
  }
  return figures;
}

function shownOf({ name }: Scene, channels: Channels): string {
  const parts = STYLES.map((style) => {
    const lines = channels[style].map(
      ({ what, at, message, silent, line }) =>
        `  ${clock(at)}  ${silent === true ? "silent " : ""}${what} ${message}  ${line}\n`,
    );
    return `${name}, ${style}\n${lines.join("")}`;
  });
  return parts.join("\n");
}

/** `1:02:03` after the world began. */
function clock(at: number): string {
  const seconds = Math.floor(at / 1000);
  const two = (value: number): string => String(value % 60).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60))}:${two(seconds)}`;
}

await runAsScript(import.meta.url, measure);
