import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@chorus/contract';
import { chunkDocument, createDocuments } from '@chorus/documents';
import { createProviders } from '@chorus/providers';
import { loadConfig } from '@chorus/runtime/config';
import { createLogger } from '@chorus/runtime/log';
import { type ChunkRow, openSearch } from '@chorus/search';
import { type PdfPage, writePdf } from '@chorus/testing';
import { type BenchPlatform, startPlatform } from './platform.ts';
import { heading, median, report } from './report.ts';
import { type BenchPassage, readQuestionSet } from './retrieval/question-set.ts';
import { shortTexts } from './short-texts.ts';

const ROUNDS = 3;
const LINES_A_PAGE = 40;
const LINE = 88;
/** Required by the configuration; the bare loop connects to neither. */
const STORES = { REDIS_URL: 'redis://127.0.0.1', MONGODB_URI: 'mongodb://127.0.0.1' };

interface Case {
  name: string;
  model: string;
  pages: number;
}

/**
 * Measures many short texts. Then compares a PDF's ingestion with a bare loop of parsing, splitting, embedding, and
 * indexing, in turn: with the embedded model, and with an instant provider to show the platform's overhead.
 */
export async function ingestion(platform: BenchPlatform): Promise<void> {
  await shortTexts(platform);
  await compare(platform, platform.provider, { name: 'embedded model', model: 'embedded/use-lite', pages: 20 });
  const own = await startPlatform({ EMBEDDING_MODEL: 'compatible/bench-embedding' });
  try {
    await compare(own, own.provider, {
      name: 'instant provider',
      model: 'compatible/bench-embedding',
      pages: 300,
    });
  } finally {
    await own.stop();
  }
}

async function compare(platform: BenchPlatform, provider: string, { name, model, pages }: Case): Promise<void> {
  heading(`Ingestion of a ${pages}-page PDF: ${name} (${ROUNDS} rounds)`);
  const log = createLogger({ name: 'bench', level: 'warn' });
  const folder = await mkdtemp(join(tmpdir(), 'chorus-bench-ingestion-'));
  const documents = createDocuments({ log });
  const { providers: settings } = loadConfig({ ...STORES, COMPATIBLE_BASE_URL: provider });
  const providers = createProviders(settings, { log });
  const search = openSearch({ location: join(folder, 'index'), log });
  const { passages } = await readQuestionSet();

  const bare = async (pdf: Buffer) => {
    const path = join(folder, 'document.pdf');
    await writeFile(path, pdf);
    const startedAt = performance.now();
    const { signal } = new AbortController();
    const file = { path, mimeType: 'application/pdf', filename: 'document.pdf' };
    const chunks = chunkDocument(await documents.parse(file, { signal }));
    const texts = chunks.map(({ text }) => text);
    const call = { model, texts, purpose: 'document' } as const;
    const { vectors, dimensions } = await providers.embedTexts(call, { signal, executionId: 'bench' });
    const table = await search.chunks({ name: 'bench', dimensions });
    const entry = newId('knowledge');
    const rows = chunks.map((chunk, position): ChunkRow => {
      const place = {
        id: `${entry}:1:${position}`,
        scope_key: 'personal:bench',
        entry_id: entry,
        revision: 1,
        position,
      };
      const { kind: _, ...content } = chunk;
      return { ...content, ...place, tags: [], title: 'Bench', vector: vectors[position] ?? null };
    });
    await table.replace('personal:bench', entry, rows);
    return { rate: pages / seconds(startedAt), chunks: chunks.length };
  };
  const whole = async (pdf: Buffer) => {
    const startedAt = performance.now();
    await upload(platform, pdf);
    return pages / seconds(startedAt);
  };

  try {
    await bare(pdfOf(passages, pages, 'first'));
    await whole(pdfOf(passages, 1, 'first'));
    const bares: number[] = [];
    const wholes: number[] = [];
    let chunks = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const pdf = pdfOf(passages, pages, `${name} ${round}`);
      const called = await bare(pdf);
      chunks = called.chunks;
      bares.push(called.rate);
      wholes.push(await whole(pdf));
    }
    report('chunks', String(chunks));
    report('bare parsing, splitting, embedding, indexing (pages/s, median)', median(bares).toFixed(1));
    report('from upload to searchable (pages/s, median)', median(wholes).toFixed(1));
    const ratios = wholes.map((rate, round) => rate / bares[round]!);
    report('ratio (median of the rounds)', median(ratios).toFixed(2), 'aim 0.8');
  } finally {
    await documents.close();
    providers.close();
    search.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function upload({ api, headers }: BenchPlatform, pdf: Buffer): Promise<void> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }), 'document.pdf');
  const { 'content-type': _, ...own } = headers;
  const response = await fetch(`${api}/console/knowledge/upload`, {
    method: 'POST',
    headers: { ...own, prefer: 'wait=300' },
    body: form,
  });
  const entry = (await response.json()) as { status?: string; duplicate?: boolean };
  if (entry.status !== 'ready' || entry.duplicate)
    throw new Error(`upload: ${response.status} ${JSON.stringify(entry)}`);
}

/** Creates a PDF of running text; each `name` gives a different document. */
function pdfOf(passages: readonly BenchPassage[], pages: number, name: string): Buffer {
  const words = passages
    .map(({ text }) => text)
    .join(' ')
    .replace(/[^\x20-\x7e]/g, ' ')
    .split(/\s+/);
  let at = 0;
  const line = () => {
    let text = '';
    while (text.length < LINE) {
      text += `${words[at % words.length]} `;
      at += 1;
    }
    return text.trim();
  };
  return writePdf(
    Array.from({ length: pages }, (_, page): PdfPage => {
      const title = { text: `Part ${page + 1} of ${name}`, x: 50, y: 60, size: 16, font: 'bold' as const };
      const lines = Array.from({ length: LINES_A_PAGE }, (_, row) => ({
        text: line(),
        x: 50,
        y: 100 + row * 17,
        size: 10,
      }));
      return { marks: [title, ...lines] };
    }),
  );
}

const seconds = (startedAt: number) => (performance.now() - startedAt) / 1_000;
