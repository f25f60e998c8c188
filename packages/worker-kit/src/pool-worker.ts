import type { JobData } from '@chorus/contract';
import { defineScript, type RedisConnection } from '@chorus/events';
import { placeKeys, type QueueName, type QueuePlaces, queuePrefix, sharerOf, type TakenJob } from '@chorus/executions';
import { type Job, type JobJson, type Processor, Worker, type WorkerOptions } from 'bullmq';
import type { PlaceGate } from './shards/place-gate.ts';
import { SteadyLocks } from './steady-locks.ts';

/** Restores the marker if a job waits. Returns 1 if so. KEYS: jobs that run first, the line, marker. */
const RESTORE_MARKER = `
if redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then return 0 end
redis.call('ZADD', KEYS[3], 0, '0')
return 1`;

/** Jobs to take in one step: several, to save round trips in a burst, but few, so that other workers get some. */
const MAX_TAKEN = 8;

type QueuedJob = Job<JobData, void, string>;
type Waiting = ReturnType<Worker['backend']['waitForJob']>;
type Processing = ReturnType<Worker<JobData, void, string>['processJob']>;

/** Ends a wait for a job. */
const WOKEN = { member: '0', score: 0 };

interface LockedJob {
  taken: TakenJob;
  token: string;
}

interface PoolWorkerParts {
  queue: QueueName;
  gate: PlaceGate;
  places: QueuePlaces;
}

interface PoolWorkerOptions extends Omit<WorkerOptions, 'prefix'> {
  connection: RedisConnection;
  lockDuration: number;
}

/**
 * Serves one queue, and shares places with the other queues of the pool.
 *
 * Replaces BullMQ's steps: one round trip ends a job, frees its place, and takes the next. A fetch takes several jobs
 * and reports whether it took the last one, so that the worker can wait without looking again.
 */
export class PoolWorker extends Worker<JobData, void, string> {
  readonly #queue: QueueName;
  readonly #gate: PlaceGate;
  readonly #places: QueuePlaces;
  readonly #lockMs: number;
  readonly #restoreMarker: () => Promise<unknown>;
  /** Further jobs of a fetch, each with a place. BullMQ's loop asks for them right away. */
  readonly #ready: LockedJob[] = [];
  #tokens = 0;
  /** Whether the next fetch has a place. */
  #hasPlace = false;
  /** Whether jobs waited after the last fetch. */
  #hasMore = false;

  constructor(
    { queue, gate, places }: PoolWorkerParts,
    process: Processor<JobData, void, string>,
    options: PoolWorkerOptions,
  ) {
    super(queue, process, { ...options, prefix: queuePrefix(queue) });
    this.#queue = queue;
    this.#gate = gate;
    this.#places = places;
    this.#lockMs = options.lockDuration;
    gate.open(queue);
    const { wait, line, marker } = placeKeys(queue);
    const restore = defineScript(options.connection, 'chorusRestoreMarker', RESTORE_MARKER, 3);
    this.#restoreMarker = () => restore(wait, line, marker);
    const waitForMarker = this.backend.waitForJob.bind(this.backend);
    this.backend.waitForJob = (timeout) => this.#waitForJob(() => waitForMarker(timeout));
    this.on('closing', () => {
      gate.stopWaiting(queue);
      this.#handBackReady();
    });
  }

  /**
   * Waits for a job, and for a place to run it. BullMQ handles other jobs during this wait, but not during a fetch.
   */
  async #waitForJob(waitForMarker: () => Waiting): Waiting {
    if (!this.#hasMore) {
      const marker = await waitForMarker();
      if (marker && marker.score > Date.now()) return marker;
      // Waiting has consumed the marker, but another process may have a free place.
      if (this.#gate.isFull && (await this.#restoreMarker()) === 0) return marker;
    }
    this.#hasPlace = await this.#gate.enter(this.#queue);
    return WOKEN;
  }

  // BullMQ's types promise a job, but it handles undefined.
  protected override async moveToActive(token: string): Promise<QueuedJob> {
    if (this.#ready.length === 0) await this.#take(token);
    const next = this.#ready.shift();
    if (this.closing) this.#handBackReady();
    return (await this.#accept(next)) as QueuedJob;
  }

  /** Takes jobs for free places. */
  async #take(token: string): Promise<void> {
    const tokens = this.#hasPlace ? [token] : [];
    this.#hasPlace = false;
    this.#hasMore = false;
    while (tokens.length < MAX_TAKEN && this.#gate.tryEnter(this.#queue))
      tokens.push(tokens.length === 0 ? token : this.#newToken());
    if (tokens.length === 0) return;
    let jobs: TakenJob[] = [];
    try {
      jobs = await this.#places.take(this.#queue, this.#lockMs, tokens);
    } finally {
      for (let unused = jobs.length; unused < tokens.length; unused += 1) this.#gate.leave(this.#queue);
    }
    for (const [at, taken] of jobs.entries()) this.#ready.push({ taken, token: tokens[at] as string });
  }

  override async processJob(job: QueuedJob, token: string, mayTakeNext = () => true): Processing {
    let keepsPlace = false;
    try {
      // Taking the next job together with this end would keep the place from other shards.
      const next = await super.processJob(job, token, () => !this.#gate.isShared && mayTakeNext());
      keepsPlace = next !== undefined;
      return next;
    } finally {
      if (!keepsPlace) this.#gate.leave(this.#queue);
    }
  }

  protected override async handleCompleted(
    _result: undefined,
    job: QueuedJob,
    token: string,
    mayTakeNext: () => boolean = () => true,
  ): Promise<QueuedJob> {
    const { owner, batch_id = null, lane = null } = job.data;
    const takesNext = mayTakeNext() && !this.closing && !this.paused;
    const lock = { token, durationMs: this.#lockMs };
    const id = job.id as string;
    const taken = await this.#places.finish(this.#queue, sharerOf(owner, batch_id, lane), id, lock, { takesNext });
    return (takesNext ? await this.#accept(taken ? { taken, token } : undefined) : undefined) as QueuedJob;
  }

  /** Skips fetching the next job, which would take a second place. */
  protected override handleFailed(error: Error, job: QueuedJob, token: string): Promise<QueuedJob> {
    return super.handleFailed(error, job, token, () => false);
  }

  async #accept(next: LockedJob | undefined): Promise<QueuedJob | undefined> {
    this.#hasMore = next !== undefined && !next.taken.isLast;
    const job = next ? await this.nextJobFromJobData(jobJson(next.taken.fields), next.taken.id, next.token) : undefined;
    // Without data, it notes that no job waits, so that BullMQ waits before the next fetch.
    if ((!this.#hasMore || this.#gate.isShared) && this.#ready.length === 0) await this.nextJobFromJobData();
    return job;
  }

  protected override createLockManager(): void {
    const { lockDuration, lockRenewTime = lockDuration / 2 } = this.opts as PoolWorkerOptions;
    // As BullMQ does, whose types differ.
    const worker = this as unknown as ConstructorParameters<typeof SteadyLocks>[0];
    this.lockManager = new SteadyLocks(worker, { lockDuration, lockRenewTime, workerId: this.id });
  }

  /** BullMQ's tokens, and these, begin with the worker's id: see `DISOWN`. */
  #newToken(): string {
    this.#tokens += 1;
    return `${this.id}:taken-${this.#tokens}`;
  }

  /** Hands back jobs that this worker will not run. If that fails, their locks expire. */
  #handBackReady(): void {
    for (const { taken, token } of this.#ready.splice(0)) {
      this.#gate.leave(this.#queue);
      this.#places.handBack(this.#queue, taken.id, token, { hasStarted: false }).catch(() => undefined);
    }
  }
}

/** Reads the fields that BullMQ and the platform write. */
function jobJson(fields: Record<string, string>): JobJson {
  return {
    id: '',
    name: fields.name ?? '',
    data: fields.data ?? '{}',
    opts: JSON.parse(fields.opts ?? '{}'),
    progress: 0,
    delay: 0,
    priority: Number(fields.priority ?? 0),
    timestamp: Number(fields.timestamp ?? 0),
    processedOn: Number(fields.processedOn ?? 0),
    attemptsStarted: Number(fields.ats ?? 0),
    attemptsMade: Number(fields.atm ?? 0),
    stalledCounter: Number(fields.stc ?? 0),
    ...(fields.defa !== undefined && { deferredFailure: fields.defa }),
    stacktrace: fields.stacktrace ?? '[]',
    failedReason: '',
    returnvalue: 'null',
  };
}
