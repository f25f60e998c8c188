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

/**
 * A worker that takes and ends jobs in steps of our own: one round trip ends a job, frees its place, and takes the
 * next. It knows when it took the last job, and then waits without looking again.
 */
export class PoolWorker extends Worker<JobData, void, string> {
  readonly #pool: Pool;
  readonly #places: QueuePlaces;
  readonly #lockMs: number;

  constructor(pool: Pool, process: Processor<JobData, void, string>, { places, ...options }: PoolWorkerOptions) {
    super(pool, process, options);
    this.#pool = pool;
    this.#places = places;
    this.#lockMs = options.lockDuration;
  }

  // BullMQ's types say that there is always a job, although it handles none.
  protected override async moveToActive(token: string): Promise<PoolJob> {
    const taken = await this.#places.take(this.#pool, { token, durationMs: this.#lockMs });
    return (await this.#accept(taken, token)) as PoolJob;
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
    return (takesNext ? await this.#accept(taken, token) : undefined) as PoolJob;
  }

  async #accept(taken: TakenJob | null, token: string): Promise<PoolJob | undefined> {
    const job = taken ? await this.nextJobFromJobData(jobJson(taken.fields), taken.id, token) : undefined;
    // Without data, it notes that no job waits.
    if (!taken || taken.isLast) await this.nextJobFromJobData();
    return job;
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
