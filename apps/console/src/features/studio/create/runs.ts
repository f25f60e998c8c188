import { type Execution, type ExecutionProgress, NO_PROGRESS } from '@chorus/client';

export interface Run {
  id: string;
  title: string;
  /** The file that was read or verified. */
  assetId?: string | undefined;
  record: Execution;
}

const TITLE = 'title';
const ASSET = 'asset_id';

/** Maximum length of metadata values. */
const MAX_TITLE_CHARS = 512;

/** Returns metadata that identifies a run in any browser. */
export function metadataOf({ title, assetId }: Pick<Run, 'title' | 'assetId'>): Record<string, string> {
  return { [TITLE]: title.slice(0, MAX_TITLE_CHARS), ...(assetId !== undefined && { [ASSET]: assetId }) };
}

/** Returns the runs of jobs that were not dismissed. */
export function runsOf(
  records: readonly Execution[],
  { dismissed, label }: { dismissed: readonly string[]; label: string },
): Run[] {
  return records
    .filter(({ id }) => !dismissed.includes(id))
    .slice(0, MAX_RUNS)
    .map((record) => ({
      id: record.id,
      title: record.metadata[TITLE] ?? label,
      assetId: record.metadata[ASSET],
      record,
    }));
}

export const MAX_RUNS = 20;

/** Returns the state of a run that has ended, as if it had been followed. */
export function stateOf(record: Execution): ExecutionProgress & { error: unknown } {
  const { id, status, output, progress, attempt } = record;
  return { ...NO_PROGRESS, executionId: id, status, output, progress, attempt, execution: record, error: null };
}
