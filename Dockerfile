# One image for every service; the arguments choose: `services/gateway/main.ts` and so on. Node runs the TypeScript itself: nothing is built.
# Releases pin both bases by digest: --build-arg NODE_IMAGE=node:24-slim@sha256:… --build-arg RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian12@sha256:…
ARG NODE_IMAGE=node:24-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# What only `npm start` uses goes again: the pinned Node, the downloader of mongod. Then what Node never reads there: types and sources, maps, documentation, modules of other runtimes.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && npm pkg delete dependencies.node dependencies.mongodb-memory-server-core devDependencies scripts \
 && npm prune --ignore-scripts --no-audit --no-fund \
 && find node_modules -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -iname '*.md' -o -name '*.tsbuildinfo' -o -name '*.bare' \) -delete \
 && rm -rf node_modules/.package-lock.json package-lock.json \
 && find . -exec touch --no-dereference --date=@0 {} +

# Times of files are part of a layer: without them the same sources make the same image.
FROM ${NODE_IMAGE} AS sources
COPY services /app/services
COPY docs /app/docs
RUN find /app -exec touch --date=@0 {} +

FROM ${RUNTIME_IMAGE}
WORKDIR /app
ENV NODE_ENV=production PATH=/nodejs/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
COPY --from=packages /app ./
COPY --from=sources /app ./
USER 65532:65532
ENTRYPOINT ["node"]
CMD ["services/gateway/main.ts"]
