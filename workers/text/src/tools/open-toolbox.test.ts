import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentTool, ToolConfig } from '@chorus/agent-tools';
import { createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import { newId, type Owner } from '@chorus/contract';
import { connectDatabase } from '@chorus/database';
import type { Documents } from '@chorus/documents';
import type { Ocr } from '@chorus/ocr';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, TEST_SECRET_KEY, temporaryFolder } from '@chorus/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openToolbox, type ToolboxSetup } from './open-toolbox.ts';
import { readFileWith } from './read-file.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
const { signal } = new AbortController();

test('tools read pages, files, and documents with the parts of the platform', async () => {
  const [store, folder] = await Promise.all([sharedStore(), temporaryFolder('chorus-toolbox-')]);
  const database = await connectDatabase({ uri: store.uri, secretKey: TEST_SECRET_KEY, log });
  const blobs = createBlobs({ kind: 'files', folder }, log);
  const assets = createAssets({ database, blobs, log });
  const never = () => Promise.reject(new Error('not used'));
  const toolbox = openToolbox({
    config: {
      outbound: { allow: [{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }] },
      ocr: { processes: 1, searchPath: '', tessdata: null },
      iris: { imageModel: null, videoModel: null },
    },
    connections: { log, database, hub: { open: never }, eventLog: {} as ToolboxSetup['connections']['eventLog'] },
    assets,
    blobs,
    saveFile: never,
    findPassages: async () => ({ passages: [], model: null, usage: NO_USAGE, warnings: [] }),
    dispatcher: { dispatch: never, cancel: never },
    registry: { recentWorkers: async () => [] },
  });
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<h1>Oaks</h1><p>They live long.</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await toolbox.close();
    server.close();
    blobs.close();
    await database.close();
    await Promise.all([store.stop(), rm(folder, { recursive: true, force: true })]);
  });
  const types = ['web_fetch', 'read_document', 'knowledge_search', 'generate_image'] as const;
  const configs = types.map((type): ToolConfig => ({ type }));
  const tools = await toolbox.open(owner, configs, { signal });
  expect(tools.map(({ name }) => name)).toEqual(types);
  const run = (at: number, args: Record<string, unknown>) =>
    (tools[at] as AgentTool).run(args, { owner, executionId: newId('job'), callId: 'call_1', signal });

  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  expect((await run(0, { url })).text).toContain('# Oaks\n\nThey live long.');
  const { id } = await assets.create({ owner, body: Buffer.from('# Notes\n\nWater them.'), filename: 'notes.md' });
  expect((await run(1, { id })).text).toContain('# Notes\n\nWater them.');
  expect((await run(2, { query: 'How old?' })).text).toBe('No passage matches.');
  expect(await run(3, { prompt: 'An oak' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('make images'),
  });
});

const NO_USAGE = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };

test('reads only the first of many scanned pages', async () => {
  const pages = Array.from({ length: 30 }, (_, index) => index + 1);
  const asked: unknown[] = [];
  const ocr = {
    async *read(_path: string, _type: string, options: { pages: string }) {
      asked.push(options.pages);
      for (const number of options.pages.split(',').map(Number)) yield { number, markdown: `Page ${number}` };
    },
  } as unknown as Ocr;
  const documents: Pick<Documents, 'parse'> = {
    parse: async (file, { readPages, signal }) => {
      const read = (await readPages?.(file, pages, { signal })) ?? [];
      const blocks = read.map(({ number, text }) => ({ type: 'paragraph' as const, text, page: number }));
      return { title: null, pageCount: 30, blocks, warnings: [] };
    },
  };
  const file = { path: 'x', mimeType: 'application/pdf', filename: null };
  const { blocks } = await readFileWith(documents, ocr)(file, { signal });
  expect(asked).toEqual([pages.slice(0, 20).join(',')]);
  expect(blocks.map(({ text }) => text.slice(0, 8)).slice(18, 22)).toEqual([
    'Page 19',
    'Page 20',
    '(Scanned',
    '(Scanned',
  ]);
});
