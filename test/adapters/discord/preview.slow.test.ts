import { createDiscordPreview } from "../../../src/adapters/discord/preview.ts";
import { draw } from "../../../src/adapters/web/public/preview/preview-discord.js";
import { pictures } from "../../support/pictures.ts";

pictures(createDiscordPreview([]), draw);
