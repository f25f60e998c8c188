import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../apps/api/src/test-server.ts';
import { type ChorusClient, createClient, type FeedFrame, type StreamFrame, toolCallsOf } from './index.ts';
import { startTestProxy, type TestProxy } from './test-proxy.ts';

let server: TestServer;
let proxy: TestProxy;
/** Connects through a network that can fail. */
let client: ChorusClient;
beforeAll(async () => {
  server = await startTestServer();
  proxy = await startTestProxy(server.url);
  client = createClient({ baseUrl: proxy.url, token: server.accessToken });
});
afterAll(async () => {
  proxy?.stop();
  await server?.stop();
});

const counted = (to: number) => Array.from({ length: to }, (_, index) => `${index + 1} `).join('');

/** Summarizes frames, and checks that none is repeated and that the end is last. */
function transcript(frames: StreamFrame[]): string {
  const seqs = frames.map(({ seq }) => seq);
  expect(seqs).toEqual([...new Set(seqs)].sort((one, other) => one - other));
  expect(frames.filter((frame) => 'execution' in frame)).toEqual([frames.at(-1)]);
  return frames.reduce((text, frame) => {
    if (frame.type === 'text.reset') return '';
    return frame.type === 'text.delta' ? text + frame.delta : text;
  }, '');
}

test('is queued while it waits for its provider, until anything else happens', async () => {
  const waiting = { reason: 'away', provider: 'openai', until: null } as const;
  const events = [
    { type: 'execution.waiting', ...waiting },
    { type: 'text.delta', index: 0, delta: 'Hi' },
  ];
  const stream = client.chat.stream({ message: `emit ${JSON.stringify(events)}` });
  const seen = [];
  for await (const { type } of stream) seen.push([type, stream.progress.status, stream.progress.waitingFor]);
  expect(seen.slice(2, 4)).toEqual([
    ['execution.waiting', 'queued', waiting],
    ['text.delta', 'running', null],
  ]);
});

test('yields every frame once, and the end', async () => {
  const stream = client.chat.stream({ message: 'count 5' });
  const frames = await Array.fromAsync(stream);
  expect(frames.map(({ type }) => type).slice(0, 2)).toEqual(['execution.queued', 'execution.started']);
  expect(transcript(frames)).toBe(counted(5));
  expect(stream.progress).toMatchObject({
    status: 'succeeded',
    text: counted(5),
    executionId: frames[0]?.execution_id,
  });
  expect(await stream.done()).toEqual(stream.progress.execution);
  await expect(Array.fromAsync(stream)).rejects.toThrow('read once');
});

test('completes a stream that is repeatedly interrupted within frames', async () => {
  const before = server.turns;
  // Less than the headers and the last frame need, so that each of these connections is interrupted.
  proxy.cutAfter(1_500, 3);
  const states: string[] = [];
  const stream = client.chat.stream({ message: 'count 120' }, { onConnection: (state) => states.push(state) });
  const frames = await Array.fromAsync(stream).finally(() => proxy.cutAfter(null));
  expect(transcript(frames)).toBe(counted(120));
  expect(states.filter((state) => state === 'open')).toHaveLength(4);
  expect(states.at(-1)).toBe('open');
  expect(server.turns).toBe(before + 1);
});

test('starts nothing twice if a response is lost before its first byte', async () => {
  const before = server.turns;
  proxy.cutAfter(0);
  const patient = client.with({ attempts: 20 });
  const sending = patient.chat.send({ message: 'count 4' });
  const streaming = patient.chat.stream({ message: 'count 4' }).done();
  await expect.poll(() => server.turns).toBe(before + 2);
  proxy.cutAfter(null);
  const executions = await Promise.all([sending, streaming]);
  for (const execution of executions)
    expect(execution).toMatchObject({ status: 'succeeded', output: [{ type: 'text', text: counted(4) }] });
  expect(server.turns).toBe(before + 2);
});

test('adds up reasoning, refusals and tool calls, and drops them when the answer starts over', async () => {
  const call = (call: number, args: string, first?: true) => ({
    ...{ type: 'tool_call.delta', index: call + 1, call, id: `call_${call}`, name: 'look', first },
    arguments_delta: args,
  });
  const events = [
    { type: 'reasoning.delta', index: 0, delta: 'wrong' },
    call(0, '{"gone"', true),
    { type: 'text.reset', reason: 'provider_failed' },
    { type: 'reasoning.delta', index: 0, delta: 'Hm' },
    { type: 'reasoning.delta', index: 0, delta: '.' },
    call(0, '', true),
    call(1, '{}', true),
    call(0, '{"a":1}'),
    { type: 'refusal.delta', index: 3, delta: 'No.' },
  ];
  const stream = client.chat.stream({ message: `emit ${JSON.stringify(events)}` });
  const states = await Array.fromAsync(stream.states());
  const expected = {
    reasoning: 'Hm.',
    refusal: 'No.',
    toolCalls: [
      { id: 'call_0', name: 'look', arguments: '{"a":1}' },
      { id: 'call_1', name: 'look', arguments: '{}' },
    ],
  };
  const [before, end] = states.slice(-2);
  expect(before).toMatchObject({ ...expected, status: 'running' });
  expect(end).toMatchObject({ ...expected, status: 'succeeded', text: '' });
  const reset = states.find(({ reasoning, status }) => reasoning === '' && status === 'running');
  expect(reset).toMatchObject({ reasoning: '', toolCalls: [] });
  if (end?.execution == null) throw new Error('it has not ended');
  expect(toolCallsOf(end.execution)).toEqual(expected.toolCalls);
});

test('discards the text so far when the answer starts over', async () => {
  const stream = client.chat.stream({ messages: [{ role: 'user', content: 'count 2' }] });
  const said = await Array.fromAsync(stream.text());
  expect(said.at(-1)?.text).toBe(counted(2));
  const reset = await Array.fromAsync(client.chat.stream({ message: 'restart 6' }).text());
  const at = reset.findIndex((one) => one.reset);
  expect(reset[at]).toEqual({ text: '', delta: '', reset: true });
  expect(reset[at - 1]?.text).toBe('1 2 3 ');
  expect(reset.at(-1)?.text).toBe('4 5 6 ');
});

test('resumes watching after a known frame, even after the end', async () => {
  const frames = await Array.fromAsync(client.chat.stream({ message: 'count 8' }));
  const { execution_id: id, seq } = frames[4] as StreamFrame;
  const rest = await Array.fromAsync(client.jobs.watch(id, { after: seq }));
  expect(rest.map((frame) => frame.seq)).toEqual(frames.slice(5).map((frame) => frame.seq));
  expect(rest.at(-1)).toEqual(frames.at(-1));
  expect(await Array.fromAsync(client.jobs.watch(id, { after: frames.at(-1)?.seq }))).toEqual([]);
  await expect(client.jobs.watch('job_01h455vb4pex5vsknk084sn02q').done()).rejects.toMatchObject({ code: 'not_found' });
});

test('cancels a running execution and reports that in the stream', async () => {
  const stream = client.chat.stream({ message: 'hold' });
  for await (const frame of stream) if (frame.type === 'text.delta') await stream.cancel();
  expect(stream.progress.execution).toMatchObject({ status: 'cancelled', output: [{ text: '1 ' }] });
});

test('only stops reading on abort', async () => {
  const controller = new AbortController();
  const stream = client.chat.stream({ message: 'hold' }, { signal: controller.signal });
  const reading = (async () => {
    for await (const frame of stream) if (frame.type === 'text.delta') controller.abort(new Error('enough'));
  })();
  await expect(reading).rejects.toThrow('enough');
  const { executionId } = stream;
  expect(await client.jobs.get(executionId ?? '')).toMatchObject({ status: 'running' });
  server.release();
  expect(await client.jobs.wait(executionId ?? '')).toMatchObject({ status: 'succeeded' });
});

test('gives up on a server that stays unreachable, and does not retry a refusal', async () => {
  const impatient = client.with({ streamGiveUpMs: 300 });
  const stream = impatient.chat.stream({ message: 'count 300' });
  const reading = (async () => {
    for await (const frame of stream) {
      if (frame.type !== 'text.delta') continue;
      proxy.refuse(true);
      proxy.cut();
    }
  })();
  await expect(reading).rejects.toMatchObject({ code: 'connection_lost' });
  proxy.refuse(false);
  await client.jobs.cancel(stream.executionId ?? '');
  await client.jobs.wait(stream.executionId ?? '');
  const before = proxy.connections;
  await expect(
    client
      .with({ token: 'none' })
      .jobs.watch(stream.executionId ?? '')
      .done(),
  ).rejects.toMatchObject({
    status: 401,
  });
  expect(proxy.connections).toBeLessThanOrEqual(before + 1);
});

test('treats a silent stream as lost', async () => {
  const waiting = client.with({ streamIdleMs: 2_000, streamGiveUpMs: 30_000 });
  const states: string[] = [];
  const controller = new AbortController();
  const events = waiting.events.watch({
    signal: controller.signal,
    onConnection: (state) => {
      states.push(state);
      if (states.filter((one) => one === 'waiting').length === 2) controller.abort(new Error('enough'));
    },
  });
  const seen: FeedFrame[] = [];
  const reading = (async () => {
    for await (const { event } of events) seen.push(event);
  })();
  await expect(reading).rejects.toThrow('enough');
  // Ends from the previous test may appear here, but no `events.lost`.
  const own = seen.map(({ type }) => type).filter((type) => type.startsWith('events.'));
  expect(own).toEqual(['events.opened']);
});

test('continues the event feed across lost connections', async () => {
  const ended: string[] = [];
  let executionId = '';
  for await (const { event } of client.events.watch()) {
    // Long enough to be reported as running.
    if (event.type === 'events.opened') executionId = (await client.chat.start({ message: 'count 40' })).id;
    if (event.type === 'execution.started' && event.execution_id === executionId) proxy.cut();
    if (!('execution_id' in event) || event.execution_id !== executionId) continue;
    ended.push(event.type);
    if (event.type === 'execution.succeeded') break;
  }
  expect(ended).toEqual(['execution.queued', 'execution.started', 'execution.succeeded']);
});
