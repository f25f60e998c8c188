import type { CitationItem } from '@chorus/contract';
import { NO_USAGE } from '@chorus/executions';
import { citationOf, extractAnswer } from '@chorus/knowledge';
import type { JobResult } from '@chorus/worker-kit';
import { answererOf, EXTRACTING_MODEL, type Sources, type TurnJob } from './stream-answer.ts';

const FOUND = 'Your sources say, word for word:';
const NOT_IN_SOURCES = 'This is not in your sources, as far as I can tell by their words.';
const NOTHING_THERE =
  'There is nothing in your sources that this could be answered from: no document that may be asked is ready yet.';

/** Said of every such answer, since it is easily taken for one that was understood. */
const WHAT_I_AM =
  "(I'm Chorus's embedded assistant, a small program that picks the sentences that fit best and puts nothing into words of its own. " +
  'For answers in words set OPENAI_API_KEY or the key of another provider, EMBEDDED_MODEL_PATH or COMPATIBLE_BASE_URL, and restart.)';

/**
 * An answer without a language model: the sentences of the sources that answer, each cited.
 *
 * @returns null: the sources do not hold it, and may be left aside (`first`)
 */
export function answerByExtracts(
  job: TurnJob,
  { passages, question }: Sources,
  use: 'only' | 'first',
): JobResult | null {
  const parts = extractAnswer(question, passages);
  if (parts === null) return use === 'first' ? null : told(job, EXTRACTING_MODEL, `${NOT_IN_SOURCES}\n\n${WHAT_I_AM}`);
  const citations = parts.map(({ quote, hit }, index) => citationOf(index + 1, hit, quote));
  const lines = citations.map(({ quote, marker }) => `- ${quote.replace(/\s+/g, ' ')} [${marker}]`);
  return told(job, EXTRACTING_MODEL, `${FOUND}\n\n${lines.join('\n')}\n\n${WHAT_I_AM}`, citations);
}

/** Where nothing was found no model is asked: it could only invent. */
export function tellNothing(job: TurnJob, model: string): JobResult {
  return told(job, model, NOTHING_THERE);
}

function told({ emit }: TurnJob, model: string, text: string, citations: CitationItem[] = []): JobResult {
  emit({ type: 'text.delta', index: 0, delta: text });
  for (const [index, item] of citations.entries()) emit({ type: 'output.item', index: index + 1, item });
  return {
    output: [{ type: 'text', text }, ...citations],
    usage: NO_USAGE,
    ...answererOf(model),
    finish_reason: 'stop',
  };
}
