import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The output of `apps/console/build.mjs`. */
const BUILT = fileURLToPath(new URL('../../../console/dist', import.meta.url));

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
};

type Encoding = (typeof ENCODINGS)[number]['encoding'];

const ENCODINGS = [
  { encoding: 'br', ending: '.br' },
  { encoding: 'gzip', ending: '.gz' },
] as const;

interface ConsoleFile {
  type: string;
  bytes: Buffer;
  /** The compressed content, best first. Empty: compression does not make it smaller. */
  compressed: readonly { encoding: Encoding; bytes: Buffer }[];
  /** Whether its name contains a hash of its content. */
  hashed: boolean;
}

/** The built console, in memory (about 6 MB), so that a later build can't mix versions. */
export interface BuiltConsole {
  /** `index.html`, with placeholders for base and nonce. */
  page: string;
  /** Files by their path below the console's address, without the page. */
  files: ReadonlyMap<string, ConsoleFile>;
}

let loaded: BuiltConsole | null = null;

/** Returns the built console, which a process reads once. Null: it is not built yet. */
export function loadConsole(): BuiltConsole | null {
  if (loaded === null && existsSync(join(BUILT, 'index.html'))) loaded = readConsole();
  return loaded;
}

function readConsole(): BuiltConsole {
  const files = new Map<string, ConsoleFile>();
  for (const entry of readdirSync(BUILT, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(BUILT.length + 1);
    if (!entry.isFile() || type === undefined || name === 'index.html') continue;
    files.set(name, {
      type,
      bytes: readFileSync(path),
      compressed: ENCODINGS.flatMap(({ encoding, ending }) =>
        existsSync(path + ending) ? { encoding, bytes: readFileSync(path + ending) } : [],
      ),
      hashed: name.startsWith('assets/'),
    });
  }
  return { page: readFileSync(join(BUILT, 'index.html'), 'utf8'), files };
}
