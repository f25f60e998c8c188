import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * What tells one process from another that got the same pid later: when it was started, and in which boot.
 * @returns undefined when no process with that pid runs (one that has ended but was not collected counts as gone)
 */
export function identityOf(pid: number): string | undefined {
  if (existsSync('/proc/self/stat')) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The program's name, in brackets, may hold anything; the fields are counted from behind it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [state, startTicks] = [fields[0], fields[19]];
      if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
      return `${startTicks}@${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
    } catch {
      return undefined;
    }
  }
  try {
    const listed = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [, state, started] = /^(\S+)\s+(.+)$/.exec(listed) ?? [];
    return state?.startsWith('Z') ? undefined : started;
  } catch {
    return undefined;
  }
}
