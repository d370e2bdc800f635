# One image for all services. The arguments select the service: `services/gateway/main.ts` and so on. Node runs the
# TypeScript directly, without a build. Releases pin both base images by digest:
#   --build-arg NODE_IMAGE=node:24-slim@sha256:… --build-arg RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian12@sha256:…
# `--target standalone` makes another one, with NATS and MongoDB inside, of the last three: docs/one-container.md
ARG NODE_IMAGE=node:24-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot
ARG NATS_IMAGE=nats:2.15.1-alpine
ARG MONGODB_IMAGE=mongo:8.0.17
ARG STANDALONE_IMAGE=ubuntu:24.04

FROM ${NODE_IMAGE} AS modules
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# The dashboard is code for browsers, so it is bundled.
FROM modules AS dashboard
COPY services/dashboard services/dashboard
COPY services/core/api services/core/api
# Its foot names the version and the commit.
COPY services/core/version.ts services/core/
COPY services/adapters/process/commit.ts services/adapters/process/
# The form for addresses shows receivers of one page, and the palette searches the first sections of all.
COPY docs docs
COPY tsconfig.json ./
ARG REVISION=unknown
RUN printf '%s\n' "$REVISION" > REVISION
RUN node services/dashboard/bundle/main.ts dashboard && find dashboard -exec touch --date=@0 {} +

# A worker thread starts three times as fast from one file, and takes half of the memory (services/adapters/threads/worker.ts).
FROM modules AS threads
COPY services services
RUN node_modules/.bin/esbuild services/gateway/content/content-worker.ts services/api/content/content-worker.ts \
      services/dispatcher/attempt/large-post-worker.ts services/dispatcher/attempt/files/upload-worker.ts \
      --bundle --minify-whitespace --platform=node --format=esm --target=node24 --log-limit=0 \
      --banner:js="const require = (await import('node:module')).createRequire(import.meta.url);" \
      --outdir=/threads --outbase=. --out-extension:.js=.bundle.mjs \
 && find /threads -exec touch --date=@0 {} +

# Remove what only `npm start` and the bundler need, and what Node never reads: types, source maps, documentation,
# modules for other runtimes.
FROM modules AS packages
RUN npm pkg delete dependencies.node dependencies.mongodb-memory-server-core dependencies.esbuild dependencies.preact \
      dependencies.@preact/signals devDependencies scripts \
 && npm prune --ignore-scripts --no-audit --no-fund \
 && find node_modules -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -iname '*.md' -o -name '*.tsbuildinfo' -o -name '*.bare' \) -delete \
 && rm -rf node_modules/.package-lock.json package-lock.json \
 && find . -exec touch --no-dereference --date=@0 {} +

# File times are part of a layer. With fixed times, the same sources always make the same image.
FROM ${NODE_IMAGE} AS sources
COPY services /app/services
COPY docs /app/docs
# The command `inlet`. The image has no /usr/bin/env to find Node.
ARG NODE_BINARY=/nodejs/bin/node
RUN mkdir /app/bin \
 && printf '#!%s\nimport "../services/cli/main.ts";\n' "$NODE_BINARY" > /app/bin/inlet \
 && chmod 755 /app/bin/inlet
ARG REVISION=unknown
RUN printf '%s\n' "$REVISION" > /app/REVISION
RUN rm -r /app/services/dashboard /app/services/generate && find /app -exec touch --date=@0 {} +

# All of Inlet in one container: what `npm start` runs, with the defaults of production (docs/one-container.md).
FROM ${NATS_IMAGE} AS nats
FROM ${MONGODB_IMAGE} AS mongodb
# The base of the image of mongod, which needs its libraries: distroless lacks them.
FROM ${STANDALONE_IMAGE} AS standalone
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates libcurl4t64 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=modules /usr/local/bin/node /nodejs/bin/node
COPY --from=nats /usr/local/bin/nats-server /usr/local/bin/
COPY --from=mongodb /usr/bin/mongod /usr/local/bin/
WORKDIR /app
COPY --from=packages /app ./
COPY --from=sources /app ./
COPY --from=threads /threads ./
COPY --from=dashboard /app/dashboard ./dashboard
# A missing library shows here, and not at the first start. A named volume takes the owner of the folder.
RUN /nodejs/bin/node --version && nats-server --version && mongod --version \
 && mkdir /data && chown 65532:65532 /data
ENV NODE_ENV=production PATH=/nodejs/bin:/app/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
ENV INLET_DIR=/data NATS_SERVER_BIN=/usr/local/bin/nats-server MONGOD_BIN=/usr/local/bin/mongod
ENV SMTP_HOST=0.0.0.0 API_HOST=0.0.0.0 METRICS_HOST=0.0.0.0 METRICS_PORT=9091
USER 65532:65532
VOLUME /data
EXPOSE 2525 8080 9091-9093
HEALTHCHECK --interval=30s --timeout=10s --start-period=2m CMD node --eval " \
  for (const at of [0, 1, 2]) fetch('http://127.0.0.1:' + ($METRICS_PORT + at) + '/readyz') \
    .then(({ ok }) => ok || process.exit(1), () => process.exit(1))"
ENTRYPOINT ["node", "services/standalone/main.ts"]
CMD ["--production"]
LABEL org.opencontainers.image.title="Inlet in one container" \
      org.opencontainers.image.licenses="Apache-2.0 AND SSPL-1.0" \
      org.opencontainers.image.source="https://github.com/inlet-email/inlet"

FROM ${RUNTIME_IMAGE}
WORKDIR /app
ENV NODE_ENV=production PATH=/nodejs/bin:/app/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# glibc returns large buffers to the system when they are freed. Otherwise it keeps them in fragments: a dispatcher with
# the largest payloads then takes 820 MiB instead of 640 (test/dispatcher/worst-content.test.ts).
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
COPY --from=packages /app ./
COPY --from=sources /app ./
COPY --from=threads /threads ./
COPY --from=dashboard /app/dashboard ./dashboard
USER 65532:65532
ENTRYPOINT ["node"]
CMD ["services/gateway/main.ts"]
# No label has the time of the build: the same sources always make the same image.
ARG VERSION=development
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Inlet" \
      org.opencontainers.image.description="Inbound email to signed webhooks" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.vendor="Inlet" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="https://github.com/inlet-email/inlet" \
      org.opencontainers.image.url="https://github.com/inlet-email/inlet" \
      org.opencontainers.image.documentation="https://github.com/inlet-email/inlet/tree/main/docs"
