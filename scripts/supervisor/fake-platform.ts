import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { identityOf } from './process-identity.ts';

/**
 * Returns a program that replaces a process of the platform. It logs its actions, and behaves as the
 * file `behavior` says. `kind` is store, api or worker.
 */
const program = (kind: string) => `
import { appendFileSync, existsSync, readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
const kind = '${kind}';
const note = (what) => appendFileSync(process.env.CHORUS_TEST_EVENTS, kind + ' ' + what + '\\n');
const file = process.env.CHORUS_TEST_BEHAVIOR + '.' + kind;
const behavior = existsSync(file) ? readFileSync(file, 'utf8') : '';
if (behavior === 'misconfigured') {
  // A real process takes longer than the store until it has read its configuration.
  while (!readFileSync(process.env.CHORUS_TEST_EVENTS, 'utf8').includes('store started')) await delay(10);
  process.stderr.write('configuration: DEFAULT_MODEL must be provider/model\\n');
  process.exit(78);
}
if (behavior === 'crash') throw new Error('no such luck');
process.on('SIGTERM', () => {
  note('asked');
  if (behavior === 'stuck') return;
  note('ended');
  process.exit(0);
});
process.on('SIGINT', () => note('interrupted'));
setInterval(() => {}, 1000);
note('started ' + process.pid);
if (kind === 'store') console.log(JSON.stringify({ ready: true }));
if (kind === 'worker') {
  note('store at ' + process.env.MONGODB_URI);
  writeSync(3, JSON.stringify({ ready: true, models: ['embedded/assistant'] }) + '\\n');
}
if (kind === 'api') {
  const { HOST, PORT } = process.env;
  createServer((request, response) => response.end('up')).listen(Number(PORT), HOST, () => {
    const login = { email: 'admin@localhost', password: 'correct-horse' };
    writeSync(3, JSON.stringify({ ready: true, url: 'http://' + HOST + ':' + PORT, login }) + '\\n');
  });
}
`;

const main = fileURLToPath(new URL('main.ts', import.meta.url));

export interface FakeRun {
  child: ChildProcess;
  output: () => string;
  ended: Promise<number | null>;
}

/** A platform of small programs in a temporary folder, run by the real supervisor with a real Redis. */
export class FakePlatform {
  readonly folder = mkdtempSync(join(tmpdir(), 'chorus-supervisor-'));
  readonly #runs: FakeRun[] = [];

  constructor() {
    const sources = { store: 'packages/document-store', api: 'apps/api', worker: 'workers/text' };
    for (const [kind, path] of Object.entries(sources)) {
      const file = join(this.folder, path, 'src/main.ts');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, program(kind));
    }
    writeFileSync(this.#eventsFile, '');
  }

  get #eventsFile(): string {
    return join(this.folder, 'events');
  }

  get dataDir(): string {
    return join(this.folder, '.data');
  }

  events(): string[] {
    return readFileSync(this.#eventsFile, 'utf8').split('\n').filter(Boolean);
  }

  behave(kind: 'store' | 'api' | 'worker', behavior: 'misconfigured' | 'crash' | 'stuck'): void {
    writeFileSync(join(this.folder, `behavior.${kind}`), behavior);
  }

  start(environment: Record<string, string> = {}): FakeRun {
    const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [main, this.folder], {
      env: {
        PATH,
        HOME,
        ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
        PORT: '0',
        CHORUS_TEST_EVENTS: this.#eventsFile,
        CHORUS_TEST_BEHAVIOR: join(this.folder, 'behavior'),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    const ended = once(child, 'close').then(([code]) => code as number | null);
    const run = { child, output: () => output, ended };
    this.#runs.push(run);
    return run;
  }

  /** Recorded running processes, including the guard. */
  processes(): { name: string; pid: number; identity: string }[] {
    const file = join(this.dataDir, 'run/processes.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  }

  async remove(): Promise<void> {
    const left = this.processes();
    for (const { child, ended } of this.#runs) {
      child.kill('SIGKILL');
      await ended;
    }
    for (const { pid, identity } of left) if (identityOf(pid) === identity) process.kill(pid, 'SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
