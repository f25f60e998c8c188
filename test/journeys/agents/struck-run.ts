import { callTool, type FakePiece, say } from '@chorus/testing';
import { expect } from 'vitest';
import type { Payload } from '../event-stream.ts';
import { poll } from '../poll.ts';
import { Transcript, textOf } from '../transcript.ts';
import { type Acting, type ActingPlatform, type BeginTurn, callsIn, resultsIn } from './acting-platform.ts';

/** The calls of each step, each to another tool. `order` and `mail` are not idempotent. */
export const STEPS = [['stock', 'order'], ['reserve'], ['read', 'mail'], ['label']] as const;
const CALLS = STEPS.flat();
const WRITES: ReadonlySet<string> = new Set(['order', 'mail']);

/** Where a run is held until its worker is killed: before, during, or after a step. */
export type Point = 'asked' | 'half said' | (typeof CALLS)[number];
export interface HeldAt {
  step: number;
  at: Point;
}

export const POINTS: HeldAt[] = [...STEPS, []].flatMap((names, step) =>
  (['asked', 'half said', ...names] as const).map((at) => ({ step, at })),
);

/** A run with an API and an MCP server, which can be held at points. */
export class StruckRun {
  readonly n: number;
  readonly #platform: ActingPlatform;
  readonly #holds: HeldAt[];
  #step = 0;
  #isHeld = false;
  #release = Promise.withResolvers<void>();
  /** Calls and requests to the model so far. */
  happened = 0;
  onHappened: () => void = () => undefined;
  #lastResults: string[] = [];
  id = '';

  constructor(platform: ActingPlatform, n: number, holds: readonly HeldAt[] = []) {
    this.#platform = platform;
    this.n = n;
    this.#holds = [...holds];
  }

  async start(begin?: BeginTurn): Promise<void> {
    const acting: Acting = {
      model: (step, body) => {
        this.#step = step;
        this.#note();
        this.#lastResults = resultsIn(body);
        const pieces = this.#answer(step);
        if (this.#takeHold('asked')) return { ending: 'hang', after: 0 };
        return this.#takeHold('half said') ? { pieces, ending: 'hang', after: 1 } : { pieces };
      },
      onCall: async ({ name }) => {
        this.#note();
        if (this.#takeHold(name as Point)) await this.#release.promise;
        return undefined;
      },
    };
    this.id = await this.#platform.act(this.n, acting, {}, begin);
  }

  /** Waits until the run is held at its next point. A provider may be silent for a minute. */
  async held(): Promise<void> {
    await poll(`run ${this.n} (${this.id}) is held`, () => this.#isHeld, 50_000);
  }

  /** Call this once the worker is dead. */
  release(): void {
    this.#isHeld = false;
    this.#release.resolve();
    this.#release = Promise.withResolvers();
  }

  /** Waits for the end, and compares the calls with those counted by the servers and shown to the user. */
  async check(): Promise<Payload> {
    const { client } = this.#platform;
    const job = await client.waitForJob(this.id, undefined, 120_000);
    const about = `run ${this.n} (${this.id}): ${JSON.stringify(job.error)}`;
    expect(job.status, about).toBe('succeeded');
    expect(textOf(job), about).toBe([...STEPS.map((_, step) => `Step ${step}.`), 'Done.'].join('\n\n'));
    const calls = callsIn(job);
    expect(
      calls.map(({ name }) => name),
      about,
    ).toEqual(CALLS);
    for (const [at, { name, step, status, result }] of calls.entries()) {
      const what = `${about}, ${name} of step ${step}`;
      const seen = this.#lastResults[at] ?? '';
      const received = this.#received(name);
      expect(status, what).toMatch(WRITES.has(name) ? /^(succeeded|unknown)$/ : /^succeeded$/);
      if (status === 'unknown') expect(seen, what).toContain('It is unknown whether it had its effect');
      else expect(seen, what).toContain(result);
      expect(received, what).toBeGreaterThanOrEqual(status === 'succeeded' ? 1 : 0);
    }
    for (const name of ['reserve', 'label']) {
      const keys = new Set(this.#all(name).map(({ key }) => key));
      expect([...keys], `${about}, ${name}`).toEqual([expect.stringContaining(this.id)]);
    }
    const shown = await poll(`the log of ${this.id} ends`, async () =>
      Transcript.of(await (await client.events(this.id, 0)).frames()),
    );
    expect(shown.text, about).toBe(textOf(job));
    return job;
  }

  /** Returns how often a tool was called. A call that is not idempotent never runs twice. */
  #received(name: string): number {
    const received = this.#all(name).length;
    if (WRITES.has(name)) expect(received, `${name} of run ${this.n}`).toBeLessThanOrEqual(1);
    return received;
  }

  #all(tool: string) {
    const all = [...this.#platform.api.calls, ...this.#platform.mcp.calls];
    return all.filter(({ n, name }) => n === this.n && name === tool);
  }

  #answer(step: number): FakePiece[] {
    const names = STEPS[step];
    if (names === undefined) return say('Done.');
    return [...say(`Step ${step}.`), ...names.flatMap((name, at) => callTool(name, { n: this.n }, at))];
  }

  #takeHold(at: Point): boolean {
    const [next] = this.#holds;
    if (next === undefined || next.step !== this.#step || next.at !== at) return false;
    this.#holds.shift();
    this.#isHeld = true;
    return true;
  }

  #note(): void {
    this.happened += 1;
    this.onHappened();
  }
}
