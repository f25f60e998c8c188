import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface FindingsOptions {
  /** Default: all rules. */
  rules?: string[];
  /** A selector for parts of the page, which cost less to check. */
  within?: string;
}

/** Resolves once transitions have ended: text that fades in has too little contrast. Ignores endless animations. */
const UNTIL_TRANSITIONS_END = `Promise.allSettled(
  document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < 5000).map(({ finished }) => finished),
).then(() => undefined)`;

/** Returns what axe finds on the page. */
export async function findings(page: Page, { rules, within = 'html' }: FindingsOptions = {}): Promise<string[]> {
  const options: RunOptions = {
    resultTypes: ['violations'],
    // Otherwise, it fetches and parses all style sheets again, for two rules about screen rotation and audio.
    preload: false,
    ...(rules && { runOnly: { type: 'rule', values: rules } }),
  };
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(source);
  await page.evaluate(UNTIL_TRANSITIONS_END);
  const results = (await page.evaluate(
    `axe.run({ include: ['${within}'], exclude: ['[role=tooltip]'] }, ${JSON.stringify(options)})`,
  )) as AxeResults;
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}
