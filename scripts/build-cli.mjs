// Builds a folder for `npm publish apps/cli/dist`: one file without dependencies.
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const folder = fileURLToPath(new URL('../apps/cli/', import.meta.url));
const target = resolve(process.argv[2] ?? join(folder, 'dist'));

rmSync(target, { recursive: true, force: true });
const bundle = await rolldown({ input: join(folder, 'src/main.ts'), platform: 'node', treeshake: true });
await bundle.write({
  file: join(target, 'chorus.js'),
  format: 'esm',
  codeSplitting: false,
  banner: '#!/usr/bin/env node',
});
await bundle.close();
chmodSync(join(target, 'chorus.js'), 0o755);

const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const manifest = {
  name: '@chorus-platform/cli',
  version,
  description: 'The command line of Chorus: chat, images, voice, batches, and documents on your own platform.',
  keywords: ['chorus', 'ai', 'chat', 'llm', 'cli', 'rag', 'batch'],
  license,
  type: 'module',
  bin: { chorus: './chorus.js' },
  files: ['chorus.js'],
  engines: { node: '>=20.12' },
  publishConfig: { access: 'public', provenance: true },
};
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(join(folder, 'README.md'), join(target, 'README.md'));
copyFileSync(fileURLToPath(new URL('../LICENSE', import.meta.url)), join(target, 'LICENSE'));
