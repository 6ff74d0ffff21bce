# One image for all apps and commands, selected by the command: node dist/programs/catalog.js
# (docs/operations.md). Reproducible build: pin the base by digest, --build-arg
# NODE_IMAGE=node:26-bookworm-slim@sha256:...
ARG NODE_IMAGE=node:26-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
# Install scripts are disabled: they fetch what only tests and `npm start` need
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node tools/compile.mjs && node tools/build/image.mjs /storefront
# A new volume takes the owner of the folder it is mounted on
RUN mkdir -p /blobs /backups /run/sandbox

FROM ${NODE_IMAGE}
# MALLOC_ARENA_MAX saves 40 MB in a rendering process. Without a limit the young generation of the
# heap grows to 48 MB at startup and does not shrink
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 NODE_OPTIONS="--enable-source-maps --max-semi-space-size=4"
# The base image has no fonts
ENV FONTCONFIG_FILE=/storefront/tools/build/fonts.conf
WORKDIR /storefront
COPY --from=build /storefront .
COPY --from=build --chown=10001:10001 /blobs /blobs
COPY --from=build --chown=10001:10001 /backups /backups
# User of the sandbox
COPY --from=build --chown=10002:10002 /run/sandbox /run/sandbox
USER 10001:10001
EXPOSE 3000
# Node is started without a shell or npm, so that apps receive SIGTERM, drain, and exit with 0
# within 24 s
STOPSIGNAL SIGTERM
ENTRYPOINT []
CMD ["node", "dist/programs/gateway.js"]
# Last, because they change with every build
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="storefront" \
      org.opencontainers.image.description="Print-on-demand storefront backend: all apps and commands" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="UNLICENSED"
