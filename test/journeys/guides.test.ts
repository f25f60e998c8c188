import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Platform, startPlatform } from './platform.ts';

/** Starts six processes, then one per command. */
const SLOW_MS = 240_000;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/**
 * Commands in `sh soak` need images, videos, speech, or documents. They take a minute, so they run only in
 * `npm run soak` or with CHORUS_SOAK=1.
 */
const SOAK = process.env.CHORUS_SOAK === '1';

const CLIENT = new URL('../../packages/client/src/index.ts', import.meta.url).href;

let platform: Platform;
let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-guides-'));
  platform = await startPlatform({
    ...(SOAK && { mediaWorkers: 1, visionWorkers: 1, knowledgeWorkers: 1, voiceWorkers: 1, maintenance: 1 }),
    env: {
      OUTBOUND_ALLOW: '127.0.0.1',
      DEFAULT_MODEL: 'embedded/assistant',
      DEFAULT_IMAGE_MODEL: 'embedded/canvas',
      DEFAULT_VIDEO_MODEL: 'embedded/canvas-video',
      DEFAULT_SPEECH_MODEL: 'embedded/flite',
      DEFAULT_TRANSCRIPTION_MODEL: 'embedded/moonshine-tiny',
    },
  });
  const { body: key } = await platform.client.post('/api-keys', {
    ...{ name: 'guides', permissions: ['read', 'run', 'write', 'manage', 'operator'] },
  });
  env = {
    PATH: process.env.PATH,
    CHORUS_URL: platform.apis[0]?.url,
    CHORUS_API_KEY: key.secret,
    REDIS_URL: platform.redis.url,
    MONGODB_URI: platform.store.uri,
    SECRET_KEY_FILE: join(platform.dataDir, 'secret-key'),
    XDG_CONFIG_HOME: folder,
    MODEL: 'compatible/think-json@guides',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(folder, '.compiled'),
  };
}, SLOW_MS);
beforeEach(() => platform.showLogsOnFailure());
afterAll(async () => {
  await platform?.stop();
  await rm(folder, { recursive: true, force: true });
});

const pathOf = (page: string) => join(ROOT, page === 'README.md' ? '' : 'docs', page);

async function examples(page: string, language: 'sh' | 'ts'): Promise<string[]> {
  const text = await readFile(pathOf(page), 'utf8');
  const fence = SOAK ? `${language}(?: soak)?` : language;
  return [...text.matchAll(new RegExp(`\`\`\`${fence}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code]) => code ?? '');
}

/**
 * Runs the commands of a page in an empty folder.
 * @param change edits them first
 */
async function follow(page: string, more: NodeJS.ProcessEnv = {}, change = (text: string) => text): Promise<string> {
  const commands = await examples(page, 'sh');
  expect(commands.length).toBeGreaterThan(0);
  const call = (main: string) => `${JSON.stringify(process.execPath)} ${JSON.stringify(join(ROOT, main))} "$@"`;
  const script = [
    'set -euo pipefail',
    "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT",
    `npx() { shift; ${call('apps/cli/src/main.ts')}; }`,
    `npm() { shift 3; ${call('apps/cli/src/admin/main.ts')}; }`, // npm run admin -- …
    change(commands.join('\n')),
  ];
  const cwd = await mkdtemp(join(folder, 'page-'));
  if (page === 'README.md') await symlink(join(ROOT, 'docs'), join(cwd, 'docs'));
  const { stdout } = await promisify(execFile)('bash', ['-c', script.join('\n')], { cwd, env: { ...env, ...more } });
  return stdout;
}

interface Expected {
  always?: (string | RegExp)[];
  soak?: (string | RegExp)[];
}

/** Expected output of the commands of each page. */
const PAGES: Record<string, Expected> = {
  'README.md': { soak: ['84', 'another one takes over within 3 s'] },
  'get-started.md': { always: ['84', '"delta":"12"', '= 108'], soak: ['1 added', 'burned down in 1911'] },
  'models.md': { always: ['"id":"embedded/assistant"'] },
  'chat-api.md': {
    always: [/^12 \* 7 = 84/, '"type":"text.delta"', /"type":"execution.succeeded"[\s\S]*\n4\n1\n$/, 'Say hello'],
  },
  'tools.md': { always: ['"object":"agent"'] },
  'mcp-server.md': { always: ['"status":"succeeded"'] },
  'images-and-video.md': { soak: [/^1024$/m, '"type":"execution.succeeded"'] },
  'ocr.md': { soak: ['OPEN'] },
  'voice.md': { soak: [/"text":"[^"]*twelve times seven/i] },
  'batches.md': {
    soak: [
      '3 of 3 succeeded',
      /^moon\.png\nstars\.png\nsun\.png$/m,
      ...['sun', 'moon', 'stars'].map((id) => `${id} succeeded embedded/canvas`),
      /"item_id":"(seven|eight)","index":\d\n"item_id":"(seven|eight)","index":\d/,
      /^sign\nread\ntell$/m,
    ],
  },
  'documents.md': {
    soak: [
      '2 added, 0 already present, 0 failed.',
      '0 added, 2 already present, 0 failed.',
      /^(added|present)\n(added|present)\n(added|present)$/m,
      'burned down in 1911',
      '"quote":"The contract with the miller ends on 31 March 2027."',
      /"text":"[^"]*40 metres deep/,
    ],
  },
  'archive.md': { always: [/^session\ntrue\n2\n2\n$/] },
  'webhooks.md': { always: ['"secret":"whsec_', '"object":"list"', '"previous_valid_until"'] },
  'provenance.md': { soak: ['"verdict":"made_here"'] },
  'deletion.md': { always: [/^true\nnot_found\n$/] },
  'users.md': { always: [/usr_\w+ +ada@example\.org/, /[0-9a-f-]{36} Garden/, /chk_/] },
  'cli.md': { always: ['84', /^execution\.succeeded$/m] },
  'providers-and-limits.md': { always: ['"object":"list"', /^LANE +CALLS/m] },
  'monitoring.md': { always: ['"status":"ok"', '"object":"chat.health"', /^DAY +MODEL/m] },
};

for (const [page, { always = [], soak = [] }] of Object.entries(PAGES))
  test.runIf(SOAK || always.length > 0)(page, { timeout: SLOW_MS }, async () => {
    const said = await follow(page);
    for (const expected of SOAK ? [...always, ...soak] : always)
      expect(said).toEqual(
        typeof expected === 'string' ? expect.stringContaining(expected) : expect.stringMatching(expected),
      );
  });

test('every page with commands is tried', async () => {
  const names = (await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md'));
  const pages = [...new Set(['README.md', ...names])];
  const texts = await Promise.all(pages.map((page) => readFile(pathOf(page), 'utf8')));
  const withCommands = pages.filter((_, index) => /^```sh( soak)?$/m.test(texts[index] ?? ''));
  expect(withCommands.sort()).toEqual([...Object.keys(PAGES), 'agents-guide.md', 'openai.md'].sort());
});

test('TypeScript client', { timeout: SLOW_MS }, async () => {
  const files = (await examples('client.md', 'ts')).map(async (code, index) => {
    const file = join(folder, `chat-${index}.ts`);
    await writeFile(file, code.replaceAll("'@chorus/client'", JSON.stringify(CLIENT)));
    return `await import(${JSON.stringify(file)});`;
  });
  await writeFile(join(folder, 'chat.mjs'), (await Promise.all(files)).join('\n'));
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'chat.mjs')], { env });
  expect(stdout).toMatch(
    /^(\d+\n)+(succeeded|cancelled)\nsucceeded\n1\ntrue 1\nsucceeded true\nweather true\nsucceeded\nsucceeded\n0 0\n(\d+ \d+\n)+string\n$/,
  );
});

test('an agent', { timeout: SLOW_MS }, async () => {
  const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
  const ports = { 3001: await freePort(), 3002: await freePort() };
  const said = await follow('agents-guide.md', { MODEL: 'compatible/call-two@guides' }, (script) =>
    script
      .replace('npx -y @modelcontextprotocol/server-everything', `node ${JSON.stringify(everything)}`)
      .replaceAll(/\b300[12]\b/g, (port) => String(ports[port as unknown as keyof typeof ports])),
  );
  expect(said).toMatch(/^get-sum: \w+$/m);
  expect(said).toContain('list_orders: read\nplace_order: write');
  expect(said).toMatch(/^requires_action\nplace_order \{/m);
  expect(said).toContain('place_order: succeeded\nget-sum: succeeded\n');
  expect(JSON.parse(said.trim().split('\n').at(-1) ?? '')).toMatchObject([{ key: expect.stringMatching(/^job_/) }]);
});

test("OpenAI's API", { timeout: SLOW_MS }, async () => {
  const [code = ''] = await examples('openai.md', 'ts');
  const file = join(folder, 'background.ts');
  await writeFile(file, code.replace("'openai'", JSON.stringify(import.meta.resolve('openai'))));
  const [{ stdout }, said] = await Promise.all([
    promisify(execFile)(process.execPath, [file], { env }),
    follow('openai.md'),
  ]);
  expect(stdout).toBe('true completed\ntrue\n3\n');
  expect(said).toContain('84');
});
