import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
 * Guides with images, videos, and documents take a minute, so they run only in `npm run soak` or with
 * CHORUS_SOAK=1.
 */
const SOAK = process.env.CHORUS_SOAK === '1';
const inSoak = test.runIf(SOAK);

const CLIENT = new URL('../../packages/client/src/index.ts', import.meta.url).href;

let platform: Platform;
let folder: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-guides-'));
  platform = await startPlatform({
    ...(SOAK && { mediaWorkers: 1, visionWorkers: 1, knowledgeWorkers: 1, maintenance: 1 }),
    env: {
      OUTBOUND_ALLOW: '127.0.0.1',
      DEFAULT_MODEL: 'embedded/assistant',
      DEFAULT_IMAGE_MODEL: 'embedded/canvas',
      DEFAULT_VIDEO_MODEL: 'embedded/canvas-video',
    },
  });
  const { body: key } = await platform.client.post('/api-keys', {
    ...{ name: 'guides', permissions: ['read', 'run', 'write', 'manage'] },
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

async function examples(guide: string, language: 'sh' | 'ts'): Promise<string[]> {
  const text = await readFile(join(ROOT, 'docs', guide), 'utf8');
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code]) => code ?? '');
}

/**
 * Runs the commands of a guide.
 * @param change changes them before
 */
async function follow(guide: string, more: NodeJS.ProcessEnv = {}, change = (text: string) => text): Promise<string> {
  const commands = await examples(guide, 'sh');
  expect(commands.length).toBeGreaterThan(0);
  const call = (main: string) => `${JSON.stringify(process.execPath)} ${JSON.stringify(join(ROOT, main))} "$@"`;
  const script = [
    'set -euo pipefail',
    "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT",
    `npx() { shift; ${call('apps/cli/src/main.ts')}; }`,
    `npm() { shift 3; ${call('apps/cli/src/admin/main.ts')}; }`, // npm run admin -- …
    change(commands.join('\n')),
  ];
  const { stdout } = await promisify(execFile)('bash', ['-c', script.join('\n')], {
    cwd: folder,
    env: { ...env, ...more },
  });
  return stdout;
}

inSoak('thousands of pictures', { timeout: SLOW_MS }, async () => {
  const said = await follow('batch-media.md');
  expect(said).toContain('3 of 3 succeeded');
  expect(said).toMatch(/^moon\.png\nstars\.png\nsun\.png$/m);
  for (const id of ['sun', 'moon', 'stars']) expect(said).toContain(`${id} succeeded embedded/canvas`);
  expect(said).toMatch(/^sign\nread$/m);
  expect(said).toMatch(/^boat\.png\nwaves\.mp4$/m);
});

inSoak('from a folder to answers', { timeout: SLOW_MS }, async () => {
  const said = await follow('documents.md');
  expect(said).toContain('2 added, 0 already present, 0 failed.');
  expect(said).toContain('0 added, 2 already present, 0 failed.');
  expect(said.match(/^(added|present)$/gm)?.toSorted()).toEqual(['added', 'present', 'present']);
  expect(said).toContain('burnt down in 1911');
  expect(said).toMatch(/"text":"[^"]*40 metres deep/);
});

test('a chat client', { timeout: SLOW_MS }, async () => {
  const files = (await examples('chat-client.md', 'ts')).map(async (code, index) => {
    const file = join(folder, `chat-${index}.ts`);
    await writeFile(file, code.replaceAll("'@chorus/client'", JSON.stringify(CLIENT)));
    return `await import(${JSON.stringify(file)});`;
  });
  await writeFile(join(folder, 'chat.mjs'), (await Promise.all(files)).join('\n'));
  const [{ stdout }, said] = await Promise.all([
    promisify(execFile)(process.execPath, [join(folder, 'chat.mjs')], { env }),
    follow('chat-client.md'),
  ]);
  expect(stdout).toMatch(
    /^(\d+\n)+(succeeded|cancelled)\nsucceeded\n1\ntrue 1\nsucceeded true\nweather true\nsucceeded\nsucceeded\n0 0\n(\d+ \d+\n)+string\n$/,
  );
  expect(said).toContain('84');
  expect(said.trimEnd().split('\n').at(-1)).toBe('execution.succeeded');
});

test('an agent that can do things', { timeout: SLOW_MS }, async () => {
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

test('MCP server', { timeout: SLOW_MS }, async () => {
  expect(await follow('mcp-server.md')).toContain('"status":"succeeded"');
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

test('operation', { timeout: SLOW_MS }, async () => {
  const said = await follow('operation.md');
  expect(said).toMatch(/usr_\w+ +ada@example\.org/);
  expect(said).toMatch(/[0-9a-f-]{36} Garden/);
  expect(said).toMatch(/chk_/);
  expect(said).toMatch(/^DAY +MODEL/m);
});
