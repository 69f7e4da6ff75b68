import { type Context, Hono } from "hono";
import { html } from "hono/html";

import type { Access } from "./access.ts";
import { limitBody, refuse } from "./guard.ts";

/** The login of browsers: a form that posts the token for a cookie. */
export function loginRoutes(access: Access): Hono {
  const app = new Hono();

  app.get("/login", async (c) => ((await access.isSignedIn(c)) ? c.redirect(askedFor(c), 303) : c.html(loginPage())));

  app.post(
    "/login",
    limitBody(4096, (c) => refuse(c, 413, "This is no token.")),
    async (c) => {
      if (!access.required) return c.redirect(askedFor(c), 303);
      const type = c.req.header("content-type") ?? "";
      if (!/^application\/x-www-form-urlencoded\b/iu.test(type)) return refuse(c, 415, "Send the form of /login.");
      const token = new URLSearchParams(await c.req.text()).get("token") ?? "";
      const result = await access.signIn(c, token.trim());
      if (result === "right") return c.redirect(askedFor(c), 303);
      if (result === "wrong") {
        return c.html(loginPage("This is not the token. It is what WEB_TOKEN is set to where Bellwether runs."), 401);
      }
      const seconds = Math.ceil(result.waitMillis / 1000);
      c.header("Retry-After", String(seconds));
      return c.html(loginPage(`Too many wrong tokens. Try again in ${seconds} s.`), 429);
    },
  );

  app.post("/logout", async (c) => {
    await access.signOut(c);
    return c.redirect("/login", 303);
  });

  return app;
}

/** The page, with what the address asks of it. */
function askedFor(c: Context): string {
  return `/${new URL(c.req.url).search}`;
}

function loginPage(fault?: string): SmallPage {
  const note =
    fault === undefined
      ? ""
      : html`<p class="login-fault" id="fault" role="alert"><strong>Sorry.</strong> ${fault}</p>`;
  return smallPage(
    "Sign in · Bellwether",
    html`<h1>Bellwether</h1>
      <form method="post" action="/login">
        <label for="token">Token of this console</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          aria-describedby="fault"
        />
        ${note}
        <button type="submit">Sign in</button>
      </form>`,
    html`<script type="module" src="/page/login.js"></script>`,
  );
}

type SmallPage = ReturnType<typeof html>;

/** A page without the console: a form or some words under a heading. */
export function smallPage(title: string, main: SmallPage, script: SmallPage | "" = ""): SmallPage {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="/page/bellwether.svg" />
        <link rel="stylesheet" href="/page/base.css" />
        <link rel="stylesheet" href="/page/login.css" />
        ${script}
      </head>
      <body>
        <main class="login">${main}</main>
      </body>
    </html>`;
}
