import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ApiClient } from './api-client.ts';
import { type Platform, startPlatform } from './platform.ts';
import { poll } from './poll.ts';

/** 100 USD for each word, and a call that costs 2·10⁻⁹ USD. */
const DEAR = 'compatible/words-5-delay-20';
const CHEAP = 'compatible/words-1';
const UNPRICED = 'compatible/words-2-delay-50';
const PRICES = `${DEAR}=0/100000000, ${CHEAP}=0/0.002`;

let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform({
    apis: 2,
    textWorkers: 2,
    env: { MODEL_PRICES: PRICES, EXECUTIONS_PER_USER: '10000', TEXT_MAX_CALLS: '200', QUEUE_MAX_DEPTH: '100000' },
  });
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());

/** Returns the client of a new workspace with a budget that both API processes know. */
async function workspaceWith(budget: object): Promise<{ client: ApiClient; path: string }> {
  const { id } = (await platform.client.post('/workspaces', { name: 'Budget' })).body;
  const path = `/workspaces/${id}/budget`;
  const client = platform.client.inWorkspace(id);
  const knows = async (url: string) => {
    const { body } = await ask(client, CHEAP, { url });
    return body.error?.code === 'budget_exceeded';
  };
  await platform.client.call('PATCH', path, { body: { daily_usd: 0 } });
  for (const { url } of platform.apis) await poll('the budget is known', () => knows(url));
  await platform.client.call('PATCH', path, { body: budget });
  for (const { url } of platform.apis) await poll('the budget is changed', async () => !(await knows(url)));
  return { client, path };
}

const ask = (client: ApiClient, model: string, { url, max_tokens }: { url?: string; max_tokens?: number } = {}) => {
  const limit = max_tokens === undefined ? {} : { max_tokens };
  const body = { messages: [{ role: 'user', content: 'Hi' }], model, ...limit };
  return client.chat(body, url === undefined ? {} : { url });
};

const stateOf = async (path: string) => (await platform.client.get(path)).body.periods[0];

it('parallel calls never pass a budget, though a cheap one came first', async () => {
  const { client, path } = await workspaceWith({ daily_usd: 1_000 });
  expect((await ask(client, CHEAP, { max_tokens: 1 })).status).toBe(200);
  let admitted = 0;
  for (let round = 0; round < 3; round += 1) {
    const asked = Array.from({ length: 100 }, (_, at) =>
      ask(client, DEAR, { url: platform.apis[at % 2]?.url ?? '', max_tokens: 5 }),
    );
    for (const { status, body, headers } of await Promise.all(asked)) {
      if (status === 200) admitted += 1;
      else {
        expect(body.error.code).toBe('budget_exceeded');
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
    }
    const { spent_usd, reserved_usd } = await stateOf(path);
    expect(spent_usd + reserved_usd).toBeLessThanOrEqual(1_000);
  }
  expect(admitted).toBe(1); // two would cost 1,000 USD and the cheap calls
  await poll('all is charged', async () => (await stateOf(path)).reserved_usd === 0);
  expect((await stateOf(path)).spent_usd).toBeCloseTo(500, 3);
  // Without a limit, the answer may be longer than the budget covers.
  const { body } = await ask(client, DEAR);
  expect(body.error.message).toMatch(/does not cover this request, which can cost up to \d+ USD: 500 USD are spent/);
});

it('a large budget admits many requests at once, and lists models without a price', async () => {
  const { client, path } = await workspaceWith({ daily_usd: 1_000_000 });
  expect((await ask(client, DEAR, { max_tokens: 5 })).status).toBe(200);
  const asked = Array.from({ length: 120 }, (_, at) =>
    ask(client, at % 3 === 0 ? DEAR : UNPRICED, { url: platform.apis[at % 2]?.url ?? '', max_tokens: 5 }),
  );
  const answers = await Promise.all(asked);
  expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 200));
  await poll('all is charged', async () => (await stateOf(path)).reserved_usd === 0);
  expect(await stateOf(path)).toMatchObject({ unpriced_models: [UNPRICED] });
  expect((await stateOf(path)).spent_usd).toBeCloseTo(41 * 500, 3);
});
