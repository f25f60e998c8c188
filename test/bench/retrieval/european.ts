import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extractAnswer, rerank } from '@chorus/knowledge/answering';
import { createLogger } from '@chorus/runtime/log';
import { openSearch } from '@chorus/search';
import { z } from 'zod';
import { heading, report } from '../report.ts';

const SCOPE = 'personal:bench';
const passage = z.object({ id: z.int(), text: z.string() });
const question = z.object({
  language: z.string(),
  question: z.string(),
  passage: z.int(),
  /** Absent if the passage does not answer the question. */
  answer: z.string().optional(),
});

interface Sums {
  answerable: number;
  right: number;
  unanswerable: number;
  refused: number;
  reciprocal: number;
}

/** Measures keyword search, and answers without a language model, on our own passages in European languages. */
export async function measureEuropean(): Promise<void> {
  const passages = await read('european-passages.jsonl', passage);
  const questions = await read('european-questions.jsonl', question);
  heading(
    `Retrieval and answers in European languages, by words: ${passages.length} passages, ${questions.length} questions`,
  );
  const folder = await mkdtemp(join(tmpdir(), 'chorus-bench-european-'));
  const search = openSearch({ location: folder, log: createLogger({ name: 'bench', level: 'warn' }) });
  try {
    const table = await search.chunks({ name: 'bench', dimensions: 4 });
    const facts = {
      scope_key: SCOPE,
      entry_id: 'kno_bench',
      revision: 1,
      tags: [],
      title: '',
      heading_path: [],
      page: null,
    };
    await table.replace(
      SCOPE,
      'kno_bench',
      passages.map(({ id, text }) => ({ id: `kno_bench:1:${id}`, ...facts, text, position: id, vector: null })),
    );
    const all = new Map<string, Sums>();
    for (const one of questions) {
      const found = await table.find({ scopeKey: SCOPE, text: one.question, limit: 40, weight: 0 });
      const hits = rerank(one.question, found).slice(0, 8);
      const parts = extractAnswer(one.question, hits);
      for (const group of [one.language, one.passage % 2 === 0 ? 'development half' : 'check half']) {
        const sums = all.get(group) ?? { answerable: 0, right: 0, unanswerable: 0, refused: 0, reciprocal: 0 };
        all.set(group, sums);
        if (one.answer === undefined) {
          sums.unanswerable += 1;
          if (parts === null) sums.refused += 1;
          continue;
        }
        sums.answerable += 1;
        if (parts?.some(({ quote }) => quote.includes(one.answer ?? '\0'))) sums.right += 1;
        const rank = hits.findIndex(({ position }) => position === one.passage);
        if (rank >= 0) sums.reciprocal += 1 / (rank + 1);
      }
    }
    report('right answers / refused without an answer / MRR:', '');
    for (const [group, { answerable, right, unanswerable, refused, reciprocal }] of all)
      report(
        `  ${group}`,
        `${right} of ${answerable} / ${refused} of ${unanswerable} / ${(reciprocal / answerable).toFixed(3)}`,
      );
  } finally {
    search.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function read<T>(name: string, schema: z.ZodType<T>): Promise<T[]> {
  const text = await readFile(new URL(name, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => schema.parse(JSON.parse(line)));
}
