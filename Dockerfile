# One image for every process of Chorus; each service of docker-compose.yml names the one that it runs.

# The package files alone, so that a change of the sources does not install the packages anew.
FROM node:26-slim AS manifests
WORKDIR /app
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc -delete \
  && find . -type d -empty -delete

FROM node:26-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
WORKDIR /app
COPY --from=manifests /app ./
# What llama.cpp needs, where a model of your own is set (EMBEDDED_MODEL_PATH), and an OCR engine that takes half the time of the one among the
# packages (more languages: tesseract-ocr-deu, …).
RUN apt-get update && apt-get install -y --no-install-recommends libgomp1 tesseract-ocr && rm -rf /var/lib/apt/lists/*
# The image has its Node already: the one among the packages stays out (--ignore-scripts).
RUN npm install --no-save --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error \
  && npm cache clean --force
COPY . .
RUN node apps/console/build.mjs && mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
CMD ["node", "apps/api/src/main.ts"]
