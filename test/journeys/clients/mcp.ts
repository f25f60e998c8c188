import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writePdf } from '@chorus/testing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Platform } from '../platform.ts';
import { poll } from '../poll.ts';

let platform: Platform;
let mcp: Client;
let pages: Server;
let pageUrl: string;

/** Connects the protocol's own client. Its requests take turns on the two API processes. */
async function connect(key: string): Promise<Client> {
  const client = new Client({ name: 'journey', version: '1' });
  const urls = platform.apis.map(({ url }) => new URL('/mcp', url));
  let sent = 0;
  const transport = new StreamableHTTPClientTransport(urls[0] as URL, {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: (_, init) => fetch(urls[sent++ % urls.length] as URL, init),
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return client;
}

async function call(name: string, args: Record<string, unknown>) {
  const steps: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => steps.push(progress);
  const options = { onprogress, resetTimeoutOnProgress: true };
  const result = (await mcp.callTool({ name, arguments: args }, undefined, options)) as CallToolResult;
  const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  expect([result.isError ?? false, text]).toEqual([false, text]);
  return { ...result, text, steps, fields: result.structuredContent as Record<string, unknown> };
}

const ready = (id: string) =>
  poll(
    `${id} is searchable`,
    async () => (await platform.client.get(`/console/knowledge/${id}`)).body.status === 'ready',
    60_000,
  );

export function mcpJourneys(getPlatform: () => Platform): void {
  beforeAll(async () => {
    platform = getPlatform();
    pages = createServer((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        '<html><title>Ferries</title><body><h1>Ferries</h1><p>The last ferry leaves at 22:40.</p></body></html>',
      );
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    pageUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`;
    const { body } = await platform.client.post('/api-keys', { name: 'mcp', permissions: ['read', 'run'] });
    mcp = await connect(body.secret);
  });
  afterAll(async () => {
    await mcp?.close();
    pages?.closeAllConnections();
    pages?.close();
  });

  it('searches, reads, and asks documents', async () => {
    const content = '# Lighthouse\n\nThe lighthouse of Arholma was built in 1768.\n\nIts lamp burned colza oil.';
    const { body } = await platform.client.post('/console/knowledge', { content });
    await ready(body.id);
    const found = await call('search_knowledge', { query: 'When was the lighthouse built?' });
    expect(found.fields.passages).toMatchObject([{ entry_id: body.id, text: expect.stringContaining('1768') }]);
    const answer = await call('ask_knowledge', { question: 'When was the lighthouse of Arholma built?' });
    expect(answer.fields).toMatchObject({ status: 'succeeded', model: 'embedded/assistant' });
    expect(answer.text).toContain('1768');
    expect(answer.fields.citations).toMatchObject([
      { marker: 1, entry_id: body.id, quote: expect.stringContaining('1768') },
    ]);
    const read = await call('read_document', { entry_id: body.id });
    expect(read.fields).toMatchObject({ title: 'Lighthouse', next_offset: null, job_id: null });
    expect(read.text).toContain('Its lamp burned colza oil.');
  });

  it('generates an image and shows it', async () => {
    const image = await call('generate_image', { prompt: 'A red sun over the sea', size: '256x256' });
    expect(image.steps.length).toBeGreaterThan(0);
    expect(image.fields).toMatchObject({ status: 'succeeded', images: [{ width: 256, height: 256 }] });
    const shown = image.content.find((block) => block.type === 'image');
    const [{ url, size_bytes }] = image.fields.images as [{ url: string; size_bytes: number }];
    expect(Buffer.from(shown?.data ?? '', 'base64')).toHaveLength(size_bytes);
    expect((await fetch(url)).status).toBe(200);
    const job = await call('get_job', { job_id: image.fields.job_id });
    expect(job.fields).toMatchObject({ kind: 'iris.image', status: 'succeeded', result: { images: [{ size_bytes }] } });
  });

  it('reads files by page, and public web pages', async () => {
    const page = (text: string) => ({ marks: [{ text, x: 60, y: 60, size: 12 }] });
    const form = new FormData();
    const pdf = writePdf([page('Page one is about tides.'), page('Page two is about winds.')]);
    form.set('file', new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }), 'sea.pdf');
    const uploaded = await fetch(`${platform.apis[0]?.url}/api/v1/assets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.client.token}`, 'x-scope-type': 'personal' },
      body: form,
    });
    const { id } = (await uploaded.json()) as { id: string };
    const second = await call('read_document', { asset_id: id, pages: '2' });
    expect(second.fields).toMatchObject({
      status: 'succeeded',
      page_count: 2,
      text: '[Page 2]\n\nPage two is about winds.',
    });
    const { body: entry } = await platform.client.post('/console/knowledge', { asset_id: id });
    await ready(entry.id);
    const stored = await call('read_document', { entry_id: entry.id, pages: '2' });
    expect(stored.fields).toMatchObject({ job_id: null, page_count: 2, text: expect.stringContaining('winds') });
    const none = await call('read_document', { entry_id: entry.id, pages: '9' });
    expect(none.text).toContain('There is no text');
    const web = await call('read_document', { url: pageUrl });
    expect(web.fields).toMatchObject({ title: 'Ferries', page_count: null });
    expect(web.text).toContain('The last ferry leaves at 22:40.');
  });
}
