import { randomInt } from 'node:crypto';
import { callTool, say } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Payload } from '../event-stream.ts';
import type { PlatformProcess } from '../platform-process.ts';
import { SeededRandom } from '../seeded-random.ts';
import { startTraceCollector, type TraceCollector } from '../trace-collector.ts';
import { type Acting, type ActingPlatform, callsIn, resultsIn, startActingPlatform } from './acting-platform.ts';
import { POINTS, StruckRun } from './struck-run.ts';

const SOAK = process.env.CHORUS_SOAK === '1';
const SEED = Number(process.env.CHAOS_SEED ?? randomInt(1_000_000_000));

/** The soak has 200 runs, some of which lose their worker at a random moment. */
const ROUNDS = SOAK ? 8 : 1;
const RACING = SOAK ? 25 - POINTS.length : 4;

let platform: ActingPlatform;
let collector: TraceCollector;
let worker: PlatformProcess;
let runs = 0;

beforeAll(async () => {
  collector = await startTraceCollector();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    TRACE_URL_TEMPLATE: 'https://traces.example.org/{trace_id}',
  };
  platform = await startActingPlatform({ apis: 2, textWorkers: 0, maintenance: 1, env });
  worker = await platform.startTextWorker();
});
afterAll(async () => {
  await platform?.stop();
  await collector?.close();
});
beforeEach(() => platform.showLogsOnFailure());

async function replaceWorker(): Promise<void> {
  await worker.end('SIGKILL');
  worker = await platform.startTextWorker();
}

describe('a worker that is killed', { timeout: SOAK ? 900_000 : 120_000 }, () => {
  const newRun = (holds: ConstructorParameters<typeof StruckRun>[2] = []) => {
    runs += 1;
    return new StruckRun(platform, runs, holds);
  };

  /** Resolves after `times` calls and requests in all these runs together. */
  function happened(all: StruckRun[], times: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const run of all)
      run.onHappened = () => {
        if (all.reduce((sum, one) => sum + one.happened, 0) >= times) resolve();
      };
    return promise;
  }

  it('before, during, or after any step repeats nothing that writes', async () => {
    process.stdout.write(`agents: CHAOS_SEED=${SEED}\n`);
    const random = new SeededRandom(SEED);
    const jobs: Payload[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const held = POINTS.map((point) => newRun([point]));
      const racing = Array.from({ length: RACING }, () => newRun());
      await Promise.all(held.map((run) => run.start()));
      await Promise.all(held.map((run) => run.held()));
      const moment = happened(racing, random.between(2, RACING * 10));
      await Promise.all([moment, ...racing.map((run) => run.start())]);
      const replaced = replaceWorker();
      for (const run of held) run.release();
      await replaced;
      const ended = await Promise.all([...held, ...racing].map((run) => run.check()));
      expect(ended.slice(0, held.length).every(({ attempt }) => attempt === 2)).toBe(true);
      jobs.push(...ended);
    }
    const unknown = jobs.flatMap(callsIn).filter(({ status }) => status === 'unknown');
    const lost = jobs.filter(({ attempt }) => attempt > 1);
    process.stdout.write(`agents: ${jobs.length} runs, ${lost.length} taken over, ${unknown.length} calls unknown\n`);
    expect(unknown.length).toBeGreaterThanOrEqual(2 * ROUNDS);
  });

  // Its fast form is in takeover.test.ts of the text worker.
  it.runIf(SOAK)('in each step of a run does not end it', async () => {
    const run = newRun([
      { step: 0, at: 'order' },
      { step: 1, at: 'reserve' },
      { step: 2, at: 'mail' },
      { step: 3, at: 'half said' },
      { step: 4, at: 'asked' },
    ]);
    await run.start();
    for (let kills = 0; kills < 5; kills += 1) {
      await run.held();
      const replaced = replaceWorker();
      run.release();
      await replaced;
    }
    expect(await run.check()).toMatchObject({ attempt: 6 });
  });
});

/** Starts a run that calls a tool and then answers. `seen` is the last results that the model saw. */
async function callOnce(name: string, { onCall, approval = 'never' }: Pick<Acting, 'onCall'> & { approval?: string }) {
  runs += 1;
  const n = runs;
  const run = { n, id: '', seen: [] as string[] };
  const model: Acting['model'] = (step, body) => {
    run.seen = resultsIn(body);
    return { pieces: step === 0 ? callTool(name, { n }) : say('Done.') };
  };
  run.id = await platform.act(n, { model, ...(onCall && { onCall }) }, { approval });
  return run;
}

const received = (n: number) => [...platform.api.calls, ...platform.mcp.calls].filter((call) => call.n === n);

/** Decides on the only call of a run that waits. */
async function decide(id: string, decision: object): Promise<void> {
  const { required_action } = await platform.client.waitForJob(id, ['requires_action']);
  const { tool_call_id } = required_action.tool_calls[0];
  const { status } = await platform.client.post(`/jobs/${id}/actions`, { tool_call_id, ...decision });
  expect(status).toBe(200);
}

it('a call waits for approval while all processes restart', { timeout: 120_000 }, async () => {
  const { id, n } = await callOnce('mail', { approval: 'writes' });
  await platform.client.waitForJob(id, ['requires_action']);
  for (const process of [...platform.maintenance, platform.apis[1]]) await process?.end('SIGKILL');
  await Promise.all([replaceWorker(), platform.startMaintenance()]);
  expect(received(n)).toEqual([]);
  await decide(id, { decision: 'approve' });
  expect(await platform.client.waitForJob(id)).toMatchObject({ status: 'succeeded' });
  expect(received(n)).toHaveLength(1);
});

it('one trace covers the request, the queue, the models, and the tools, without content', async () => {
  const run = await callOnce('order', {});
  const job = await platform.client.waitForJob(run.id);
  const [, traceId = ''] = /^https:\/\/traces\.example\.org\/([0-9a-f]{32})$/.exec(job.urls.trace) ?? [];
  const named = (name: string) => collector.spansOf(traceId).filter((span) => span.name === name);
  const MODEL = 'chat words-1@acting';
  await expect
    .poll(() => [
      named('POST /api/v1/chat/completions').length,
      named(MODEL).length,
      named('process chat.completion').length,
    ])
    .toEqual([1, 2, 1]);
  const [request] = named('POST /api/v1/chat/completions');
  const [attempt] = named('process chat.completion');
  const [tool] = named('execute_tool order');
  const steps = [request, attempt, tool, ...named(MODEL)];
  expect(steps.map((span) => [span?.service, span?.kind, span?.status, span?.parentSpanId])).toEqual([
    ['chorus-api', 2, 0, undefined],
    ['chorus-worker-text', 5, 0, request?.spanId],
    ['chorus-worker-text', 1, 0, attempt?.spanId],
    ['chorus-worker-text', 3, 0, attempt?.spanId],
    ['chorus-worker-text', 3, 0, attempt?.spanId],
  ]);
  expect(request?.attributes).toMatchObject({
    'http.route': '/api/v1/chat/completions',
    'chorus.execution.id': run.id,
  });
  expect(attempt?.attributes).toMatchObject({ 'messaging.destination.name': 'text', 'chorus.execution.id': run.id });
  expect(tool?.attributes).toMatchObject({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'order' });
  expect(named(MODEL)[0]?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'compatible',
    'gen_ai.request.model': 'words-1@acting',
    'gen_ai.usage.input_tokens': expect.any(Number),
  });
  const sent = JSON.stringify(collector.spansOf(traceId));
  for (const content of [`Run ${run.n}.`, 'Done.', `"n":${run.n}`]) expect(sent).not.toContain(content);
});

it('a request continues the trace of its client only with a valid credential', async () => {
  const [traceId, spanId] = [`${'1'.repeat(31)}a`, '2'.repeat(16)];
  const headers = { traceparent: `00-${traceId}-${spanId}-01` };
  const statuses = [];
  const credentials: Record<string, string>[] = [{ authorization: 'Bearer chorus_unknown' }, {}];
  for (const more of credentials)
    statuses.push((await platform.client.get('/models', { headers: { ...headers, ...more } })).status);
  expect(statuses).toEqual([401, 200]);
  // They are sent in this order.
  await expect.poll(() => collector.spansOf(traceId).length).toBeGreaterThan(0);
  expect(collector.spansOf(traceId)).toMatchObject([{ name: 'GET /api/v1/models', parentSpanId: spanId }]);
  expect(collector.spansOf(traceId)[0]?.attributes['http.response.status_code']).toBe(200);
});

it('a denied call does not run, and the model sees the reason', async () => {
  const run = await callOnce('order', { approval: 'writes' });
  await decide(run.id, { decision: 'deny', reason: 'Out of budget.' });
  const job = await platform.client.waitForJob(run.id);
  expect(callsIn(job)).toMatchObject([{ name: 'order', status: 'denied', result: 'Out of budget.' }]);
  expect(run.seen.join()).toContain('Out of budget.');
  expect(received(run.n)).toEqual([]);
});

it.each(['mail', 'order'])('cancelling closes the connection of a call that runs: %s', async (name) => {
  const called = Promise.withResolvers<AbortSignal>();
  const answers = Promise.withResolvers<undefined>();
  const onCall: Acting['onCall'] = ({ left }) => {
    called.resolve(left);
    return answers.promise;
  };
  const { id, n } = await callOnce(name, { onCall });
  const left = await called.promise;
  expect(left.aborted).toBe(false);
  await platform.client.post(`/jobs/${id}/cancel`);
  await expect.poll(() => left.aborted).toBe(true);
  expect(await platform.client.waitForJob(id)).toMatchObject({ status: 'cancelled' });
  answers.resolve(undefined);
  expect(received(n)).toHaveLength(1);
});
