import { readFileSync } from 'node:fs';
import { POOLS } from '@chorus/contract';
import { expect, test } from 'vitest';
import { ConfigError } from './config-error.ts';
import { loadConfig } from './load-config.ts';

const needed = { REDIS_URL: 'unix:///run/redis.sock', MONGODB_URI: 'mongodb://db/chorus' };

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('the defaults work on one machine', () => {
  const config = loadConfig(needed);
  expect(config.http).toEqual({
    host: '127.0.0.1',
    healthPort: null,
    port: 8080,
    publicUrl: null,
    trustProxy: false,
    corsOrigins: [],
    maxConnections: 10_000,
    maxConnectionsPerAddress: 1_000,
    metricsToken: null,
    tls: null,
  });
  expect(config.pools.text.concurrency).toBe(256);
  expect(config.chat.defaultModel).toBeNull();
  expect(config.providers.openai).toEqual({ apiKey: null, baseUrl: null, maxConcurrency: null });
  expect(config.chat.fallbacks).toEqual([]);
  expect(config.limits).toMatchObject({ batchBytes: 32_000_000, batchUploadBytes: 320_000_000 });
  expect(config.batches.window).toBe(10_000);
});

test('an empty variable counts as absent', () => {
  expect(loadConfig({ ...needed, PORT: '', OPENAI_API_KEY: '' }).http.port).toBe(8080);
});

test('origins are normalized as browsers send them, and models must belong to known providers', () => {
  const CORS_ORIGINS = 'https://App.example.org/, http://localhost:5173,capacitor://localhost';
  expect(loadConfig({ ...needed, CORS_ORIGINS }).http.corsOrigins).toEqual([
    'https://app.example.org',
    'http://localhost:5173',
    'capacitor://localhost',
  ]);
  expect(loadConfig({ ...needed, CORS_ORIGINS: '*' }).http.corsOrigins).toEqual(['*']);
  for (const wrong of ['app.example.org', 'https://a.example/app', 'https://*.example.org', 'null'])
    expect(problemsOf({ ...needed, CORS_ORIGINS: wrong })[0]).toMatch(/^CORS_ORIGINS must/);
  expect(loadConfig({ ...needed, DEFAULT_MODEL: 'embedded/assistant' }).chat.defaultModel).toBe('embedded/assistant');
  expect(problemsOf({ ...needed, DEFAULT_MODEL: 'opnai/gpt-5' })[0]).toMatch(/^DEFAULT_MODEL must/);
});

test('names every invalid variable with its allowed values, and shows no value', () => {
  const wrong = {
    ...needed,
    PORT: '70000',
    HOST: 'ok',
    TEXT_CONCURRENCY: '0',
    OPENAI_BASE_URL: 'ftp://secret-host',
    OPENAI_API_KEY: 'sk-secret',
    ADMIN_PASSWORD: 'short',
    REDIS_CLUSTER: 'perhaps',
    LOG_LEVEL: 'loud',
    MONGODB_URI: 'postgres://user:secret@db',
  };
  const problems = problemsOf(wrong);
  for (const name of [
    'PORT',
    'TEXT_CONCURRENCY',
    'OPENAI_BASE_URL',
    'ADMIN_PASSWORD',
    'REDIS_CLUSTER',
    'LOG_LEVEL',
    'MONGODB_URI',
  ])
    expect(
      problems.filter((problem) => problem.startsWith(`${name} must`)),
      name,
    ).toHaveLength(1);
  expect(problems).toHaveLength(7);
  expect(problems.join()).not.toMatch(/secret|short|loud|perhaps|70000/);
});

test('names missing required variables', () => {
  expect(problemsOf({}).map((problem) => problem.split(' ', 1)[0])).toEqual(['REDIS_URL', 'MONGODB_URI']);
});

test.each([
  [
    'CORS_ORIGINS',
    'https://a.example, https://b.example',
    (config: ReturnType<typeof loadConfig>) => config.http.corsOrigins,
    ['https://a.example', 'https://b.example'],
  ],
  [
    'PUBLIC_URL',
    'https://chorus.example/',
    (config: ReturnType<typeof loadConfig>) => config.http.publicUrl,
    'https://chorus.example',
  ],
  ['TRUST_PROXY', '2', (config: ReturnType<typeof loadConfig>) => config.http.trustProxy, 2],
  ['TRUST_PROXY', 'loopback', (config: ReturnType<typeof loadConfig>) => config.http.trustProxy, 'loopback'],
  [
    'ADMIN_EMAIL',
    ' Admin@Localhost ',
    (config: ReturnType<typeof loadConfig>) => config.admin.email,
    'admin@localhost',
  ],
])('%s is read', (name, value, read, expected) => {
  expect(read(loadConfig({ ...needed, [name]: value }))).toEqual(expected);
});

test.each([
  ['rediss://user:pass@one:7000, redis://two:7001', true],
  ['redis+sentinel://one,two:26380,[::1]:26381/main/3', false],
])('REDIS_URL may be %s', (url, cluster) => {
  const config = loadConfig({ ...needed, REDIS_URL: url, REDIS_CLUSTER: String(cluster) });
  expect(config.redis).toEqual({ url, cluster });
});

test.each([
  ['redis+sentinel://:secret@one:26379', 'false', /^REDIS_URL must have the form redis\+sentinel:/],
  ['redis+sentinel://:secret@one:26379,two:99999/main', 'false', /^REDIS_URL must have the form redis\+sentinel:/],
  ['redis+sentinel://:secret@one:26379/main?secret=1', 'false', /^REDIS_URL must have the form redis\+sentinel:/],
  ['redis+sentinel://:secret%@one:26379/main', 'false', /^REDIS_URL must have the form redis\+sentinel:/],
  ['redis-sentinel://:secret@one:26379/main', 'false', /^REDIS_URL must begin with .*redis\+sentinel:/],
  ['redis+sentinel://:secret@one:26379/main', 'true', /^REDIS_URL must be redis:\/\/.*where REDIS_CLUSTER is true$/],
  ['unix:///secret.sock', 'true', /^REDIS_URL must be redis:\/\/.*where REDIS_CLUSTER is true$/],
])('REDIS_URL may not be %s with REDIS_CLUSTER=%s', (url, cluster, problem) => {
  const problems = problemsOf({ ...needed, REDIS_URL: url, REDIS_CLUSTER: cluster });
  expect(problems).toEqual([expect.stringMatching(problem)]);
  expect(problems.join()).not.toContain('secret');
});

test('fallback chains: one per first model, separated by commas or lines', () => {
  const chainsOf = (FALLBACKS: string) => loadConfig({ ...needed, FALLBACKS }).chat.fallbacks;
  expect(chainsOf('openai/gpt-5>anthropic/claude-sonnet-4-5>embedded/assistant')).toEqual([
    ['openai/gpt-5', 'anthropic/claude-sonnet-4-5', 'embedded/assistant'],
  ]);
  expect(chainsOf(' openai/a > groq/org/b:1 ,\n mistral/c>openai/a\n')).toEqual([
    ['openai/a', 'groq/org/b:1'],
    ['mistral/c', 'openai/a'],
  ]);
});

test.each([
  'openai/a',
  'openai/a>',
  'openai/a>nobody/b',
  'openai/a>gpt-5',
  'openai/a>groq/b>openai/a',
  'openai/a>groq/b,openai/a>groq/c',
])('FALLBACKS=%s is a mistake', (FALLBACKS) => {
  expect(problemsOf({ ...needed, FALLBACKS })).toEqual([expect.stringMatching(/^FALLBACKS must /)]);
});

test('prices of models: for input and output, separated by commas or lines', () => {
  const pricesOf = (MODEL_PRICES: string) => loadConfig({ ...needed, MODEL_PRICES }).modelPrices;
  expect(pricesOf('compatible/qwen3:8b=0.1/0.4,\n openai/a = 2 / 8')).toEqual([
    { model: 'compatible/qwen3:8b', input: 0.1, output: 0.4 },
    { model: 'openai/a', input: 2, output: 8 },
  ]);
  for (const MODEL_PRICES of ['openai/a', 'openai/a=1', 'openai/a=1/-2', 'nobody/b=1/2'])
    expect(problemsOf({ ...needed, MODEL_PRICES })).toEqual([expect.stringMatching(/^MODEL_PRICES must /)]);
});

test('reads default prices, and names what is wrong with them', () => {
  const prices = { DEFAULT_PRICE_TOKENS: '0.5 / 2', DEFAULT_PRICE_IMAGE: '0.04', DEFAULT_PRICE_TRANSCRIPTION: '1' };
  expect(loadConfig({ ...needed, ...prices }).defaultPrices).toEqual({
    tokens: { input: 0.5, output: 2 },
    image: 0.04,
    videoSecond: null,
    speech: null,
    transcriptHour: 1,
  });
  expect(problemsOf({ ...needed, DEFAULT_PRICE_TOKENS: '1', DEFAULT_PRICE_VIDEO: '-1' })).toEqual([
    'DEFAULT_PRICE_TOKENS must be the prices of a million input and output tokens in USD, such as 1/4',
    'DEFAULT_PRICE_VIDEO must be the price of a second of video in USD, such as 0.5',
  ]);
});

test('uploads: a general limit, and smaller ones by kind', () => {
  const limitsOf = (env: Record<string, string>) => loadConfig({ ...needed, ...env }).assets.limits;
  expect(limitsOf({})).toEqual({
    uploadBytes: 1_073_741_824,
    bytes: {
      image: 100_000_000,
      video: 1_073_741_824,
      audio: 1_073_741_824,
      document: 250_000_000,
      other: 1_073_741_824,
    },
    imagePixels: 100_000_000,
  });
  expect(limitsOf({ UPLOAD_LIMIT_BYTES: '5000', UPLOAD_LIMIT_AUDIO_BYTES: '2000' }).bytes).toEqual({
    image: 5_000,
    video: 5_000,
    audio: 2_000,
    document: 5_000,
    other: 5_000,
  });
  expect(problemsOf({ ...needed, UPLOAD_LIMIT_VIDEO_BYTES: '1 GB', ASSET_URL_TTL_S: '0' })).toEqual([
    'ASSET_URL_TTL_S must be a whole number from 10 to 604800',
    'UPLOAD_LIMIT_VIDEO_BYTES must be a whole number from 1000 to 1000000000000',
  ]);
});

test('a signing certificate requires its key', () => {
  const certificate = { C2PA_CERTIFICATE_FILE: '/etc/chain.pem' };
  const key = { C2PA_PRIVATE_KEY_FILE: '/etc/key.pem' };
  expect(loadConfig(needed).c2pa).toBeNull();
  expect(loadConfig({ ...needed, ...certificate, ...key }).c2pa).toEqual({
    certificateFile: '/etc/chain.pem',
    privateKeyFile: '/etc/key.pem',
  });
  for (const one of [certificate, key])
    expect(problemsOf({ ...needed, ...one })).toEqual([expect.stringMatching(/must be set together$/)]);
});

test('the certificate of the API requires its key', () => {
  const files = { TLS_CERT_FILE: '/etc/cert.pem', TLS_KEY_FILE: '/etc/key.pem' };
  expect(loadConfig({ ...needed, ...files }).http.tls).toEqual({ certFile: '/etc/cert.pem', keyFile: '/etc/key.pem' });
  for (const [name, file] of Object.entries(files))
    expect(problemsOf({ ...needed, [name]: file })).toEqual(['TLS_CERT_FILE and TLS_KEY_FILE must be set together']);
});

test('limits concurrent calls for each provider', () => {
  const { providers } = loadConfig({ ...needed, GROQ_MAX_CONCURRENCY: '7' });
  expect([providers.groq.maxConcurrency, providers.openai.maxConcurrency]).toEqual([7, null]);
  expect(problemsOf({ ...needed, GROQ_MAX_CONCURRENCY: '0' })).toEqual([
    'GROQ_MAX_CONCURRENCY must be a whole number from 1 to 1000000',
  ]);
});

test('OUTBOUND_ALLOW: addresses, ranges, all, or none', () => {
  const allowOf = (OUTBOUND_ALLOW: string) => loadConfig({ ...needed, OUTBOUND_ALLOW }).outbound.allow;
  expect(allowOf('')).toEqual([]);
  expect(allowOf('10.0.0.0/8, ::1')).toEqual([
    { address: '10.0.0.0', prefix: 8, family: 'ipv4' },
    { address: '::1', prefix: 128, family: 'ipv6' },
  ]);
  expect(allowOf('true').map(({ prefix }) => prefix)).toEqual([0, 0]);
});

test.each(['localhost', '10.0.0.0/33', '10.0.0/8', '::/129', 'fe80::1%eth0', 'true,10.0.0.1', '10.0.0.1/'])(
  'OUTBOUND_ALLOW=%s is a mistake',
  (OUTBOUND_ALLOW) => {
    expect(problemsOf({ ...needed, OUTBOUND_ALLOW })).toEqual([
      expect.stringMatching(/^OUTBOUND_ALLOW must be true, or/),
    ]);
  },
);

test('reads pages on all cores, at most four by default', () => {
  const { processes } = loadConfig(needed).ocr;
  expect(processes).toBeGreaterThanOrEqual(1);
  expect(processes).toBeLessThanOrEqual(4);
  const given = loadConfig({ ...needed, OCR_PROCESSES: '9', PATH: '/usr/bin', TESSDATA_PREFIX: '/srv/tessdata' }).ocr;
  expect(given).toEqual({ processes: 9, searchPath: '/usr/bin', tessdata: '/srv/tessdata' });
  expect(problemsOf({ ...needed, OCR_PROCESSES: '0' })).toEqual(['OCR_PROCESSES must be a whole number from 1 to 256']);
});

test('the documentation lists exactly the existing settings', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  const source = ['load-config', 'blob-variables', 'index-variables', 'tracing-variables']
    .map((file) => read(`${file}.ts`))
    .join('\n');
  const settings = read('../../../../docs/configuration.md');
  const documented = new Set(settings.match(/(?<=^\|.*`)[A-Z][A-Z0-9_]+(?=`.* \| )/gm));
  const pages = [
    settings,
    ...['models', 'monitoring', 'sso'].map((page) => read(`../../../../docs/${page}.md`)),
  ].join();
  const declared = [...source.matchAll(/^ {2}([A-Z][A-Z0-9_]+): /gm)].map(([, name = '']) => name);
  expect(declared.length).toBeGreaterThan(50);
  expect(declared.filter((name) => name !== 'PATH' && !pages.includes(`\`${name}\``))).toEqual([]);
  const pools = POOLS.flatMap((pool) => {
    const name = pool.toUpperCase();
    return loadConfig(needed).pools[pool].calls > 0
      ? [`${name}_CONCURRENCY`, `${name}_MAX_CALLS`]
      : `${name}_CONCURRENCY`;
  });
  expect(pools.filter((name) => !documented.has(name))).toEqual([]);
  const derived = [...pools, 'UPLOAD_LIMIT_IMAGE_BYTES'];
  expect([...documented].filter((name) => !source.includes(name) && !derived.includes(name))).toEqual([]);
});

test('the webhook of operators needs a secret of Standard Webhooks', () => {
  expect(loadConfig(needed).operatorWebhook).toBeNull();
  const url = { OPERATOR_WEBHOOK_URL: 'https://ops.example.org/hook' };
  const secret = `whsec_${'A'.repeat(43)}=`;
  expect(loadConfig({ ...needed, ...url, OPERATOR_WEBHOOK_SECRET: `${secret}, ${secret}` }).operatorWebhook).toEqual({
    url: 'https://ops.example.org/hook',
    secrets: [secret, secret],
  });
  expect(problemsOf({ ...needed, ...url })[0]).toMatch(/must be set together/);
  expect(problemsOf({ ...needed, ...url, OPERATOR_WEBHOOK_SECRET: 'whsec_short' })[0]).toMatch(/must be whsec_/);
});

test('single sign-on requires an issuer with TLS and a client, and maps groups', () => {
  const oidc = { ...needed, OIDC_ISSUER: 'https://id.example.org', OIDC_CLIENT_ID: 'chorus' };
  expect([loadConfig(needed).auth.oidc, loadConfig(needed).auth.passwordLogin]).toEqual([null, true]);
  const team = '0b4c0000-0000-4000-8000-0000000000e1';
  const mapped = { ...oidc, OIDC_GROUP_ROLES: `staff=${team}:viewer, ops=operator`, PASSWORD_LOGIN: 'false' };
  expect(loadConfig(mapped).auth).toMatchObject({
    passwordLogin: false,
    oidc: {
      clientSecret: null,
      groupRoles: [
        { group: 'staff', workspaceId: team, role: 'viewer' },
        { group: 'ops', workspaceId: null, role: null },
      ],
    },
  });
  for (const [wrong, message] of [
    [{ OIDC_ISSUER: 'http://id.example.org' }, 'OIDC_ISSUER must be a URL that begins with https://'],
    [{ OIDC_GROUP_ROLES: 'staff=everything' }, 'OIDC_GROUP_ROLES must be <group>=<workspace id>:'],
    [{ OIDC_GROUP_ROLES: `staff=${team}:king` }, 'OIDC_GROUP_ROLES must be <group>=<workspace id>:'],
    [{ OIDC_CLIENT_ID: '' }, 'OIDC_ISSUER and OIDC_CLIENT_ID must be set together'],
    [{ OIDC_ISSUER: '', OIDC_CLIENT_ID: '', PASSWORD_LOGIN: 'false' }, 'PASSWORD_LOGIN=false needs OIDC_ISSUER'],
  ] as const)
    expect(() => loadConfig({ ...oidc, ...wrong })).toThrow(message);
});

test('an endpoint turns tracing on, which follows the standard variables', () => {
  expect(loadConfig(needed).tracing).toBeNull();
  const on = { ...needed, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  const sampler = { root: 'always_on', ratio: 1, followsParent: true };
  expect(loadConfig(on).tracing).toEqual({ serviceName: null, resourceAttributes: {}, sampler });
  expect(loadConfig({ ...on, OTEL_SDK_DISABLED: 'true' }).tracing).toBeNull();
  const more = {
    OTEL_SERVICE_NAME: 'chorus',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test, owner=a%2Cb',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
  };
  expect(loadConfig({ ...on, ...more }).tracing).toEqual({
    serviceName: 'chorus',
    resourceAttributes: { 'deployment.environment.name': 'test', owner: 'a,b' },
    sampler: { root: 'traceidratio', ratio: 0.1, followsParent: false },
  });
  for (const [wrong, message] of [
    [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, 'OTEL_TRACES_SAMPLER must be one of: always_on'],
    [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG'],
    [
      { TRACE_URL_TEMPLATE: 'https://traces.example.org/' },
      'TRACE_URL_TEMPLATE must be a URL that contains {trace_id}',
    ],
  ] as const)
    expect(() => loadConfig({ ...on, ...wrong })).toThrow(message);
});

test.each([
  [{ OPENAI_API_KEY: '"sk-quoted"' }, 'OPENAI_API_KEY must not be in quotes'],
  [{ S3_SECRET_ACCESS_KEY: "'secret'" }, 'S3_SECRET_ACCESS_KEY must not be in quotes'],
  [{ PUBLIC_URL: 'https://ai.example.org/?x=1' }, 'PUBLIC_URL must have no query, fragment, or login'],
  [{ PUBLIC_URL: 'https://ai.example.org/#top' }, 'PUBLIC_URL must have no query, fragment, or login'],
  [{ PUBLIC_URL: 'https://me:pass@ai.example.org' }, 'PUBLIC_URL must have no query, fragment, or login'],
  [{ PUBLIC_URL: 'https://ai.example.org/chorus/' }, undefined],
])('%j is refused by name', (given, problem) => {
  expect(problemsOf({ ...needed, ...given })[0]).toBe(problem);
});

test.each([
  [{ ANTHROPIC_BASE_URL: 'http://127.0.0.1:8080/anthropic' }, 'ANTHROPIC_BASE_URL'],
  [{ PORT: '9000', OPENAI_BASE_URL: 'http://localhost:9000/openai/v1/' }, 'OPENAI_BASE_URL'],
  [{ PUBLIC_URL: 'https://ai.example.org', OPENAI_BASE_URL: 'https://ai.example.org/openai/v1' }, 'OPENAI_BASE_URL'],
  [{ COMPATIBLE_BASE_URL: 'http://127.0.0.1:8080/v1' }, null],
  [{ OPENAI_BASE_URL: 'http://127.0.0.1:9000/openai/v1' }, null],
  [{ GROQ_BASE_URL: 'https://api.groq.com/openai/v1' }, null],
])('%j would make the platform call itself: %s', (given, name) => {
  const problems = problemsOf({ ...needed, ...given });
  expect(problems.map((problem) => problem.split(' ')[0])).toEqual(name === null ? [] : [name]);
});
