import { readFile } from 'node:fs/promises';
import { extractAnswer } from '@chorus/knowledge/answering';
import { type Hit, stemsOf } from '@chorus/search';
import { z } from 'zod';
// Not exported by the package: only the fit needs them.
import { FEATURES, readQuestion } from '../../../packages/knowledge/src/ranking/answer-features.ts';
import { describeBest, scoreSentences } from '../../../packages/knowledge/src/ranking/answerability.ts';
import { signsOf, WORD_SIGNS } from '../../../packages/knowledge/src/ranking/expected-words.ts';
import { languageOfQuestion, matchSentences } from '../../../packages/knowledge/src/ranking/matched-sentences.ts';
import { heading, report } from '../report.ts';
import { type Example, fitWeights } from './fit-weights.ts';
import type { BenchQuestion } from './question-set.ts';

/** Finds the hits for a question, without those from one passage. */
export type FindHits = (question: string, without?: number) => Promise<Hit[]>;

type Group = 'answerable' | 'unanswerable' | 'removed' | 'offTopic';
interface Asked {
  group: Group;
  question: string;
  passage: number | null;
  answer?: string | undefined;
}

/** First passages of the sample's articles. Every other article is for development, the others for checks. */
const ARTICLES = [
  0, 54, 103, 148, 240, 288, 346, 444, 483, 510, 530, 574, 620, 663, 687, 744, 785, 806, 837, 865, 888, 911, 936, 989,
];
const isOfDevelopment = ({ passage }: Asked, at: number): boolean =>
  (passage === null ? at : ARTICLES.findLastIndex((start) => start <= passage)) % 2 === 0;

const line = z.object({ question: z.string(), passage: z.int().nullish(), answer: z.string().optional() });

async function readLines(group: Group, name: string): Promise<Asked[]> {
  const text = await readFile(new URL(name, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => line.parse(JSON.parse(one)))
    .map(({ passage = null, ...rest }) => ({ group, passage, ...rest }));
}

/**
 * Measures answers without a language model on the sample of SQuAD: answers of its questions, marked by us; questions
 * about its paragraphs that they do not answer, as in SQuAD 2.0, written by us; questions on other topics; and its
 * questions after their passage was removed.
 */
export async function measureAnswers(
  questions: readonly BenchQuestion[],
  find: FindHits,
  { fit }: { fit: boolean },
): Promise<void> {
  const removed = questions
    .filter((_, at) => at % 5 === 0)
    .map((one): Asked => ({ group: 'removed', ...one, answer: undefined }));
  const asked = [
    ...(await readLines('answerable', 'sample-answers.jsonl')),
    ...(await readLines('unanswerable', 'sample-unanswerable.jsonl')),
    ...(await readLines('offTopic', 'off-topic.jsonl')),
    ...removed,
  ];
  const halves = new Map<string, { right: number; given: number; refused: number; all: number }>();
  let took = 0;
  for (const [at, one] of asked.entries()) {
    const hits = await find(one.question, one.group === 'removed' ? (one.passage ?? undefined) : undefined);
    const { user } = process.cpuUsage();
    const parts = extractAnswer(one.question, hits);
    took += process.cpuUsage().user - user;
    const key = `${one.group} ${isOfDevelopment(one, at) ? 'development' : 'check'}`;
    const sums = halves.get(key) ?? { right: 0, given: 0, refused: 0, all: 0 };
    halves.set(key, sums);
    sums.all += 1;
    if (parts === null) sums.refused += 1;
    else sums.given += 1;
    if (parts?.some(({ quote }) => quote.includes(one.answer ?? '\0'))) sums.right += 1;
  }
  const shareOf = (group: Group, half: string, what: 'right' | 'refused') => {
    const { all = 0, [what]: part = 0 } = halves.get(`${group} ${half}`) ?? {};
    return `${((100 * part) / all).toFixed(0)}% of ${all}`;
  };
  const both = (group: Group, what: 'right' | 'refused') =>
    `${shareOf(group, 'development', what)} / ${shareOf(group, 'check', what)}`;
  heading('Answers without a language model: the sample, development half / check half');
  report('answerable, right answer quoted', both('answerable', 'right'), 'aim 70%');
  report('unanswerable in the manner of SQuAD 2.0, refused', both('unanswerable', 'refused'), 'aim 75%');
  report('off topic, refused', both('offTopic', 'refused'), 'aim 100%');
  report('passage removed, refused', both('removed', 'refused'));
  report('CPU per question (ms)', (took / 1_000 / asked.length).toFixed(1), 'aim 3');
  if (fit) await printFit(questions, asked, find);
}

/**
 * Weight of an example by group. Unanswerable ones are few. Those with a removed passage were written by the crowd,
 * like the answerable ones, so their style cannot serve as a signal.
 */
const GROUP_WEIGHT: Record<Group, number> = { answerable: 1, unanswerable: 8, removed: 2, offTopic: 6 };
const PENALTY = 30;
const WORD_PENALTY = 10;

const lengthOf = (question: string): number => Math.min(6, Math.max(2, Math.floor(question.split(' ').length / 2)));

/** Fits the weights of `expectationOf` and `answerability` to the development half. */
async function printFit(questions: readonly BenchQuestion[], asked: readonly Asked[], find: FindHits): Promise<void> {
  const positives = questions.map((one): Asked => ({ group: 'answerable', ...one, answer: undefined }));
  const all = [...asked.filter(({ group }) => group !== 'answerable'), ...positives];
  const ofLength = (group: Group, length: number) => {
    const ofGroup = all.filter((one) => one.group === group);
    return ofGroup.filter(({ question }) => lengthOf(question) === length).length / ofGroup.length;
  };
  const examples: Example[] = [];
  const words: Example[] = [];
  for (const [at, one] of all.entries()) {
    if (!isOfDevelopment(one, at)) continue;
    const { group, question, passage } = one;
    const hits = await find(question, group === 'removed' ? (passage ?? undefined) : undefined);
    const language = languageOfQuestion(question, hits);
    const scored = scoreSentences(question, matchSentences(question, hits, language));
    const features = describeBest(question, hits, scored, language);
    const isPositive = group === 'answerable';
    if (features === null || (isPositive && scored[0]?.matchedHit.hit.position !== passage)) continue;
    // Our questions are shorter than those of the crowd, which must not serve as a signal.
    const length = lengthOf(question);
    const isOurs = group === 'unanswerable' || group === 'offTopic';
    const balance = isOurs ? 1 : ofLength('unanswerable', length) / ofLength('answerable', length);
    examples.push({
      values: FEATURES.map((name) => features[name]),
      isPositive,
      weight: GROUP_WEIGHT[group] * balance,
    });
    if (!isPositive) continue;
    const said = new Set(stemsOf(scored[0]?.matched.sentence.text ?? '', language));
    for (const word of readQuestion(question, language).asked) {
      const signs = signsOf(word);
      const isThere = word.stems.every((stem) => said.has(stem));
      words.push({ values: WORD_SIGNS.map((name) => signs[name]), isPositive: isThere, weight: 1 });
    }
  }
  printWeights('WEIGHTS', FEATURES, fitWeights(examples, PENALTY));
  const [bias = 0, ...ofSigns] = fitWeights(words, WORD_PENALTY);
  // The fit gives both classes the same weight, while most words are there.
  const there = words.filter(({ isPositive }) => isPositive).length;
  printWeights('WORD_WEIGHTS', WORD_SIGNS, [bias + Math.log(there / (words.length - there)), ...ofSigns]);
}

function printWeights(title: string, names: readonly string[], [bias, ...weights]: readonly number[]): void {
  console.log(`${title}\n  bias: ${bias?.toFixed(3)},`);
  for (const [at, name] of names.entries()) console.log(`  ${name}: ${weights[at]?.toFixed(3)},`);
}
