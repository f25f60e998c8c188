import { type UsageRow, usageQuery, usageReport } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';

export const getUsage = defineRoute({
  method: 'get',
  path: '/usage',
  area: 'jobs',
  summary: 'Get usage by day, model and API key, and storage',
  description:
    'Your own usage in personal scope, that of all members in a workspace. Days are in UTC. Running executions count once they have ended.',
  needs: 'read',
  query: usageQuery,
  answer: usageReport,
  handle: async ({ query, owner, services }) => {
    const data = await services.database.usage.report(owner, query);
    const sum = (of: keyof Omit<UsageRow, 'day' | 'model' | 'api_key_id'>) =>
      data.reduce((total, row) => total + row[of], 0);
    const total = {
      executions: sum('executions'),
      input_tokens: sum('input_tokens'),
      output_tokens: sum('output_tokens'),
      total_tokens: sum('total_tokens'),
      cost_usd: sum('cost_usd'),
      unpriced_executions: sum('unpriced_executions'),
      estimated_executions: sum('estimated_executions'),
    };
    const storage = await services.assets.quota.usage(owner);
    return { object: 'usage', ...query, data, total, storage };
  },
});
