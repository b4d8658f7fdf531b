# Nothing runs in the last stage: its base needs no shell, and other architectures no emulation. Any base with glibc and
# libstdc++ will do, such as --build-arg BASE=debian:bookworm-slim.
ARG BASE=gcr.io/distroless/cc-debian12

FROM node:26-bookworm-slim AS node

FROM --platform=$BUILDPLATFORM node:26-bookworm-slim AS build
ARG TARGETARCH
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
# What `npm pack` ships, and the packages for the target; esbuild is for source alone.
RUN mkdir -p /image/app /image/usr/local/bin && npm pack \
  && tar -xzf restaurant-catalogue-*.tgz --strip-components=1 -C /image/app \
  && npm config set cpu "$(echo "$TARGETARCH" | sed s/amd64/x64/)" \
  && npm pkg delete dependencies.esbuild devDependencies && npm install \
  && npm sbom --sbom-format=cyclonedx >/image/app/sbom.cdx.json
# Of packages, what compiling, editors and debuggers need, the drivers of other systems, and the maps that no page shows.
RUN cd node_modules && rm -rf .cache node-addon-api better-sqlite3/deps better-sqlite3/src world-atlas/*-10m.json \
  && find better-sqlite3/prebuilds -type f ! -name "linux-$(npm config get cpu).node" -delete \
  && find . \( -name '*.map' -o -name '*.d.ts' -o -name '*.md' ! -iname 'licen*' \) -delete \
  && find . -type d -empty -delete && mv ../node_modules /image/app/ \
  && ln -s /app/bin/catalogue /image/usr/local/bin/catalogue && mkdir /volumes && mkdir --mode=700 /volumes/data

FROM $BASE
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/bin/env /usr/bin/env
COPY --from=build /image /
# The only writable folder. Its owner has no other rights, and needs no user name.
COPY --from=build --chown=1000:1000 /volumes /
WORKDIR /app
USER 1000:1000
# In production AUTH_MODE must be set: a container is reachable from outside.
ENV NODE_ENV=production DATA_DIR=/data
VOLUME /data
EXPOSE 8080 8443
HEALTHCHECK --interval=30s --timeout=6s --start-period=10s CMD ["catalogue", "healthcheck"]
# Without the flag, Node 26 never gives back the memory of threads that have ended: 100 MB after an import.
ENTRYPOINT ["node", "--no-memory-pool-share-memory-on-teardown", "/app/bin/catalogue"]
CMD ["serve"]
ARG REVISION
ARG SOURCE
LABEL org.opencontainers.image.title="Restaurant catalogue" \
  org.opencontainers.image.description="A restaurant catalogue as a JSON HTTP API: one process, one SQLite file" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.source="$SOURCE"
