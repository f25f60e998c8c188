import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where `apps/console/build.mjs` puts what it builds. */
const BUILT = fileURLToPath(new URL('../../../console/dist', import.meta.url));

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};

interface ConsoleFile {
  type: string;
  bytes: Buffer;
  /** The same in gzip; null: it does not get smaller. */
  gzipped: Buffer | null;
  /** Whether its name changes with its content. */
  hashed: boolean;
}

/** The built console, in memory: some two megabytes, and whole also while another one is built. */
export interface BuiltConsole {
  /** `index.html`, with the places where base and nonce go. */
  page: string;
  /** By their path below the console's address. */
  files: ReadonlyMap<string, ConsoleFile>;
}

/** Reads the built console; null: there is none. */
export function loadConsole(folder = BUILT): BuiltConsole | null {
  if (!existsSync(join(folder, 'index.html'))) return null;
  const files = new Map<string, ConsoleFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    files.set(name, {
      type,
      bytes: readFileSync(path),
      gzipped: existsSync(`${path}.gz`) ? readFileSync(`${path}.gz`) : null,
      hashed: name.startsWith('assets/'),
    });
  }
  return { page: readFileSync(join(folder, 'index.html'), 'utf8'), files };
}
