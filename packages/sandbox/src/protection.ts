import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Logger } from '@chorus/runtime/log';
import { lendingFolder, removeAbandoned } from './lending-folder.ts';

export type Guard = 'privileges' | 'user' | 'files' | 'network';

export interface Protection {
  guards: ReadonlySet<Guard>;
  ownUser: boolean;
  wrap(command: readonly string[], uid: number): string[];
}

interface Plan {
  guards: Guard[];
  unshare: string[] | null;
  setpriv(uid: number): string[];
}

/** User ids that systemd reserves for services without an account. None of them owns a file. */
const FIRST_UID = 61_184;
const UIDS = 4_096;

const PROBE_MS = 10_000;

const HERE = fileURLToPath(import.meta.url);

/** Covers each path before `--` with an empty folder or file, then runs the rest. */
const HIDE =
  'while [ "$1" != -- ]; do ' +
  'if [ -d "$1" ]; then mount -t tmpfs -o ro,size=4k none "$1" || exit 126; ' +
  'elif [ -e "$1" ]; then mount --bind /dev/null "$1" || exit 126; fi; shift; done; shift; exec "$@"';

const NO_CAPABILITIES = ['--inh-caps=-all', '--bounding-set=-all'];
const otherUser = (uid: number) => ['--no-new-privs', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
const NAMESPACES = ['--mount', '--net', '--ipc', '--propagation', 'private'];

/** From the strongest to the weakest. The first one that works is used. */
const PLANS: Record<'root' | 'user', Plan[]> = {
  root: [
    {
      guards: ['privileges', 'user', 'files', 'network'],
      unshare: NAMESPACES,
      setpriv: (uid) => [...otherUser(uid), ...NO_CAPABILITIES],
    },
    // Another user id already keeps a child from files of mode 0600.
    {
      guards: ['privileges', 'user', 'files'],
      unshare: null,
      setpriv: (uid) => [...otherUser(uid), ...NO_CAPABILITIES],
    },
    { guards: ['privileges', 'user', 'files'], unshare: null, setpriv: otherUser },
    {
      // For programs that only our user can read. A child without capabilities cannot trace a process that has some.
      guards: ['privileges', 'user', 'files', 'network'],
      unshare: NAMESPACES,
      setpriv: () => ['--no-new-privs', ...NO_CAPABILITIES],
    },
    { guards: ['privileges'], unshare: null, setpriv: () => ['--no-new-privs'] },
  ],
  user: [
    {
      // Inside a user namespace, a child can't trace its parent or read its environment.
      guards: ['privileges', 'user', 'files', 'network'],
      unshare: ['--user', '--map-root-user', ...NAMESPACES],
      setpriv: () => ['--no-new-privs', ...NO_CAPABILITIES],
    },
    { guards: ['privileges'], unshare: null, setpriv: () => ['--no-new-privs'] },
  ],
};

const NONE: Protection = { guards: new Set(), ownUser: false, wrap: (command) => [...command] };

/**
 * Finds the strongest protection that works on this system, by trying each one.
 * @param hidden folders and files that children must not see
 */
export function findProtection(hidden: readonly string[] = [], isRoot = process.getuid?.() === 0): Protection {
  if (process.platform !== 'linux' || find('setpriv') === null) return NONE;
  for (const plan of PLANS[isRoot ? 'root' : 'user']) {
    const protection = protectionOf(plan, hidden);
    if (protection !== null && works(protection)) return protection;
  }
  return NONE;
}

function protectionOf({ guards, unshare, setpriv }: Plan, hidden: readonly string[]): Protection | null {
  const [unsharePath, setprivPath] = [find('unshare'), find('setpriv')];
  if (setprivPath === null || (unshare !== null && unsharePath === null)) return null;
  const covered = hidden.flatMap((path) => (existsSync(path) ? [realpathSync(path)] : []));
  const outer =
    unshare === null ? [] : [unsharePath as string, ...unshare, '--', '/bin/sh', '-c', HIDE, 'sh', ...covered, '--'];
  return {
    guards: new Set(guards),
    ownUser: setpriv(FIRST_UID).some((option) => option.startsWith('--reuid')),
    wrap: (command, uid) => [...outer, setprivPath, ...setpriv(uid), '--', ...command],
  };
}

function works({ wrap }: Protection): boolean {
  const check = 'test -r "$1" && test -x "$2" && exec "$3" --version';
  const command = ['/bin/sh', '-c', check, 'sh', HERE, lendingFolder(), process.execPath];
  const [program = '', ...args] = wrap(command, newUid());
  const { status } = spawnSync(program, args, { env: {}, stdio: 'ignore', timeout: PROBE_MS, killSignal: 'SIGKILL' });
  return status === 0;
}

let uids = Math.floor(Math.random() * UIDS);

/** Returns another user id for each child, so that none can trace another or read its lent folder. */
export function newUid(): number {
  uids = (uids + 1) % UIDS;
  return FIRST_UID + uids;
}

const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
/** Folders for programs that users install: Homebrew's, or their own. */
const ADDED = ['/usr/local/bin', '/opt/homebrew/bin'];

/** Returns the path of a system program, regardless of PATH. */
export function find(program: string): string | null {
  return findIn(FOLDERS, program);
}

/** Returns the path of an optional program, including ones that users installed. */
export function findProgram(program: string): string | null {
  return findIn([...FOLDERS, ...ADDED], program);
}

function findIn(folders: readonly string[], program: string): string | null {
  const paths = folders.map((folder) => `${folder}/${program}`);
  return paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile()) ?? null;
}

let hiddenPaths: readonly string[] = [];
let tellMissing: (message: string) => void = () => {};
let current: Protection | null = null;

/** Finds the protection at its first use, which starts a process. */
export function currentProtection(): Protection {
  if (current === null) {
    current = findProtection(hiddenPaths);
    const missing = missingProtection(current);
    if (missing !== null) tellMissing(missing);
  }
  return current;
}

const WITHOUT: Record<Guard, string> = {
  privileges: 'gain privileges through setuid programs',
  user: 'trace the platform’s own processes',
  files: 'read the platform’s own files',
  network: 'use the network',
};

/**
 * Sets the paths that parsers of uploads must not see. Logs what protection this system lacks: a warning now, or
 * at level `info` with the first parser.
 */
export function secureChildren(paths: readonly string[], log: Logger, level: 'warn' | 'info' = 'info'): void {
  hiddenPaths = paths;
  current = null;
  tellMissing = (message) => log[level](message);
  removeAbandoned().catch((err) => log.debug({ err }, 'folders of killed processes remain'));
  if (level === 'warn') currentProtection();
}

export function missingProtection(
  { guards }: Pick<Protection, 'guards'> = currentProtection(),
  hasPrlimit = find('prlimit') !== null,
): string | null {
  const gaps = (Object.keys(WITHOUT) as Guard[]).filter((guard) => !guards.has(guard)).map((guard) => WITHOUT[guard]);
  if (!hasPrlimit) gaps.unshift('use memory and CPU without a limit');
  if (gaps.length === 0) return null;
  const last = gaps.pop();
  const could = gaps.length === 0 ? last : `${gaps.join(', ')} and ${last}`;
  return `Parsers of uploaded files run with less protection: one that is taken over could ${could}. To prevent it, ${remedy(guards)}.`;
}

function remedy(guards: ReadonlySet<Guard>): string {
  if (process.platform !== 'linux') return 'run Chorus on Linux';
  if (!guards.has('privileges') || find('unshare') === null)
    return 'install util-linux (setpriv, prlimit, unshare, mount)';
  if (process.getuid?.() === 0)
    return 'give Chorus the capability CAP_SYS_ADMIN, or run it as a user who may create user namespaces';
  return 'allow user namespaces for the account that runs Chorus (containers: a seccomp profile that permits unshare and mount)';
}
