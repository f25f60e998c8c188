import { parseArgs } from 'node:util';
import { startFakeOpenAI } from './fake-openai.ts';
import { isFakeProvider, startFakeProvider } from './fake-provider.ts';

// Runs a fake provider as a process: prints one line of JSON with its address, then serves until SIGTERM. `--limits`
// takes settings as JSON, which `POST /control` changes later: see `FakeLimitSettings`.
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    provider: { type: 'string', default: 'openai' },
    limits: { type: 'string', default: '{}' },
    'api-key': { type: 'string' },
    models: { type: 'string' },
    'no-responses': { type: 'boolean', default: false },
  },
});

const { provider } = values;
const options = {
  port: Number(values.port),
  limits: JSON.parse(values.limits),
  ...(values['api-key'] !== undefined && { apiKey: values['api-key'] }),
};
if (provider !== 'openai' && !isFakeProvider(provider)) throw new Error(`There is no fake of ${provider}`);
const fake = isFakeProvider(provider)
  ? await startFakeProvider(provider, options)
  : await startFakeOpenAI({
      ...options,
      responses: !values['no-responses'],
      ...(values.models !== undefined && { models: values.models.split(',') }),
    });
process.stdout.write(`${JSON.stringify({ url: fake.url, port: fake.port, pid: process.pid })}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => fake.close().then(() => process.exit(0)));
