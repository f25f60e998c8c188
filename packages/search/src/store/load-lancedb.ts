import { availableParallelism } from 'node:os';

type LanceDB = typeof import('@lancedb/lancedb');

/**
 * LanceDB's full-text builder holds a thread of its pool while it waits for another one. By default the pool has two threads less than the machine
 * has cores, so that on small machines it waits for ever.
 */
const SPARE_THREADS = 2;

let loading: Promise<LanceDB> | null = null;

/** The engine's native library, loaded at its first use: that costs 60 MB and a tenth of a second. */
export function loadLanceDB(): Promise<LanceDB> {
  process.env.LANCE_CPU_THREADS ??= String(availableParallelism() + SPARE_THREADS);
  // It writes warnings of its own to standard error, such as of each commit that it tries again.
  process.env.LANCEDB_LOG ??= 'error';
  loading ??= import('@lancedb/lancedb');
  return loading;
}
