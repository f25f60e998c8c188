import type { JobData, Pool } from '@chorus/contract';
import type { RedisConnection } from '@chorus/events';
import { type QueuePlaces, sharerOf, type TakenJob } from '@chorus/executions';
import { type Job, type JobJson, type Processor, Worker, type WorkerOptions } from 'bullmq';

type PoolJob = Job<JobData, void, string>;

interface PoolWorkerOptions extends WorkerOptions {
  connection: RedisConnection;
  lockDuration: number;
  places: QueuePlaces;
}

/** Jobs to take in one step, so that a burst does not cost a round trip each, nor does one worker take all of it. */
const MAX_TAKEN = 8;

interface LockedJob {
  taken: TakenJob;
  token: string;
}

/**
 * A worker that takes and ends jobs in steps of our own: one round trip ends a job, frees its place, and takes the
 * next. It takes several at a time, and knows when it took the last one, so that it waits without looking again.
 */
export class PoolWorker extends Worker<JobData, void, string> {
  readonly #pool: Pool;
  readonly #places: QueuePlaces;
  readonly #lockMs: number;
  /** Jobs that were taken with others. BullMQ's loop asks for them right away. */
  readonly #ready: LockedJob[] = [];
  /** Jobs that BullMQ has, until they have ended. */
  #held = 0;
  #tokens = 0;

  constructor(pool: Pool, process: Processor<JobData, void, string>, { places, ...options }: PoolWorkerOptions) {
    super(pool, process, options);
    this.#pool = pool;
    this.#places = places;
    this.#lockMs = options.lockDuration;
  }

  override close(force?: boolean): Promise<void> {
    const closed = super.close(force);
    this.#handBackReady();
    return closed;
  }

  // BullMQ's types say that there is always a job, although it handles none.
  protected override async moveToActive(token: string): Promise<PoolJob> {
    if (this.#ready.length === 0) {
      const more = Math.min(MAX_TAKEN, this.concurrency - this.#held) - 1;
      const tokens = [token, ...Array.from({ length: Math.max(0, more) }, () => this.#newToken())];
      const jobs = await this.#places.take(this.#pool, this.#lockMs, tokens);
      for (const [at, taken] of jobs.entries()) this.#ready.push({ taken, token: tokens[at] as string });
    }
    const next = this.#ready.shift();
    if (this.closing) this.#handBackReady();
    return (await this.#accept(next)) as PoolJob;
  }

  override async processJob(
    ...args: Parameters<Worker<JobData, void, string>['processJob']>
  ): ReturnType<Worker<JobData, void, string>['processJob']> {
    try {
      return await super.processJob(...args);
    } finally {
      this.#held -= 1;
    }
  }

  protected override async handleCompleted(
    _result: undefined,
    job: PoolJob,
    token: string,
    mayTakeNext: () => boolean = () => true,
  ): Promise<PoolJob> {
    const { owner, batch_id = null } = job.data;
    const takesNext = mayTakeNext() && !this.closing && !this.paused;
    const lock = { token, durationMs: this.#lockMs };
    const id = job.id as string;
    const taken = await this.#places.finish(this.#pool, sharerOf(owner, batch_id), id, lock, { takesNext });
    return (takesNext ? await this.#accept(taken ? { taken, token } : undefined) : undefined) as PoolJob;
  }

  /** Without data, it notes that no job waits. */
  protected override async nextJobFromJobData(data?: JobJson, id?: string, token?: string): Promise<PoolJob> {
    if (!data && this.#ready.length > 0) return undefined as unknown as PoolJob;
    const job = await super.nextJobFromJobData(data, id, token);
    if (job) this.#held += 1;
    return job;
  }

  async #accept(next: LockedJob | undefined): Promise<PoolJob | undefined> {
    if (!next) return this.nextJobFromJobData();
    const { taken, token } = next;
    const job = await this.nextJobFromJobData(jobJson(taken.fields), taken.id, token);
    if (taken.isLast) await this.nextJobFromJobData();
    return job;
  }

  /** BullMQ's tokens, and these, begin with the worker's id: see `DISOWN`. */
  #newToken(): string {
    this.#tokens += 1;
    return `${this.id}:taken-${this.#tokens}`;
  }

  /** Gives back what this worker will not run. Locks that stay expire. */
  #handBackReady(): void {
    for (const { taken, token } of this.#ready.splice(0))
      this.#places.handBack(this.#pool, taken.id, token, { hasStarted: false }).catch(() => undefined);
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
