import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { createLogger } from '@chorus/runtime/log';
import { temporaryFolder } from '@chorus/testing';
import { expect, test } from 'vitest';
import { openGate } from '../call-gate.ts';
import { NO_OBSERVER } from '../call-observer.ts';
import { CallStatus } from '../call-status.ts';
import { closers } from '../test-providers.ts';
import { BatchHttp } from './batch-http.ts';
import { openaiBatches } from './openai-batches.ts';
import { stageBatches } from './stage-batches.ts';
import { options } from './test-batches.ts';

const MB = 1_000_000;

const inspector = new Session();
inspector.connect();

/** Returns the memory that is in use. */
async function usedBytes(): Promise<number> {
  await inspector.post('HeapProfiler.collectGarbage');
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Starts a server that drops uploads and sends a large file of results, without keeping either. */
async function startLargeServer(results: number) {
  const seen = { uploaded: 0, mostUsed: 0 };
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      for await (const chunk of request) {
        const before = Math.floor(seen.uploaded / (20 * MB));
        seen.uploaded += (chunk as Buffer).length;
        if (Math.floor(seen.uploaded / (20 * MB)) > before) seen.mostUsed = Math.max(seen.mostUsed, await usedBytes());
      }
      response.end(JSON.stringify({ id: 'file-1', status: 'validating' }));
    } else if (request.url?.endsWith('/content')) {
      const body = { text: 'x'.repeat(100_000) };
      for (let index = 0; index < results; index += 1) {
        const line = { custom_id: `job_${index}`, response: { status_code: 200, body } };
        if (!response.write(`${JSON.stringify(line)}\n`))
          await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end();
    } else response.end(JSON.stringify({ id: 'b', status: 'completed', output_file_id: 'file-2' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  const { port } = server.address() as { port: number };
  return { seen, baseUrl: `http://127.0.0.1:${port}/v1` };
}

test('uploads and reads 150 MB with bounded memory', async () => {
  const { seen, baseUrl } = await startLargeServer(1_500);
  const log = createLogger({ name: 'test', level: 'silent' });
  const frame = { provider: 'openai', secrets: [], idleTimeoutMs: 60_000, status: new CallStatus(), log };
  const http = new BatchHttp({ ...frame, gate: openGate, observer: NO_OBSERVER }, { baseUrl, headers: {} });
  const wire = openaiBatches(http, ['responses']);
  async function* requests() {
    const input = 'x'.repeat(100_000);
    for (let index = 0; index < 1_500; index += 1)
      yield { id: `job_${index}`, endpoint: 'responses' as const, body: { model: 'm', input }, betas: [] };
  }
  const folder = await temporaryFolder('large-');
  const before = await usedBytes();
  const { value: staged } = await stageBatches(wire, requests(), { folder, model: 'm', nextKey: () => 'k' }).next();
  expect(staged?.bytes).toBeGreaterThan(150 * MB);
  const operation = await wire.submit(staged!, options);
  expect(seen.uploaded).toBeGreaterThan(150 * MB);
  const state = await wire.poll(operation, options);
  let count = 0;
  if (state.status === 'ended')
    for await (const _ of state.results(options)) {
      count += 1;
      if (count % 300 === 0) seen.mostUsed = Math.max(seen.mostUsed, await usedBytes());
    }
  await staged!.discard();
  expect(count).toBe(1_500);
  expect(seen.mostUsed - before).toBeLessThan(75 * MB);
}, 60_000);
