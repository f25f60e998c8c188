import {
  type CitationItem,
  type MessageStep,
  type OutputItem,
  type ReasoningBlock,
  sourcesOf,
  type ToolCall,
} from '@chorus/contract';
import { type Sentence, sentencesOf } from '../ranking/sentences.ts';

/** Replaces statements from a deleted document in an answer. */
export const REMOVED = '[removed: the document was deleted]';

/** Consecutive words that a sentence must share with a quote to count as a repetition. */
const SHARED_WORDS = 5;

/** `[1]`, or several in a row. */
const MARKERS = /(?:\s*\[\d{1,3}\])+/g;

interface QuotingAnswer {
  content: string;
  citations: readonly CitationItem[];
  reasoning?: readonly ReasoningBlock[];
  tool_calls?: readonly ToolCall[];
  steps?: readonly MessageStep[];
  sources?: readonly string[];
}

/**
 * Replaces statements from a deleted document with a note, and blanks its citations. Reasoning and arguments of tool
 * calls have no markers, so they are blanked completely.
 */
export function withoutQuotes(answer: QuotingAnswer, entryId: string) {
  const { content, citations, reasoning, tool_calls, steps, sources } = answer;
  const quoted = citations.filter(({ entry_id }) => entry_id === entryId);
  const quotes = quoted.length > 0 || sources?.includes(entryId) === true;
  return {
    content: withoutStatements(content, quoted),
    citations: citations.map((citation) => (citation.entry_id === entryId ? blankCitation(citation) : citation)),
    ...(reasoning && { reasoning: quotes ? [] : [...reasoning] }),
    ...(tool_calls && { tool_calls: quotes ? tool_calls.map(blankCall) : [...tool_calls] }),
    // The text of a step is also in the content, which keeps statements that do not quote.
    ...(steps && { steps: quotes ? steps.map(blankStep) : [...steps] }),
    ...(sources && { sources: sources.filter((id) => id !== entryId) }),
  };
}

function blankCall({ signature: _, ...call }: ToolCall): ToolCall {
  return { ...call, function: { name: call.function.name, arguments: '{}' } };
}

function blankStep({ tool_calls }: MessageStep): MessageStep {
  return { content: '', tool_calls: tool_calls.map((call) => ({ ...call, arguments: '{}', result: null })) };
}

export function outputWithoutQuotes(output: readonly OutputItem[], entryId: string): OutputItem[] {
  const quoted = output.filter((item) => item.type === 'citation' && item.entry_id === entryId) as CitationItem[];
  const quotes = quoted.length > 0 || sourcesOf(output).includes(entryId);
  return output.map((item): OutputItem => {
    if (item.type === 'text') {
      const { logprobs, ...text } = item;
      const tokens = logprobs !== undefined && quoted.length === 0 ? { logprobs } : {};
      return { ...text, ...tokens, text: withoutStatements(item.text, quoted) };
    }
    if (item.type === 'refusal') return { ...item, refusal: withoutStatements(item.refusal, quoted) };
    if (quotes) {
      if (item.type === 'reasoning') return { type: 'reasoning', text: '' };
      if (item.type === 'tool_call') {
        const { signature: _, sources = [], ...call } = item;
        const others = sources.filter((id) => id !== entryId);
        return { ...call, arguments: '{}', result: null, ...(others.length > 0 && { sources: others }) };
      }
    }
    if (item.type === 'citation') return item.entry_id === entryId ? blankCitation(item) : item;
    // Spoken answers are named after their first words.
    if (item.type === 'asset' && quoted.length > 0) return { ...item, asset: { ...item.asset, filename: null } };
    if (item.type !== 'passage' || item.passage.entry_id !== entryId) return item;
    return { ...item, passage: { ...item.passage, title: '', text: '', heading_path: [] } };
  });
}

function blankCitation(citation: CitationItem): CitationItem {
  return { ...citation, title: '', heading_path: [], quote: '' };
}

function withoutStatements(text: string, quoted: readonly CitationItem[]): string {
  if (quoted.length === 0 || text === '') return text;
  const markers = new Set(quoted.map(({ marker }) => marker));
  const sentences = sentencesOf(text);
  const removed = new Set<Sentence>();
  for (const match of text.matchAll(MARKERS)) {
    const cites = [...match[0].matchAll(/\d+/g)].some(([number]) => markers.has(Number(number)));
    if (cites) for (const sentence of statementOf(text, sentences, match)) removed.add(sentence);
  }
  const runs = new Set(quoted.flatMap(({ quote }) => runsOf(quote)));
  for (const sentence of sentences) if (runsOf(sentence.text).some((run) => runs.has(run))) removed.add(sentence);
  return replaceAll(text, sentences, removed);
}

/** Returns the sentence that markers refer to: the one before them, or the one whose line they start. */
function statementOf(text: string, sentences: readonly Sentence[], { 0: markers, index }: RegExpExecArray): Sentence[] {
  const bracket = index + markers.search(/\[/);
  const beginsLine = bracket === 0 || text.slice(index, bracket).includes('\n');
  const at = beginsLine ? bracket : index;
  const place = sentences.findLastIndex(({ start }) => start <= at);
  const [within, before] = [sentences[place], sentences[place - 1]];
  if (within === undefined) return [];
  return beginsLine || before === undefined || hasWords(text.slice(within.start, at)) ? [within] : [before];
}

const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text.replace(MARKERS, ''));

/** Returns all runs of that many words, ignoring case and punctuation. A shorter text is one run. */
function runsOf(text: string): string[] {
  const words =
    text
      .replace(MARKERS, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length <= SHARED_WORDS) return words.length === 0 ? [] : [words.join(' ')];
  return Array.from({ length: words.length - SHARED_WORDS + 1 }, (_, at) =>
    words.slice(at, at + SHARED_WORDS).join(' '),
  );
}

/** Replaces each run of removed sentences with a note. Markers and list bullets stay. */
function replaceAll(text: string, sentences: readonly Sentence[], removed: ReadonlySet<Sentence>): string {
  let kept = '';
  let end = 0;
  let isNoted = false;
  for (const sentence of sentences) {
    const between = text.slice(end, sentence.start);
    end = sentence.end;
    if (!removed.has(sentence)) {
      kept += between + sentence.text;
      isNoted = false;
      continue;
    }
    const lead = /^(?:[-*+•–]|\d{1,3}[.)])\s+/.exec(sentence.text)?.[0] ?? '';
    const markers = sentence.text.match(MARKERS)?.join('') ?? '';
    kept += isNoted && lead === '' ? markers : between + lead + REMOVED + markers;
    isNoted = true;
  }
  return kept + text.slice(end);
}
