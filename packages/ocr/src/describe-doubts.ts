import type { OcrEngine, OcrPage } from '@chorus/contract';
import { languagesOf } from './engine/scripts.ts';
import { howToAdd } from './how-to-add.ts';
import { formatPageRanges } from './page-ranges.ts';

/** Pages with a lower confidence are reported. */
const LOW_CONFIDENCE = 0.65;
const MAX_NAMED = 20;

export type DoubtfulPage = Pick<OcrPage, 'number' | 'confidence' | 'script'>;

export const isDoubtful = ({ script, confidence }: DoubtfulPage) =>
  script !== undefined || (confidence !== null && confidence < LOW_CONFIDENCE);

/** Lists pages with doubtful text, and languages that may help. */
export function describeDoubts(
  pages: readonly DoubtfulPage[],
  languages: readonly string[],
  engine: OcrEngine,
): string[] {
  const doubts = Map.groupBy(pages.filter(isDoubtful), ({ script }) => script);
  return [...doubts].map(([script, some]) =>
    script === undefined ? describeLow(some) : describeScript(script, some, languages, engine),
  );
}

function describeLow(pages: readonly DoubtfulPage[]): string {
  const named = pages.slice(0, MAX_NAMED).map(({ number, confidence }) => `${number} (${confidence?.toFixed(2)})`);
  const more = pages.length > MAX_NAMED ? ` and ${pages.length - MAX_NAMED} more` : '';
  return `Read with low confidence, so the text may be wrong: page ${named.join(', ')}${more}.`;
}

function describeScript(
  script: string,
  pages: readonly DoubtfulPage[],
  languages: readonly string[],
  engine: OcrEngine,
): string {
  const where = `${pages.length === 1 ? 'Page' : 'Pages'} ${formatPageRanges(pages.map(({ number }) => number))}`;
  const able = languagesOf(script);
  const [one = ''] = able.filter((language) => engine.languages.includes(language)).concat(able);
  const problem = `${where}: the text seems to be in ${script} script, which ${languages.join(', ')} cannot read.`;
  const remedy = `Send \`languages: ["${one}"]\`${able.length > 1 ? `, or another of ${able.slice(0, 4).join(', ')}` : ''}.`;
  const missing = able.length > 0 && !engine.languages.includes(one);
  return `${problem} ${remedy}${missing ? ` It is not installed. ${howToAdd([one], engine)}` : ''}`;
}
