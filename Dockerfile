# One image for all services. The arguments select the service: `services/gateway/main.ts` and so on. Node runs the
# TypeScript directly, without a build. Releases pin both base images by digest:
#   --build-arg NODE_IMAGE=node:24-slim@sha256:… --build-arg RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian12@sha256:…
ARG NODE_IMAGE=node:24-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# Remove what only `npm start` needs (the pinned Node, the downloader of mongod), and what Node never reads: types,
# source maps, documentation, modules for other runtimes.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && npm pkg delete dependencies.node dependencies.mongodb-memory-server-core devDependencies scripts \
 && npm prune --ignore-scripts --no-audit --no-fund \
 && find node_modules -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -iname '*.md' -o -name '*.tsbuildinfo' -o -name '*.bare' \) -delete \
 && rm -rf node_modules/.package-lock.json package-lock.json \
 && find . -exec touch --no-dereference --date=@0 {} +

# File times are part of a layer. With fixed times, the same sources always make the same image.
FROM ${NODE_IMAGE} AS sources
COPY services /app/services
COPY docs /app/docs
RUN find /app -exec touch --date=@0 {} +

FROM ${RUNTIME_IMAGE}
LABEL org.opencontainers.image.title="Inlet" \
      org.opencontainers.image.description="Inbound email to signed webhooks" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/inlet-email/inlet"
WORKDIR /app
ENV NODE_ENV=production PATH=/nodejs/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
COPY --from=packages /app ./
COPY --from=sources /app ./
USER 65532:65532
ENTRYPOINT ["node"]
CMD ["services/gateway/main.ts"]
