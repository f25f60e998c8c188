import { useSessionStorage } from '@mantine/hooks';
import { useScope } from '../../../scope/scope-context.tsx';

/** Something that was begun here: its execution, and what it was asked for. */
export interface Run {
  id: string;
  title: string;
  /** What it looks at. */
  assetId?: string;
}

/** The most that are remembered. */
const MOST = 20;

/** What was begun in this tab, the newest first; a page that is loaded again goes on showing it. */
export function useRuns(kind: string) {
  const { storageKey } = useScope();
  const [runs, setRuns] = useSessionStorage<Run[]>({
    key: `chorus.runs.${storageKey}.${kind}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  return {
    runs,
    add: (run: Run) => setRuns((all) => [run, ...all].slice(0, MOST)),
    remove: (id: string) => setRuns((all) => all.filter((run) => run.id !== id)),
  };
}
