import type { TellFeed } from '@chorus/contract';
import type { BatchRecord, Database, ExecutionStanding } from '@chorus/database';
import { fromRedis, type RedisConnection } from '@chorus/events';
import type { Logger } from '@chorus/log';
import type { Dispatcher } from '@chorus/queue';
import { BatchChanged, BatchRunner, type RunnerParts } from './batch-runner.ts';
import { FeedInTurn, type FeedLimits } from './feed-in-turn.ts';
import { isAway } from './is-away.ts';
import { Leadership, NotLeading } from './leadership.ts';
import type { Planner } from './plan-item.ts';
import { sideBySide } from './side-by-side.ts';
import { removeBatch } from './stage-batch.ts';

/** Rounds follow each other as closely as this while there is something to do; else nothing is looked at for the longer time. */
const ROUND_MS = 15;
const IDLE_MS = 1_000;

/** After a failure nothing is tried for so long, in milliseconds. */
const AGAIN_MS = 250;

/** How often running batches are looked for, how their executions stand, and how far they are is stored. */
const REFRESH_MS = 1_000;
const LOOK_MS = 1_000;
const NOTE_MS = 200;

/** How often a scope's feed is told how far a batch is. */
const TELL_MS = 1_000;

/** How often what was never finished being made is looked for, and how long it may have been silent. */
const SWEEP_MS = 60_000;
const SILENT_MS = 900_000;

/** How long a batch that something is wrong with is left alone, in milliseconds. */
const ILL_MS = 60_000;

const CLOSE_WITHIN_MS = 5_000;

/** Records looked at in one round trip. */
const PAGE = 500;

/** Batches of one user that are fed at once; the others wait, their items in the store. */
const OF_A_USER = 8;

export interface FeederParts {
  database: Pick<Database, 'batches' | 'batchItems' | 'executions'>;
  dispatcher: Pick<Dispatcher, 'dispatchMany' | 'cancel' | 'pressure'>;
  redis: RedisConnection;
  planner: Planner;
  limits: FeedLimits;
  /** Tells the feed of a scope how far its batches are. */
  tellFeed: TellFeed;
  /** Told of each batch that has ended, until it returns. */
  tell: (batch: BatchRecord) => Promise<void>;
  log: Logger;
}

/** What is done now and then. */
type Errand = 'refresh' | 'look' | 'note' | 'tell' | 'sweep';

/**
 * Feeds batches to the workers: never more than a window for each user, users in turn, below the queues' limits. Of all processes with a feeder one feeds; another
 * takes over within seconds when it dies.
 */
export class Feeder {
  readonly #parts: FeederParts;
  readonly #leadership: Leadership;
  readonly #runnerParts: RunnerParts;
  readonly #runners = new Map<string, BatchRunner>();
  /** Batches that something is wrong with, until when they are left alone. */
  readonly #ill = new Map<string, number>();
  readonly #due: Record<Errand, number> = { refresh: 0, look: 0, note: 0, tell: 0, sweep: 0 };
  #closing = false;
  #wake: () => void = () => undefined;
  #awake = false;
  readonly #meals: FeedInTurn;
  readonly #loop: Promise<void>;

  constructor(parts: FeederParts) {
    this.#parts = parts;
    this.#leadership = new Leadership(parts.redis, 'batches');
    this.#runnerParts = {
      ...parts,
      mayChange: () => {
        if (!this.#leadership.held) throw new NotLeading();
      },
    };
    this.#meals = new FeedInTurn(parts.dispatcher, parts.limits);
    this.#loop = this.#run();
  }

  /** Something has ended, or `changed`: a batch was made, cancelled, or is to run again. */
  wake(changed = false): void {
    if (changed) this.#due.refresh = 0;
    this.#awake = true;
    this.#wake();
  }

  /** Ends after the round that runs, or 5 s when that waits for a Redis that is away; another process feeds then. */
  async close(): Promise<void> {
    this.#closing = true;
    this.wake();
    await fromRedis(this.#loop, CLOSE_WITHIN_MS).catch(() => undefined);
    await this.#leadership.release().catch(() => undefined);
  }

  async #run(): Promise<void> {
    while (!this.#closing) {
      this.#awake = false;
      await this.#pause(await this.#round().catch((error) => this.#failed(error)));
    }
  }

  /** Waits; less when it is woken, but never so little that rounds crowd. */
  async #pause(ms: number): Promise<void> {
    if (this.#closing) return;
    await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
    if (ms <= ROUND_MS || this.#awake || this.#closing) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms - ROUND_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => undefined;
  }

  #failed(error: unknown): number {
    // What memory says may not be what is stored: it is read anew.
    this.#runners.clear();
    this.#due.refresh = 0;
    if (!(error instanceof NotLeading)) {
      this.#parts.log.warn({ err: error }, 'feeding batches failed; the next round tries again');
    }
    return AGAIN_MS;
  }

  /** Answers how long nothing needs to be done unless something happens, in milliseconds. */
  async #round(): Promise<number> {
    if (!(await this.#leadership.ask())) {
      this.#runners.clear();
      this.#due.refresh = 0;
      return IDLE_MS;
    }
    if (this.#isDue('refresh', REFRESH_MS)) await this.#refresh();
    await this.#noteEnds();
    if (this.#isDue('look', LOOK_MS)) await this.#each((runner) => runner.look());
    const fed = await this.#meals.feed([...this.#runners.values()], (runner, step) => this.#each(step, [runner]));
    if (this.#isDue('note', NOTE_MS)) await this.#each((runner) => runner.noteProgress());
    if (this.#isDue('tell', TELL_MS)) this.#tellProgress();
    await this.#each((runner) => this.#finish(runner));
    if (this.#isDue('sweep', SWEEP_MS)) await this.#sweep();
    if (fed > 0) return ROUND_MS;
    return [...this.#runners.values()].some((runner) => runner.hasNews) ? NOTE_MS : IDLE_MS;
  }

  #isDue(what: Errand, everyMs: number): boolean {
    const now = performance.now();
    if (now < this.#due[what]) return false;
    this.#due[what] = now + everyMs;
    return true;
  }

  /** Does something for each batch. One that it fails for does not keep it from the others. */
  async #each(step: (runner: BatchRunner) => Promise<void>, runners = [...this.#runners.values()]): Promise<void> {
    await sideBySide(runners, (runner) => this.#guarded(runner.batch.id, () => step(runner)));
  }

  async #guarded(batch_id: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (err) {
      if (isAway(err)) throw err;
      this.#runners.delete(batch_id);
      this.#due.refresh = 0;
      if (err instanceof BatchChanged) {
        this.#parts.log.warn({ batch_id }, 'the batch was changed by another process: read anew');
      } else {
        this.#parts.log.error({ err, batch_id }, 'feeding this batch failed; it is left alone for a while');
        this.#ill.set(batch_id, performance.now() + ILL_MS);
      }
    }
  }

  /** Finds batches that run, and what was wished for those that are known. */
  async #refresh(): Promise<void> {
    const found = new Set<string>();
    const ofUser = new Map<string, number>();
    for (let after: string | undefined; ; ) {
      const page = await this.#parts.database.batches.listUnfinished({ limit: PAGE, after });
      for (const batch of page) {
        found.add(batch.id);
        const user = batch.owner.user_id;
        const fed = (ofUser.get(user) ?? 0) + 1;
        ofUser.set(user, fed);
        const known = this.#runners.get(batch.id);
        if (known && !batch.retry_pending) known.batch = batch;
        else if (this.#isWell(batch.id) && (fed <= OF_A_USER || batch.started_at !== null))
          await this.#guarded(batch.id, async () => {
            this.#runners.set(batch.id, await BatchRunner.open(this.#runnerParts, batch));
          });
      }
      after = page.at(-1)?.id;
      if (page.length < PAGE) break;
    }
    for (const id of this.#runners.keys()) if (!found.has(id)) this.#runners.delete(id);
    const cancelling = [...this.#runners.values()].filter(({ batch }) => batch.status === 'cancelling');
    await this.#each((runner) => runner.cancel(), cancelling);
    for (const batch of await this.#parts.database.batches.listUntold(PAGE)) await this.#tell(batch);
  }

  #isWell(id: string): boolean {
    const until = this.#ill.get(id);
    if (until !== undefined && until > performance.now()) return false;
    this.#ill.delete(id);
    return true;
  }

  /** Takes note of executions that have ended, those of all batches in one look. */
  async #noteEnds(): Promise<void> {
    const { executions } = this.#parts.database;
    for (;;) {
      const page = await executions.listBatchesDue(PAGE);
      if (page.length === 0) return;
      const ofBatch = Map.groupBy(page, ({ batch_id }) => batch_id as string);
      const strangers = [...ofBatch.keys()].filter((id) => !this.#runners.has(id));
      if (strangers.length > 0) await this.#refresh(); // one that was fed by another process until now
      const noted: string[] = [];
      await this.#each(
        async (runner) => {
          const standings = ofBatch.get(runner.batch.id) as ExecutionStanding[];
          await runner.noteEnds(standings);
          noted.push(...standings.map(({ id }) => id));
        },
        [...ofBatch.keys()].flatMap((id) => this.#runners.get(id) ?? []),
      );
      // Of batches that have ended, or are gone, nobody waits.
      for (const id of strangers) {
        if (!this.#runners.has(id)) noted.push(...(ofBatch.get(id) ?? []).map((standing) => standing.id));
      }
      await executions.noteBatches(noted);
      if (page.length < PAGE || noted.length === 0) return;
    }
  }

  async #finish(runner: BatchRunner): Promise<void> {
    if (!runner.ended) return;
    const ended = await runner.finish();
    this.#runners.delete(runner.batch.id);
    if (ended) await this.#tell(ended);
    else this.#due.refresh = 0; // somebody wishes something else of it
  }

  #tellProgress(): void {
    for (const runner of this.#runners.values()) {
      const counts = runner.untoldCounts();
      if (counts && !runner.ended) this.#tellFeed({ ...runner.batch, counts }, 'batch.progress');
    }
  }

  #tellFeed(
    { id, owner, status, counts }: BatchRecord,
    type: 'batch.progress' | 'batch.completed' | 'batch.cancelled',
  ): void {
    this.#parts.tellFeed(owner, { type, batch_id: id, status, counts });
  }

  /** What can't be told now is told by a later round. */
  async #tell(batch: BatchRecord): Promise<void> {
    const { tell, database, log } = this.#parts;
    try {
      await tell(batch);
      await database.batches.noteTold(batch.id, batch.retries);
      this.#tellFeed(batch, batch.status === 'cancelled' ? 'batch.cancelled' : 'batch.completed');
      log.info(
        { batch_id: batch.id, request_id: batch.request_id, status: batch.status, ...batch.counts },
        'batch ended',
      );
    } catch (err) {
      log.warn({ err, batch_id: batch.id }, 'the end of a batch could not be told; a later round tries again');
    }
  }

  /** Removes what was never finished being made: the process that made it died, or its client went away. */
  async #sweep(): Promise<void> {
    const { database, log } = this.#parts;
    const abandoned = await database.batches.listAbandoned(new Date(Date.now() - SILENT_MS), PAGE);
    for (const id of abandoned) await removeBatch(database, id);
    if (abandoned.length > 0) log.info({ batches: abandoned.length }, 'batches removed that were never made whole');
  }
}
