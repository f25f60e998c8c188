import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { PROVIDERS } from '@chorus/contract';
import { loadConfig } from '@chorus/runtime/config';
import {
  freePort,
  S3_START_MS,
  sharedS3,
  sharedStore,
  startRedis,
  TEST_SECRET_ENV,
  type TestS3,
} from '@chorus/testing';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { PROCESS_NAMES, variablesOf } from '../packages/runtime/src/config/process-variables.ts';
import { root } from './setup/project.mjs';
import { backgroundProcesses } from './supervisor/platform-processes.ts';
import { parseReadyReport } from './supervisor/ready-report.ts';
import { notedModules, notingModules } from './supervisor/test-noted-modules.ts';

interface Service {
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  profiles?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  stop_grace_period?: string;
}

const compose: { services: Record<string, Service>; volumes: Record<string, null> } = parse(
  readFileSync(join(root, 'docker-compose.yml'), 'utf8'),
  { merge: true },
);
const { services } = compose;
const own = Object.entries(services).filter(([, service]) => service.build !== undefined);

/** Expands `${NAME:-default}` and `${NAME:?message}` as Compose does. */
function interpolate(environment: Record<string, string> = {}): Record<string, string> {
  const value = (text: string) =>
    text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name, kind, rest) =>
      kind === '-' ? rest : `value-of-${name}-that-is-long-enough`,
    );
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, value(text)]));
}

test('every process of the platform has a service, and no service is without one', () => {
  const sources = own.map(([, { command }]) => command?.[1]);
  const background = backgroundProcesses(root, { sharesProcess: false }).map(({ main }) => main);
  const shared = 'apps/background/src/main.ts';
  expect(new Set(sources)).toEqual(new Set(['apps/api/src/main.ts', shared, ...background]));
  const mainsOf = (profile: string) =>
    own.flatMap(([, { profiles, command }]) => (profiles?.includes(profile) ? [command?.[1]] : []));
  expect(mainsOf('single')).toEqual([shared]);
  expect(new Set(mainsOf('scaled'))).toEqual(new Set(background.filter((main) => !main.startsWith('workers/text/'))));
  for (const [, { command }] of own) expect(command?.[0]).toBe('node');
});

test.each(own)('%s gets an environment that its configuration accepts', (_name, { environment, stop_grace_period }) => {
  const config = loadConfig(interpolate(environment));
  expect(config.redis.url).toMatch(/^redis:\/\/:.+@redis:6379$/);
  expect(config.mongodbUri).toMatch(/^mongodb:\/\/chorus:.+@mongo:27017\/chorus\?authSource=admin$/);
  expect(config.blobs).toMatchObject({ kind: 's3', endpoint: 'http://s3:8333', bucket: 'chorus' });
  expect(Number.parseInt(stop_grace_period ?? '', 10) * 1000).toBeGreaterThan(config.shutdownGraceMs);
});

test('each variable is one that the configuration knows', () => {
  const known = new Set(PROCESS_NAMES.flatMap(variablesOf));
  const names = own.flatMap(([, { environment }]) => Object.keys(environment ?? {}));
  // The stores' variables are only emptied, and `npm start` gives no process a port for probes.
  const others = ['REDIS_PASSWORD', 'MONGO_PASSWORD', 'HEALTH_PORT'];
  expect(names.filter((name) => !known.has(name) && !others.includes(name))).toEqual([]);
});

test.each(own)(
  '%s gets the secrets that it uses, and of the others nothing but an empty word',
  (name, { environment = {} }) => {
    const secret = Object.keys(environment).filter((variable) =>
      /KEY|PASSWORD|SECRET|TOKEN|^C2PA|^COMPATIBLE|^OPERATOR/.test(variable),
    );
    const used = variablesOf(name);
    expect(secret.filter((variable) => environment[variable] !== '').sort()).toEqual(
      secret.filter((variable) => used.includes(variable)).sort(),
    );
    for (const provider of PROVIDERS.filter((one) => one !== 'embedded'))
      expect(secret).toContain(`${provider.toUpperCase()}_API_KEY`);
  },
);

test('services wait only for reachable states, and name existing volumes', () => {
  for (const { depends_on = {}, volumes = [] } of Object.values(services)) {
    for (const [name, { condition }] of Object.entries(depends_on)) {
      expect(Object.keys(services)).toContain(name);
      if (condition === 'service_healthy') expect(services[name]?.healthcheck).toBeDefined();
    }
    for (const volume of volumes) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
  }
});

test('services have no privileges and a health check, and ours cannot write to their image', () => {
  for (const [name, { cap_drop, security_opt, healthcheck }] of Object.entries(services))
    expect([name, cap_drop, security_opt, healthcheck?.test.length]).toEqual([
      name,
      ['ALL'],
      ['no-new-privileges:true'],
      expect.any(Number),
    ]);
  expect(own.filter(([, { read_only }]) => !read_only)).toEqual([]);
});

test('no secret is in the file, and none gets into the image', () => {
  for (const { environment = {} } of Object.values(services)) {
    for (const [name, value] of Object.entries(environment)) {
      if (/KEY$|PASSWORD|SECRET|AUTH/.test(name)) expect(value).toMatch(/^$|^\$\{\w+:(\?.+|-)\}$/);
    }
  }
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  expect(dockerfile).not.toMatch(/KEY|PASSWORD|SECRET|TOKEN/i);
  expect(dockerfile).toMatch(/^USER node$/m);
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.env', '.env.*', '.data', '.git', '**/node_modules']));
  const command = /^CMD (.*)$/m.exec(dockerfile)?.[1] ?? '[]';
  expect(existsSync(join(root, JSON.parse(command)[1]))).toBe(true);
});

test('the commands of operators run from the files that are in the image', async () => {
  const image = mkdtempSync(join(tmpdir(), 'chorus-image-'));
  onTestFinished(() => rmSync(image, { recursive: true }));
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  for (const name of readdirSync(root).filter((one) => !ignored.includes(one) && !/^(\.|node_modules$)/.test(one)))
    cpSync(join(root, name), join(image, name), { recursive: true, filter: (path) => !path.includes('node_modules') });
  for (const name of ['node_modules', 'node_modules/@chorus']) mkdirSync(join(image, name));
  for (const name of readdirSync(join(root, 'node_modules')).filter((one) => one !== '@chorus'))
    symlinkSync(join(root, 'node_modules', name), join(image, 'node_modules', name));
  for (const name of readdirSync(join(root, 'node_modules/@chorus'))) {
    const place = readlinkSync(join(root, 'node_modules/@chorus', name));
    symlinkSync(place, join(image, 'node_modules/@chorus', name));
  }
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'admin', '--', 'help'], { cwd: image });
  expect(stdout).toContain('user <action>');
});

test('Redis takes the options it is given: it keeps what it holds and evicts nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chorus-compose-'));
  const socket = join(folder, 'redis.sock');
  const [program = '', ...options] = (services.redis?.command ?? []).map((word) =>
    word.startsWith('${') ? 'password' : word,
  );
  const here = ['--dir', folder, '--port', '0', '--unixsocket', socket];
  const child = spawn(program, [...options, ...here], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  for await (const chunk of child.stdout) if (String(chunk).includes('eady to accept connections')) break;
  const connection = connect(socket);
  connection.write('AUTH password\r\n');
  expect(String((await once(connection, 'data'))[0])).toBe('+OK\r\n');
  const setting = async (name: string) => {
    connection.write(`CONFIG GET ${name}\r\n`);
    const [answer] = await once(connection, 'data');
    return String(answer).split('\r\n').at(-2);
  };
  expect(await setting('appendonly')).toBe('yes');
  expect(await setting('appendfsync')).toBe('everysec');
  expect(await setting('save')).toBe('');
  expect(await setting('maxmemory-policy')).toBe('noeviction');
  connection.destroy();
});

let s3: TestS3;
beforeAll(async () => {
  s3 = await sharedS3();
}, S3_START_MS);

/** The soak tests all services. Otherwise, those of one machine, whose background process runs all workers. */
const tried = own.filter(([, { profiles }]) => process.env.CHORUS_SOAK || !profiles?.includes('scaled'));

test('the services run against given stores, load nothing of the embedded one, and end on SIGTERM', async () => {
  const [redis, store] = await Promise.all([startRedis({ port: 0 }), sharedStore()]);
  onTestFinished(async () => {
    await Promise.all([redis.stop(), store.stop()]);
  });
  const folder = mkdtempSync(join(tmpdir(), 'chorus-compose-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const loaded = join(folder, 'modules');
  const bucket = s3.newBucket();
  // The API is ready only while a chat worker is, so all run until all are ready.
  const children = await Promise.all(
    tried.map(async ([name, { command = [], environment, healthcheck }]) => {
      const healthPort = await freePort();
      const child = spawn(process.execPath, command.slice(1), {
        cwd: root,
        env: {
          PATH: process.env.PATH,
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
          ...interpolate(environment),
          ...bucket.env,
          ...notingModules(loaded),
          HOST: '127.0.0.1',
          PORT: '0',
          HEALTH_PORT: String(healthPort),
          REDIS_URL: redis.url,
          MONGODB_URI: store.uri,
          ...TEST_SECRET_ENV,
          CHORUS_READY_FD: '3',
          CHORUS_TEST_KEEP_MEMORY: '1',
        },
        stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const [report] = await once(child.stdio[3] as Readable, 'data');
      const ready = parseReadyReport(String(report));
      expect(ready, name).toBeDefined();
      if (healthcheck) {
        const { port } = new URL(ready?.url ?? 'http://none');
        const [, program = '', ...check] = healthcheck.test.map((word) =>
          word.replace(':8080', `:${port}`).replace(':9090', `:${healthPort}`),
        );
        expect(check.join(' ')).toContain(`:${name === 'api' ? port : healthPort}`);
        await expect.poll(() => exitCode(program, check), { interval: 200 }).toBe(0);
      }
      return { name, child };
    }),
  );
  await Promise.all(
    children.map(async ({ name, child }) => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await ended, name).toEqual([0, null]);
    }),
  );
  const modules = notedModules(loaded);
  for (const [name, { command = [] }] of tried)
    expect(
      modules.some((url) => url.endsWith(`/${command[1]}`)),
      name,
    ).toBe(true);
  expect(modules.filter((url) => url.includes('packages/document-store/'))).toEqual([]);
});

async function exitCode(program: string, args: string[]): Promise<number> {
  const [code] = await once(spawn(program, args, { stdio: 'ignore' }), 'exit');
  return code;
}
