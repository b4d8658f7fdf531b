# Builds with the whole tool chain, ships without it.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
# tsx and its esbuild run the source, which the image does not hold; the driver's own C sources are compiled in already.
RUN npm run build && npm prune --omit=dev \
  && rm -rf node_modules/tsx node_modules/esbuild node_modules/@esbuild node_modules/better-sqlite3/deps

FROM node:24-bookworm-slim
WORKDIR /app
COPY package.json LICENSE ./
COPY bin bin
COPY sql sql
COPY static static
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN mkdir --mode=700 /data && chown node:node /data
USER node
# In production AUTH_MODE must be set: a container is reached from outside.
ENV NODE_ENV=production DATA_DIR=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=6s --start-period=10s CMD ["node", "bin/catalogue", "healthcheck"]
ENTRYPOINT ["node", "bin/catalogue"]
CMD ["serve"]
