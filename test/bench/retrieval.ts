import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { candidatesFor, extractAnswer, fusionWeight, rerank } from '@chorus/knowledge/answering';
import { createProviders, type Providers } from '@chorus/providers';
import { loadConfig } from '@chorus/runtime/config';
import { createLogger } from '@chorus/runtime/log';
import { type ChunkTable, type Hit, openSearch } from '@chorus/search';
import { heading, median, report } from './report.ts';
import { measureAnswers } from './retrieval/answers.ts';
import { measureEuropean } from './retrieval/european.ts';
import { type BenchQuestion, type QuestionSet, readQuestionSet } from './retrieval/question-set.ts';

const SCOPE = 'personal:bench';
const TOP_K = 8;
const WEIGHTS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7];
/** Other weights are tried on at most this many questions. */
const SAMPLE = 500;

/** Required by the configuration; nothing connects to them. */
const STORES = { REDIS_URL: 'redis://127.0.0.1', MONGODB_URI: 'mongodb://127.0.0.1' };

interface EmbeddedQuestion extends BenchQuestion {
  vector: Float32Array;
}

/**
 * Measures retrieval by text, by vectors, by both, and reranked by sentences.
 *
 * Uses our questions, and with `--passages <file> --questions <file>` the sample of SQuAD 1.1 (the first 1,000
 * paragraphs of its development set), which also measures answers without a language model; `--fit` prints
 * their weights. `--model <provider/model>` selects another embedding model; set its API key as for the platform.
 */
export async function retrieval(): Promise<void> {
  const { values } = parseArgs({
    options: {
      passages: { type: 'string' },
      questions: { type: 'string' },
      model: { type: 'string' },
      fit: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const model = values.model ?? 'embedded/use-lite';
  const log = createLogger({ name: 'bench', level: 'warn' });
  const providers = createProviders(loadConfig({ ...STORES, ...process.env }).providers, { log });
  try {
    await measure(`our own questions, ${model}`, await readQuestionSet(), { providers, model });
    await measureEuropean();
    if (values.passages && values.questions) {
      const set = await readQuestionSet(values.passages, values.questions);
      await measure(`the given questions, ${model}`, set, { providers, model, sample: { fit: values.fit } });
    } else report('answers from the sample of SQuAD: skipped without --passages and --questions', '');
  } finally {
    providers.close();
  }
}

interface Measured {
  providers: Providers;
  model: string;
  /** Set for the sample, which has answers. */
  sample?: { fit: boolean };
}

async function measure(name: string, set: QuestionSet, { providers, model, sample }: Measured): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-bench-retrieval-'));
  const search = openSearch({ location: folder, log: createLogger({ name: 'bench', level: 'warn' }) });
  try {
    const embed = async (texts: string[], purpose: 'document' | 'query') => {
      const startedAt = performance.now();
      const options = { signal: new AbortController().signal, executionId: 'bench' };
      const embedded = await providers.embedTexts({ model, texts, purpose }, options);
      return { ...embedded, perSecond: texts.length / ((performance.now() - startedAt) / 1_000) };
    };
    const documents = await embed(
      set.passages.map(({ title, text }) => (title === undefined ? text : `${title}\n\n${text}`)),
      'document',
    );
    const questions = await embed(
      set.questions.map(({ question }) => question),
      'query',
    );
    const table = await search.chunks({ name: 'bench', dimensions: documents.dimensions });
    await table.replace(
      SCOPE,
      'kno_bench',
      set.passages.map(({ id, title, text }, at) => ({
        id: `kno_bench:1:${id}`,
        scope_key: SCOPE,
        entry_id: 'kno_bench',
        revision: 1,
        tags: [],
        title: 'Bench',
        text,
        heading_path: title === undefined ? [] : [title],
        page: null,
        position: id,
        vector: documents.vectors[at] ?? null,
      })),
    );
    const asked = set.questions.map((one, at): EmbeddedQuestion => ({ ...one, vector: questions.vectors[at]! }));
    heading(`Retrieval: ${name}: ${set.passages.length} passages, ${asked.length} questions`);
    report(
      'texts embedded per second, passages / questions',
      `${documents.perSecond.toFixed(0)} / ${questions.perSecond.toFixed(0)}`,
    );
    await findAll(table, asked, model);
    if (sample === undefined) return;
    const weight = fusionWeight(model, 'In English');
    await measureAnswers(
      set.questions,
      async (question, without) => {
        const { vectors } = await embed([question], 'query');
        const hits = await table.find({
          scopeKey: SCOPE,
          text: question,
          vector: vectors[0],
          limit: candidatesFor(TOP_K),
          weight,
        });
        return rerank(question, without === undefined ? hits : withoutPassage(hits, without)).slice(0, TOP_K);
      },
      sample,
    );
  } finally {
    search.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes a passage and scales the scores again, as if it had not been found. */
function withoutPassage(hits: readonly Hit[], passage: number): Hit[] {
  const others = hits.filter(({ position }) => position !== passage);
  const most = (what: 'textScore' | 'vectorScore' | 'score') => Math.max(...others.map((hit) => hit[what])) || 1;
  const [text, vector, score] = [most('textScore'), most('vectorScore'), most('score')];
  return others.map((hit) => ({
    ...hit,
    textScore: hit.textScore / text,
    vectorScore: hit.vectorScore / vector,
    score: hit.score / score,
  }));
}

async function findAll(table: ChunkTable, asked: EmbeddedQuestion[], model: string): Promise<void> {
  const held = asked.filter(({ passage }) => passage !== null);
  const usual = fusionWeight(model, 'In English');
  const find = ({ question, vector }: EmbeddedQuestion, weight: number) =>
    table.find({ scopeKey: SCOPE, text: question, vector, limit: candidatesFor(TOP_K), weight });
  const figures = async (weight: number, questions = held) => {
    const found: Found[] = [];
    for (const one of questions) found.push({ one, hits: await find(one, weight) });
    return found;
  };

  report('hit@1 / hit@5 / MRR@10:', '');
  const text = rankOf(await figures(0));
  report('  text alone', formatRank(text));
  report('  vectors alone', formatRank(rankOf(await figures(1))));
  const found = await figures(usual);
  const hybrid = rankOf(found);
  report(`  hybrid, vector weight ${usual} (default)`, formatRank(hybrid), 'aim: MRR not below text alone');
  const took: number[] = [];
  const byRank = found.map(({ one, hits }): Found => {
    const startedAt = performance.now();
    const better = rerank(one.question, hits);
    took.push(performance.now() - startedAt);
    return { one, hits: better };
  });
  report('  the same, reranked by sentences (default for questions)', formatRank(rankOf(byRank)), 'aim: MRR .86');
  report('  reranking, p50 (ms)', median(took).toFixed(1));
  if (hybrid.mrr < text.mrr) report('  hybrid is below text alone', '', 'NOT MET');
  await answerAll(byRank, asked, (one) => find(one, usual));

  const sample = held.filter((_, at) => at % Math.ceil(held.length / SAMPLE) === 0);
  report(`other vector weights, ${sample.length} questions; and reranked by sentences:`, '');
  for (const weight of WEIGHTS) {
    const tried = await figures(weight, sample);
    report(`  ${weight}`, `${formatRank(rankOf(tried))};  ${formatRank(rankOf(ranked(tried)))}`);
  }
}

/** Measures extractive answers. */
async function answerAll(
  found: Found[],
  asked: EmbeddedQuestion[],
  find: (one: EmbeddedQuestion) => Promise<Hit[]>,
): Promise<void> {
  const answers = found.map(({ one, hits }) => ({ one, parts: extractAnswer(one.question, hits.slice(0, TOP_K)) }));
  const given = answers.filter(({ parts }) => parts !== null);
  const isRight = ({ one, parts }: (typeof answers)[number]) =>
    (parts ?? []).some(({ hit, quote }) => hit.id.endsWith(`:${one.passage}`) && quote.includes(one.answer ?? ''));
  report('extractive answers given', share(given.length, answers.length));
  report('  correct, of those given', share(given.filter(isRight).length, given.length));
  const without = found.map(({ one, hits }) => {
    const others = hits.filter(({ id }) => !id.endsWith(`:${one.passage}`));
    return extractAnswer(one.question, others.slice(0, TOP_K));
  });
  report(
    '  refused after removing the passage',
    share(without.filter((parts) => parts === null).length, without.length),
  );
  const unanswerable = asked.filter(({ passage }) => passage === null);
  let refused = 0;
  for (const one of unanswerable)
    if (extractAnswer(one.question, rerank(one.question, await find(one)).slice(0, TOP_K)) === null) refused += 1;
  if (unanswerable.length > 0) report('  refused without an answer in the corpus', share(refused, unanswerable.length));
}

interface Found {
  one: EmbeddedQuestion;
  hits: Hit[];
}

interface Rank {
  first: number;
  five: number;
  mrr: number;
}

function ranked(found: Found[]): Found[] {
  return found.map(({ one, hits }) => ({ one, hits: rerank(one.question, hits) }));
}

function rankOf(found: Found[]): Rank {
  const sums: Rank = { first: 0, five: 0, mrr: 0 };
  for (const { one, hits } of found) {
    const place = hits.slice(0, 10).findIndex(({ id }) => id.endsWith(`:${one.passage}`));
    if (place === 0) sums.first += 1;
    if (place >= 0 && place < 5) sums.five += 1;
    if (place >= 0) sums.mrr += 1 / (place + 1);
  }
  return { first: sums.first / found.length, five: sums.five / found.length, mrr: sums.mrr / found.length };
}

const formatRank = ({ first, five, mrr }: Rank) => [first, five, mrr].map((figure) => figure.toFixed(3)).join(' / ');
const share = (part: number, whole: number) => `${((part / whole) * 100).toFixed(0)}% of ${whole}`;
