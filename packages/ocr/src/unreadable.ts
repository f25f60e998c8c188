import { ChorusError } from '@chorus/contract/errors';
import { ChildGone, CpuTimeout, OutOfMemory, PoolClosed, TaskTimeout } from '@chorus/sandbox';
import type { FailedPage, OcrLimits } from './ocr.ts';
import { formatPageRanges } from './page-ranges.ts';
import type { Task } from './page-tasks.ts';

/** The error of a page or file that no child could read. */
export class Unreadable extends ChorusError {}

/** Returns how often to try a task that failed. */
export function attemptsFor(task: Task, error: unknown): number {
  // Attempts share the CPU time.
  if (error instanceof CpuTimeout || error instanceof PoolClosed) return 1;
  if (error instanceof ChildGone) return 3;
  if (error instanceof ChorusError) return 'page' in task && error.code === 'invalid_request' ? 2 : 1;
  return 2;
}

export function unreadable(task: Task, error: unknown, { pageMs, memoryBytes }: OcrLimits): unknown {
  const where = 'page' in task ? `Page ${task.page}` : 'The file';
  const options = { cause: error };
  if (error instanceof TaskTimeout)
    return new Unreadable('timeout', `${where} took longer to read than the ${pageMs / 1_000} s allowed.`, options);
  if (error instanceof CpuTimeout)
    return new Unreadable(
      'invalid_request',
      `${where} cannot be read: it needs more than the ${Math.round(error.limitMs / 1_000)} s of CPU time allowed.`,
      options,
    );
  if (error instanceof ChildGone) {
    const reason = error instanceof OutOfMemory ? 'it needs' : 'it is damaged or needs';
    return new Unreadable(
      'invalid_request',
      `${where} cannot be read: ${reason} more than the ${Math.round(memoryBytes / 1e6)} MB of memory allowed.`,
      options,
    );
  }
  if (error instanceof ChorusError) return new Unreadable(error.code, error.message, options);
  return 'page' in task && !(error instanceof PoolClosed)
    ? new Unreadable('internal_error', `${where} cannot be read: the OCR engine failed.`, options)
    : error;
}

/** Lists pages that were not read, with the reason for the first. */
export function describeFailures(pages: readonly number[], failures: readonly FailedPage[]): string {
  const names = `${pages.length === 1 ? 'Page' : 'Pages'} ${formatPageRanges(pages)?.replaceAll(',', ', ')}`;
  const reason = failures.find(({ page }) => pages.includes(page))?.error.message;
  return `${names} could not be read.${reason === undefined ? '' : ` ${reason}`}`;
}
