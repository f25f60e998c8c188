# One image for every process of Chorus; each service of docker-compose.yml and each Deployment of the Helm chart names
# the one that it runs. For several architectures:
#   docker buildx build --platform linux/amd64,linux/arm64 -t registry.example.org/chorus:0.1.0 --push .
#
# The base is pinned by its exact version. To pin it by digest, too, pass --build-arg BASE=node:…@sha256:….
ARG BASE=node:26.10.0-bookworm-slim

# Only the package files, so that a change of the sources does not reinstall the packages.
FROM ${BASE} AS manifests
WORKDIR /app
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc -delete \
  && find . -type d -empty -delete

FROM ${BASE} AS build
WORKDIR /app
COPY --from=manifests /app ./
RUN npm ci --omit=dev --loglevel=error
COPY . .
RUN node --input-type=module --eval "import { prunePackages } from './scripts/setup/prune-packages.mjs'; prunePackages('node_modules', { needsTools: false })" \
  && node apps/console/build.mjs \
  && MODELS_DIR=/app/models node scripts/fetch-models.ts \
  && rm -r scripts

FROM ${BASE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data MODELS_DIR=/app/models
WORKDIR /app
# libgomp1 is for llama.cpp, if you set your own model (EMBEDDED_MODEL_PATH). This OCR engine takes half the
# time of the bundled one. For more languages and programs: --build-arg EXTRA="tesseract-ocr-deu ffmpeg".
ARG EXTRA=""
RUN apt-get update \
  && apt-get install -y --no-install-recommends libgomp1 tesseract-ocr ${EXTRA} \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir /data && chown node:node /data
COPY --from=build /app ./
USER node
VOLUME /data
EXPOSE 8080
CMD ["node", "apps/api/src/main.ts"]
