import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JobInput, MediaSource, Owner } from '@chorus/contract';
import { writePdf } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { knowledgeRead } from './knowledge-read.ts';
import { freshOwner, startIngestion, type TestIngestion } from './test-ingestion.ts';

let platform: TestIngestion;

beforeAll(async () => {
  platform = await startIngestion();
});
afterAll(async () => {
  await platform?.stop();
});

type Input = JobInput<'knowledge.read'>;

async function read(owner: Owner, source: MediaSource, over: Partial<Input> = {}) {
  const input: Input = { source, pages: null, languages: [], offset: 0, max_chars: 40_000, ...over };
  const place = { isWanted: async () => true, giveBack: () => expect.fail('gave its place back') };
  const job = { input, owner, signal: new AbortController().signal, emit: () => undefined, place };
  const { output, warnings } = await knowledgeRead(platform.parts).run(job as never);
  const [text, document] = output;
  if (text?.type !== 'text' || document?.type !== 'document') throw new Error('no document');
  return { text: text.text, document, warnings };
}

async function assetOf(owner: Owner, body: Uint8Array, filename: string): Promise<MediaSource> {
  return { type: 'asset', asset_id: (await platform.assets.create({ owner, body, filename })).id };
}

const pdfOf = (...pages: string[]) => writePdf(pages.map((text) => ({ marks: [{ text, x: 60, y: 60, size: 12 }] })));

test('reads the pages that were asked for', async () => {
  const owner = freshOwner();
  const pages = ['The first page is about oaks.', 'The second page is about elms.', 'The third page is about ashes.'];
  const source = await assetOf(owner, pdfOf(...pages), 'trees.pdf');
  const whole = await read(owner, source);
  expect(whole.text).toBe(pages.map((text, index) => `[Page ${index + 1}]\n\n${text}`).join('\n\n'));
  expect(whole.document).toMatchObject({
    title: 'trees.pdf',
    mime_type: 'application/pdf',
    page_count: 3,
    next_offset: null,
  });
  const some = await read(owner, source, { pages: '1,3-9' });
  expect(some.text).toContain('oaks');
  expect(some.text).not.toContain('elms');
  expect(some.text).toContain('ashes');
  await expect(read(owner, source, { pages: '7' })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('has 3 pages'),
  });
});

test('cuts a long text at a line, and continues there', async () => {
  const owner = freshOwner();
  const lines = Array.from({ length: 400 }, (_, index) => `Line ${index} has a tree 🌳 in it.`);
  const markdown = `# Long\n\n${lines.join('\n\n')}\n`;
  const source = await assetOf(owner, Buffer.from(markdown), 'long.md');
  let text = '';
  let parts = 0;
  for (let offset: number | null = 0; offset !== null; parts += 1) {
    const part: Awaited<ReturnType<typeof read>> = await read(owner, source, { offset, max_chars: 5_000 });
    expect(part.text.length).toBeLessThanOrEqual(5_000);
    expect(part.text.isWellFormed()).toBe(true);
    expect(part.document).toMatchObject({ offset, total_chars: expect.any(Number) });
    text += part.text;
    offset = part.document.next_offset;
  }
  expect(parts).toBeGreaterThan(2);
  expect(text.split('\n\n')).toEqual(['# Long', ...lines]);
});

test('reads a web page as Markdown, and nothing of another scope', async () => {
  const owner = freshOwner();
  const page = '<title>Roses</title><h1>Roses</h1><p>They need <b>sun</b>.</p><ul><li>Water</li></ul>';
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const web = await read(owner, { type: 'url', url: `http://127.0.0.1:${port}/` });
  server.close();
  expect(web.text).toContain('# Roses\n\nThey need sun.');
  expect(web.document).toMatchObject({ title: 'Roses', mime_type: 'text/html', page_count: null });
  const foreign = await assetOf(freshOwner(), Buffer.from('Secret'), 'a.txt');
  await expect(read(owner, foreign)).rejects.toMatchObject({ code: 'not_found' });
});
