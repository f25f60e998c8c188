import type { CitationItem } from '@chorus/contract';
import { citationOf } from '@chorus/knowledge';
import { extractAnswer } from '@chorus/knowledge/answering';
import { NO_USAGE } from '@chorus/providers/usage';
import type { Sources } from './answer-output.ts';
import { type AnswerResult, answererOf, EXTRACTING_MODEL, type TurnJob } from './stream-answer.ts';

const FOUND = 'Your sources say, word for word:';
const NOT_IN_SOURCES = "I couldn't find this in your sources, going by their words.";
const NOTHING_THERE = 'Your sources have nothing to answer this from: none of the documents you can ask is ready yet.';

/** Part of every extractive answer, so that users do not take it for a language model's. */
const DISCLAIMER =
  "(I'm Chorus's embedded assistant, a small program that quotes the best matching sentences and writes none itself. " +
  'For written answers, add the key of a provider under Administration, or set EMBEDDED_MODEL_PATH or COMPATIBLE_BASE_URL and restart.)';

/**
 * Answers without a language model, with cited sentences of the sources.
 *
 * @returns null if the sources have no answer and are optional (`first`)
 */
export function answerByExtracts(
  job: TurnJob,
  { passages, question }: Sources,
  use: 'only' | 'first',
): AnswerResult | null {
  const parts = extractAnswer(question, passages);
  if (parts === null)
    return use === 'first' ? null : answerWith(job, EXTRACTING_MODEL, `${NOT_IN_SOURCES}\n\n${DISCLAIMER}`);
  const citations = parts.map(({ quote, hit }, index) => citationOf(index + 1, hit, quote));
  const lines = citations.map(({ quote, marker }) => `- ${quote.replace(/\s+/g, ' ')} [${marker}]`);
  return answerWith(job, EXTRACTING_MODEL, `${FOUND}\n\n${lines.join('\n')}\n\n${DISCLAIMER}`, citations);
}

/** Answers without a model when nothing was found, because a model could only invent. */
export function answerNotFound(job: TurnJob, model: string): AnswerResult {
  return answerWith(job, model, NOTHING_THERE);
}

function answerWith({ emit }: TurnJob, model: string, text: string, citations: CitationItem[] = []): AnswerResult {
  emit({ type: 'text.delta', index: 0, delta: text });
  for (const [index, item] of citations.entries()) emit({ type: 'output.item', index: index + 1, item });
  return {
    output: [{ type: 'text', text }, ...citations],
    usage: NO_USAGE,
    ...answererOf(model),
    finish_reason: 'stop',
  };
}
