/** Returns the value below which `share` (0 to 1) of the values are. */
export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: number[]) => percentile(values, 0.5);

export function report(what: string, figure: string, aim = ''): void {
  console.log(`  ${what.padEnd(58)} ${figure.padStart(16)}   ${aim}`);
}

export const heading = (text: string) => console.log(`\n${text}`);

/** Runs `work` `times` times with concurrent callers and returns the rate per second. */
export async function rate(work: () => Promise<void>, times: number, callers: number): Promise<number> {
  let left = times;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left > 0) {
        left -= 1;
        await work();
      }
    }),
  );
  return times / ((performance.now() - startedAt) / 1_000);
}

/** Reports a figure against its budget. */
export function budget(what: string, figure: number, limit: number): void {
  const verdict = figure <= limit ? 'within' : 'OVER';
  report(what, figure.toFixed(1), `${verdict} the budget of ${limit.toLocaleString('en')}`);
}
