import { parseArgs } from 'node:util';
import { startFakeOpenAI } from './fake-openai.ts';

// Runs the fake provider as a process: prints one line of JSON with its address, then serves until SIGTERM.
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'api-key': { type: 'string' },
    models: { type: 'string' },
    'no-responses': { type: 'boolean', default: false },
  },
});

const fake = await startFakeOpenAI({
  port: Number(values.port),
  responses: !values['no-responses'],
  ...(values['api-key'] !== undefined && { apiKey: values['api-key'] }),
  ...(values.models !== undefined && { models: values.models.split(',') }),
});
process.stdout.write(`${JSON.stringify({ url: fake.url, port: fake.port, pid: process.pid })}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => fake.close().then(() => process.exit(0)));
