# One image for all apps and commands; the command chooses: node dist/programs/catalog.js (docs/operations.md).
# The base by its digest, for a build that can be repeated: --build-arg NODE_IMAGE=node:26-bookworm-slim@sha256:...
ARG NODE_IMAGE=node:26-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
# No install script is needed: what it would fetch is for tests and for `npm start`
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node tools/compile.mjs && node tools/build/image.mjs /storefront
# Volumes take over who owns the folder they are mounted on
RUN mkdir -p /blobs /backups /run/sandbox

FROM ${NODE_IMAGE}
# MALLOC_ARENA_MAX: the C library keeps 40 MB less in a process that draws. The heap of young objects would grow to 48 MB
# while an app loads, and stay so
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 NODE_OPTIONS="--enable-source-maps --max-semi-space-size=4"
WORKDIR /storefront
COPY --from=build /storefront .
COPY --from=build --chown=10001:10001 /blobs /blobs
COPY --from=build --chown=10001:10001 /backups /backups
# The sandbox has a user of its own
COPY --from=build --chown=10002:10002 /run/sandbox /run/sandbox
USER 10001:10001
EXPOSE 3000
# No shell and no npm before Node: the apps hear SIGTERM themselves, drain and exit with 0 within 24 s
STOPSIGNAL SIGTERM
ENTRYPOINT []
CMD ["node", "dist/programs/gateway.js"]
# At the end: they change with every build
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="storefront" \
      org.opencontainers.image.description="Print-on-demand storefront backend: all apps and commands" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="UNLICENSED"
