# Built with the whole tool chain; the image has only Node, the build and its packages.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
# Removes what only source and compiling need: tsx with its esbuild, the driver's C sources.
RUN npm run build && npm prune --omit=dev \
  && rm -rf node_modules/tsx node_modules/esbuild node_modules/@esbuild node_modules/.cache \
    node_modules/better-sqlite3/deps node_modules/better-sqlite3/src \
  && find node_modules \( -name '*.map' -o -name '*.d.ts' -o -name '*.md' \) -delete

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="Restaurant catalogue" \
  org.opencontainers.image.description="A restaurant catalogue as a JSON HTTP API: one process, one SQLite file" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="MIT"
COPY --from=build /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
COPY package.json LICENSE ./
COPY bin bin
COPY sql sql
COPY static static
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# The only writable folder. Its owner has no other rights, and needs no user name.
RUN mkdir --mode=700 /data && chown 1000:1000 /data && ln -s /app/bin/catalogue /usr/local/bin/catalogue
USER 1000:1000
# In production AUTH_MODE must be set: a container is reachable from outside.
ENV NODE_ENV=production DATA_DIR=/data
VOLUME /data
EXPOSE 8080 8443
HEALTHCHECK --interval=30s --timeout=6s --start-period=10s CMD ["catalogue", "healthcheck"]
ENTRYPOINT ["catalogue"]
CMD ["serve"]
