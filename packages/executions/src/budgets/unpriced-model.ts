import type { ExecutionRecord } from '@chorus/database';

/** Returns the model of an ended execution that budgets do not count, since its price is unknown. */
export function unpricedModel({
  model,
  provider,
  cost_usd,
}: Pick<ExecutionRecord, 'model' | 'provider'> & { cost_usd: number | null }): string | undefined {
  if (cost_usd !== null || model === null || provider === null || provider === 'embedded') return undefined;
  return model;
}
