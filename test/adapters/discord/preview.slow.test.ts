import { createDiscordPreview } from "../../../src/adapters/discord/preview.ts";
import { draw } from "../../../src/adapters/discord/page/page.js";
import { pictures } from "../../support/pictures.ts";

pictures(createDiscordPreview([]), draw);
