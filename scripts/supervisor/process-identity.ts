import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * Returns the start time and boot of a process, which tell it from a later one with the same pid.
 * @returns undefined if no process with that pid runs (a zombie counts as gone)
 */
export function identityOf(pid: number): string | undefined {
  if (existsSync('/proc/self/stat')) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The program name in parentheses may contain anything, so fields are counted after it.
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
