import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const passage = z.object({ id: z.int(), title: z.string().optional(), text: z.string() });
const question = z.object({
  question: z.string(),
  /** The id of the passage that answers it; null: none does. */
  passage: z.int().nullable(),
  /** Words of that passage that any right answer has. */
  answer: z.string().nullish(),
});

export type BenchPassage = z.infer<typeof passage>;
export type BenchQuestion = z.infer<typeof question>;

export interface QuestionSet {
  passages: BenchPassage[];
  questions: BenchQuestion[];
}

/**
 * Passages and questions, a line of JSON each.
 *
 * Our own are entries of the Jargon File 4.4.7 and of Jay Kominek's Elements database, both in the public domain (cross-references and elements
 * beyond 103 are left out), with questions of ours, some of which nothing there answers. Each is the distractor of its neighbours.
 */
export async function readQuestionSet(
  passages: string | URL = new URL('passages.jsonl', import.meta.url),
  questions: string | URL = new URL('questions.jsonl', import.meta.url),
): Promise<QuestionSet> {
  return { passages: await readLines(passages, passage), questions: await readLines(questions, question) };
}

async function readLines<T>(file: string | URL, schema: z.ZodType<T>): Promise<T[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => schema.parse(JSON.parse(line)));
}
