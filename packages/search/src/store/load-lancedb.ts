import { availableParallelism } from 'node:os';
import { requireComponent } from '@chorus/runtime/components';

type LanceDB = typeof import('@lancedb/lancedb');

/**
 * LanceDB's full-text builder holds a pool thread while it waits for another. The default pool has two threads
 * fewer than cores, so it would deadlock on small machines.
 */
const SPARE_THREADS = 2;

let loading: Promise<LanceDB> | null = null;

/**
 * Loads the engine's native library on first use: it takes 60 MB and 100 ms.
 * @throws ChorusError `feature_unavailable` where it is not installed
 */
export async function loadLanceDB(): Promise<LanceDB> {
  requireComponent('search');
  process.env.LANCE_CPU_THREADS ??= String(availableParallelism() + SPARE_THREADS);
  // Silences warnings on standard error, for example about each retried commit.
  process.env.LANCEDB_LOG ??= 'error';
  loading ??= import('@lancedb/lancedb');
  return loading;
}
