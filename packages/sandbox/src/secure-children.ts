import type { Logger } from '@chorus/log';
import { find, findProtection, type Guard, type Protection } from './protection.ts';

let hidden: readonly string[] = [];
let protection: Protection | null = null;

/** The protection of this process's children, found at first use. */
export function currentProtection(): Protection {
  protection ??= findProtection(hidden);
  return protection;
}

/** What a child could do without a guard. */
const WITHOUT: Record<Guard, string> = {
  privileges: 'gain privileges through setuid programs',
  user: 'trace the platform’s own processes',
  files: 'read the platform’s own files',
  network: 'use the network',
};

/**
 * Sets what parsers of uploaded files must not see, and logs in one line what protection this system lacks.
 *
 * @param level of that line
 */
export function secureChildren(paths: readonly string[], log: Logger, level: 'warn' | 'info' = 'info'): void {
  hidden = paths;
  protection = null;
  const missing = missingProtection();
  if (missing !== null) log[level](missing);
}

/** One sentence that says what is missing and how to get it; null: nothing is. */
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
    return 'give Chorus the capability CAP_SYS_ADMIN, or run it as a user who may make user namespaces';
  return 'allow user namespaces for the account that runs Chorus (containers: a seccomp profile that permits unshare and mount)';
}
