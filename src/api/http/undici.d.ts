// The parts of undici that http.ts uses. The index of undici loads the rest before every first answer, too: fetch, caches
// and mocks. The package has no types for its parts.

declare module "undici/lib/core/connect.js" {
  export { buildConnector as default } from "undici";
}
declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici";
}
declare module "undici/lib/dispatcher/pool.js" {
  export { Pool as default } from "undici";
}
