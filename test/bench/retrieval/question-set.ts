import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const passage = z.object({ id: z.int(), title: z.string().optional(), text: z.string() });
const question = z.object({
  question: z.string(),
  /** Id of the passage that answers the question; null if there is none. */
  passage: z.int().nullable(),
  /** Words of that passage that every correct answer contains. */
  answer: z.string().nullish(),
});

export type BenchPassage = z.infer<typeof passage>;
export type BenchQuestion = z.infer<typeof question>;

export interface QuestionSet {
  passages: BenchPassage[];
  questions: BenchQuestion[];
}

/**
 * Reads passages and questions from JSON Lines files.
 *
 * Our passages come from the Jargon File 4.4.7 and Jay Kominek's Elements database, both in the public domain
 * (without cross-references and elements beyond 103). The questions are ours; some have no answer in the
 * corpus. Neighboring questions serve as wrong candidates.
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
