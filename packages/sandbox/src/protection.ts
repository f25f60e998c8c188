import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lendingFolder } from './lending-folder.ts';

/** Ways to keep a child from what it must not have. */
export type Guard = 'privileges' | 'user' | 'files' | 'network';

export interface Protection {
  guards: ReadonlySet<Guard>;
  /** Whether each child runs under a user id of its own. */
  ownUser: boolean;
  /** The command that runs `command` under this protection. */
  wrap(command: readonly string[], uid: number): string[];
}

interface Plan {
  guards: Guard[];
  /** Options of `unshare`; null: it is not used. */
  unshare: string[] | null;
  /** Options of `setpriv`, for a user id. */
  setpriv(uid: number): string[];
}

/** User ids that systemd sets aside for services without an account; none of them owns a file. */
const FIRST_UID = 61_184;
const UIDS = 4_096;

/** A probe that takes longer counts as failed. */
const PROBE_MS = 10_000;

const HERE = fileURLToPath(import.meta.url);

/** Covers each path up to `--` with an empty folder or file, then runs the rest. */
const HIDE =
  'while [ "$1" != -- ]; do ' +
  'if [ -d "$1" ]; then mount -t tmpfs -o ro,size=4k none "$1" || exit 126; ' +
  'elif [ -e "$1" ]; then mount --bind /dev/null "$1" || exit 126; fi; shift; done; shift; exec "$@"';

const NO_CAPABILITIES = ['--inh-caps=-all', '--bounding-set=-all'];
const otherUser = (uid: number) => ['--no-new-privs', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
const NAMESPACES = ['--mount', '--net', '--ipc', '--propagation', 'private'];

/** From the strongest to the weakest; the first one that works is used. */
const PLANS: Record<'root' | 'user', Plan[]> = {
  root: [
    {
      guards: ['privileges', 'user', 'files', 'network'],
      unshare: NAMESPACES,
      setpriv: (uid) => [...otherUser(uid), ...NO_CAPABILITIES],
    },
    // Another user id alone keeps a child from files of mode 0600.
    {
      guards: ['privileges', 'user', 'files'],
      unshare: null,
      setpriv: (uid) => [...otherUser(uid), ...NO_CAPABILITIES],
    },
    { guards: ['privileges', 'user', 'files'], unshare: null, setpriv: otherUser },
    {
      // Where another user could not read our program. Without capabilities a child can not trace a process that has some.
      guards: ['privileges', 'user', 'files', 'network'],
      unshare: NAMESPACES,
      setpriv: () => ['--no-new-privs', ...NO_CAPABILITIES],
    },
    { guards: ['privileges'], unshare: null, setpriv: () => ['--no-new-privs'] },
  ],
  user: [
    {
      // Inside a user namespace a child can not trace its parent, or read its environment.
      guards: ['privileges', 'user', 'files', 'network'],
      unshare: ['--user', '--map-root-user', ...NAMESPACES],
      setpriv: () => ['--no-new-privs', ...NO_CAPABILITIES],
    },
    { guards: ['privileges'], unshare: null, setpriv: () => ['--no-new-privs'] },
  ],
};

const NONE: Protection = { guards: new Set(), ownUser: false, wrap: (command) => [...command] };

/**
 * Finds the strongest protection that works on this system, by trying.
 *
 * @param hidden folders and files that children must not see, as far as they are not readable by all anyway
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

/** Whether a child can still run Node, our program and what it is lent. */
function works({ wrap }: Protection): boolean {
  const check = 'test -r "$1" && test -x "$2" && exec "$3" --version';
  const command = ['/bin/sh', '-c', check, 'sh', HERE, lendingFolder(), process.execPath];
  const [program = '', ...args] = wrap(command, newUid());
  const { status } = spawnSync(program, args, { env: {}, stdio: 'ignore', timeout: PROBE_MS, killSignal: 'SIGKILL' });
  return status === 0;
}

let uids = Math.floor(Math.random() * UIDS);

/** Another user id for each child, so that none can trace another or read what it was lent. */
export function newUid(): number {
  uids = (uids + 1) % UIDS;
  return FIRST_UID + uids;
}

const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** The path of a program of the system, wherever PATH leads. */
export function find(program: string): string | null {
  const paths = FOLDERS.map((folder) => `${folder}/${program}`);
  return paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile()) ?? null;
}
