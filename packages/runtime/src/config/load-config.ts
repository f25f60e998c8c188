import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { issueMessage } from '@chorus/contract/errors';
import {
  ASSET_KINDS,
  type AssetKind,
  LIMIT_NAMES,
  type LimitName,
  PLATFORM_LIMITS,
  POOLS,
  type Pool,
  PROVIDERS,
} from '@chorus/contract/names';
import { z } from 'zod';
import { CLUSTER_URL_FORM, parseClusterUrl } from '../addresses/index.ts';
import { readBlobs } from './blob-variables.ts';
import { ConfigError } from './config-error.ts';
import { readIndex } from './index-variables.ts';
import { emailDomains, groupRoles, issuerUrl, readOidc } from './oidc-variables.ts';
import {
  DEFAULT_PRICES,
  fallbackChains,
  modelLimits,
  modelName,
  modelPrices,
  readProviders,
  refuseOwnAddress,
  titleModel,
} from './provider-variables.ts';
import { socketPaths } from './socket-paths.ts';
import { readTracing, tracingVariables } from './tracing-variables.ts';
import {
  addressRanges,
  emailAddress,
  flag,
  number,
  optionalNumber,
  origins,
  publicUrl,
  redisUrl,
  secretKeys,
  text,
  trustProxy,
  webhookSecrets,
  webUrl,
} from './variables.ts';

/** Jobs of a process that work on this machine. */
const DEFAULT_CONCURRENCY: Record<Pool, number> = { text: 256, media: 8, vision: 3, knowledge: 64, voice: 8 };

/** Jobs of a process that only call a provider, whose lane bounds them: only their memory counts. None of others. */
const DEFAULT_CALLS: Partial<Record<Pool, number>> = { text: 1_000, media: 256, vision: 32, voice: 64 };

/** Each takes up to half a gigabyte of memory. */
const DEFAULT_OCR_PROCESSES = 4;

const DEFAULT_UPLOAD_LIMITS: Partial<Record<AssetKind, number>> = { image: 100_000_000, document: 250_000_000 };

/** The same range applies to limits set by operators. */
const limit = (name: Exclude<LimitName, 'storage'>) => {
  const { min, max, standard } = PLATFORM_LIMITS[name];
  return number(min, max, standard);
};

const variables = z.object({
  PORT: number(0, 65_535, 8080),
  HOST: text('127.0.0.1'),
  PUBLIC_URL: publicUrl,
  TRUST_PROXY: trustProxy,
  CORS_ORIGINS: origins,
  MAX_CONNECTIONS: number(1, 1_000_000, 10_000),
  MAX_CONNECTIONS_PER_ADDRESS: number(1, 1_000_000, 1_000),
  METRICS_TOKEN: z.string().min(16, { error: 'must have at least 16 characters' }).nullable().default(null),
  TLS_CERT_FILE: z.string().trim().min(1).nullable().default(null),
  TLS_KEY_FILE: z.string().trim().min(1).nullable().default(null),
  HEALTH_PORT: optionalNumber(0, 65_535),
  VOICE_PORT: number(0, 65_535, 8090),
  VOICE_MAX_SOCKETS: number(1, 100_000, 300),
  VOICE_SOCKETS_PER_USER: limit('voice_sockets'),
  EVENT_STREAMS_PER_USER: limit('event_streams'),
  WAITING_REQUESTS_PER_USER: limit('waiting_requests'),
  UPLOADS_PER_USER: limit('uploads'),
  EXECUTIONS_PER_USER: limit('executions'),
  BATCHES_PER_USER: limit('batches'),
  DATA_DIR: text('./.data'),
  SECRET_KEY: secretKeys,
  SECRET_KEY_FILE: z.string().trim().min(1).nullable().default(null),
  REDIS_URL: redisUrl,
  REDIS_CLUSTER: flag(false),
  MONGODB_URI: z
    .string({ error: 'is required: mongodb://…' })
    .regex(/^mongodb(\+srv)?:\/\//, { error: 'must begin with mongodb:// or mongodb+srv://' }),
  ADMIN_EMAIL: emailAddress,
  ADMIN_PASSWORD: z.string().min(8, { error: 'must have at least 8 characters' }).nullable().default(null),
  OIDC_ISSUER: issuerUrl,
  OIDC_CLIENT_ID: z.string().trim().min(1).nullable().default(null),
  OIDC_CLIENT_SECRET: z.string().trim().min(1).nullable().default(null),
  OIDC_NAME: text('single sign-on'),
  OIDC_SCOPES: text('openid profile email'),
  OIDC_GROUPS_CLAIM: text('groups'),
  OIDC_GROUP_ROLES: groupRoles,
  OIDC_LINK_BY_EMAIL: flag(false),
  OIDC_CREATE_USERS: flag(false),
  OIDC_TRUST_EMAIL: flag(false),
  OIDC_EMAIL_DOMAINS: emailDomains,
  PASSWORD_LOGIN: flag(true),
  INVITE_NEW_USERS: z.enum(['operators', 'anyone'], { error: 'must be operators or anyone' }).default('operators'),
  DEFAULT_MODEL: modelName('openai/gpt-5'),
  EMBEDDING_MODEL: modelName('openai/text-embedding-3-small'),
  KNOWLEDGE_DEADLINE_MS: number(60_000, 604_800_000, 21_600_000),
  DEFAULT_IMAGE_MODEL: modelName('openai/gpt-image-1'),
  DEFAULT_VIDEO_MODEL: modelName('fal/fal-ai/hunyuan-video'),
  DEFAULT_SPEECH_MODEL: modelName('openai/gpt-4o-mini-tts'),
  DEFAULT_TRANSCRIPTION_MODEL: modelName('openai/gpt-4o-transcribe'),
  TITLE_MODEL: titleModel,
  FALLBACKS: fallbackChains,
  MODEL_PRICES: modelPrices,
  ...DEFAULT_PRICES,
  MODEL_MAX_CONCURRENCY: modelLimits,
  C2PA_CERTIFICATE_FILE: z.string().trim().min(1).nullable().default(null),
  C2PA_PRIVATE_KEY_FILE: z.string().trim().min(1).nullable().default(null),
  OCR_PROCESSES: optionalNumber(1, 256),
  WORKER_PROCESSES: z.enum(['shared', 'separate'], { error: 'must be shared or separate' }).default('shared'),
  PATH: text(''),
  TESSDATA_PREFIX: z.string().trim().min(1).nullable().default(null),
  MODELS_DIR: z.string().trim().min(1).nullable().default(null),
  EMBEDDED_MODEL_PATH: z.string().trim().min(1).nullable().default(null),
  QUEUE_MAX_DEPTH: number(1, 10_000_000, 10_000),
  QUEUE_MAX_AGE_MS: number(100, 86_400_000, 60_000),
  QUEUE_SHARDS: number(1, 64, 1),
  RATE_LIMIT_READS: limit('reads'),
  RATE_LIMIT_WRITES: limit('writes'),
  RATE_LIMIT_EXECUTIONS: limit('new_executions'),
  RATE_LIMIT_ANONYMOUS: number(1, 100_000_000, 300),
  JSON_LIMIT_BYTES: number(1_000, 1_000_000_000, 4_000_000),
  BATCH_LIMIT_BYTES: number(1_000, 400_000_000, 32_000_000),
  BATCH_UPLOAD_LIMIT_BYTES: number(1_000, 100_000_000_000, 320_000_000),
  BATCH_WINDOW: number(1, 100_000, 10_000),
  BATCH_POLL_MS: number(50, 600_000, 30_000),
  UPLOAD_LIMIT_BYTES: number(1_000, 1_000_000_000_000, 1_073_741_824),
  STORAGE_QUOTA_BYTES: optionalNumber(0, Number.MAX_SAFE_INTEGER),
  UPLOAD_IDLE_TIMEOUT_MS: number(100, 600_000, 30_000),
  IMAGE_LIMIT_PIXELS: number(10_000, 1_000_000_000, 100_000_000),
  ASSET_URL_TTL_S: number(10, 604_800, 3_600),
  OUTBOUND_ALLOW: addressRanges,
  OPERATOR_WEBHOOK_URL: webUrl,
  OPERATOR_WEBHOOK_SECRET: webhookSecrets,
  SHUTDOWN_GRACE_MS: number(0, 3_600_000, 25_000),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  EVENTS_MAX_LENGTH: number(100, 1_000_000, 10_000),
  SHARED_LINKS: flag(true),
  RETENTION_EVENTS_MS: number(1_000, 604_800_000, 3_600_000),
  // At least two days, since usage is added up after the end of a day.
  RETENTION_EXECUTIONS_MS: optionalNumber(172_800_000, 315_360_000_000),
  RETENTION_SESSIONS_MS: optionalNumber(3_600_000, 315_360_000_000),
  RETENTION_WEBHOOKS_MS: number(60_000, 315_360_000_000, 2_592_000_000),
  RETENTION_AUDIT_MS: number(60_000, 315_360_000_000, 31_536_000_000),
  ACCESS_TOKEN_TTL_S: number(5, 86_400, 900),
  REFRESH_TOKEN_TTL_S: number(60, 31_536_000, 2_592_000),
  CHAT_TIMEOUT_MS: optionalNumber(100, 3_600_000),
  PROVIDER_IDLE_TIMEOUT_MS: number(100, 3_600_000, 60_000),
  PROVIDER_WAIT_MS: number(0, 3_600_000, 30_000),
  ...tracingVariables,
});

export const VARIABLES: readonly string[] = Object.keys(variables.shape);

const PREFIXES = [...PROVIDERS, ...POOLS, 's3'].map((name) => `${name.toUpperCase()}_`);
const isOurs = (name: string) => name in variables.shape || PREFIXES.some((prefix) => name.startsWith(prefix));

/**
 * Reads and validates the environment. Processes use `loadProcessConfig`.
 * @throws {ConfigError} naming all problems
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env) {
  // Compose files and shells set absent variables to empty strings.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const problems: string[] = [];
  const parsed = variables.safeParse(given, { error: issueMessage });
  if (!parsed.success) problems.push(...parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`));

  for (const [name, value] of Object.entries(given)) {
    if (isOurs(name) && /^(["']).*\1$/s.test(value ?? '')) problems.push(`${name} must not be in quotes`);
  }

  const isCluster = ['true', '1'].includes(given.REDIS_CLUSTER ?? '');
  if (isCluster && given.REDIS_URL !== undefined && !parseClusterUrl(given.REDIS_URL))
    problems.push(`REDIS_URL must be ${CLUSTER_URL_FORM} where REDIS_CLUSTER is true`);

  if ((given.C2PA_CERTIFICATE_FILE === undefined) !== (given.C2PA_PRIVATE_KEY_FILE === undefined))
    problems.push('C2PA_CERTIFICATE_FILE and C2PA_PRIVATE_KEY_FILE must be set together');

  if ((given.TLS_CERT_FILE === undefined) !== (given.TLS_KEY_FILE === undefined))
    problems.push('TLS_CERT_FILE and TLS_KEY_FILE must be set together');

  if ((given.OPERATOR_WEBHOOK_URL === undefined) !== (given.OPERATOR_WEBHOOK_SECRET === undefined))
    problems.push('OPERATOR_WEBHOOK_URL and OPERATOR_WEBHOOK_SECRET must be set together');

  const count = (name: string, standard: number): number => {
    const { data, error } = number(1, 10_000, standard).safeParse(given[name]);
    if (error) problems.push(`${name} ${error.issues[0]?.message}`);
    return data ?? standard;
  };
  const pools = {} as Record<Pool, { concurrency: number; calls: number }>;
  for (const pool of POOLS)
    pools[pool] = {
      concurrency: count(`${pool.toUpperCase()}_CONCURRENCY`, DEFAULT_CONCURRENCY[pool]),
      calls: pool in DEFAULT_CALLS ? count(`${pool.toUpperCase()}_MAX_CALLS`, DEFAULT_CALLS[pool] ?? 0) : 0,
    };

  const kindLimits = {} as Record<AssetKind, number>;
  const uploadLimit = parsed.data?.UPLOAD_LIMIT_BYTES ?? Number.POSITIVE_INFINITY;
  for (const kind of ASSET_KINDS) {
    const name = `UPLOAD_LIMIT_${kind.toUpperCase()}_BYTES`;
    const limit = optionalNumber(1_000, 1_000_000_000_000).safeParse(given[name]);
    if (limit.success)
      kindLimits[kind] = Math.min(limit.data ?? DEFAULT_UPLOAD_LIMITS[kind] ?? uploadLimit, uploadLimit);
    else problems.push(`${name} ${limit.error.issues[0]?.message}`);
  }

  const oidc = parsed.data ? readOidc(parsed.data, problems) : null;
  const providers = readProviders(given, problems);
  if (parsed.data) refuseOwnAddress(providers, parsed.data, problems);
  const dataDir = resolve(parsed.data?.DATA_DIR ?? './.data');
  const blobs = readBlobs(given, dataDir, problems);
  const index = readIndex(given, dataDir, blobs, problems);

  if (problems.length > 0 || !parsed.success || !blobs) throw new ConfigError(problems);
  const value = parsed.data;
  return {
    http: {
      port: value.PORT,
      host: value.HOST,
      publicUrl: value.PUBLIC_URL,
      trustProxy: value.TRUST_PROXY,
      corsOrigins: value.CORS_ORIGINS,
      maxConnections: value.MAX_CONNECTIONS,
      maxConnectionsPerAddress: value.MAX_CONNECTIONS_PER_ADDRESS,
      /** Token for reading `/metrics` from other machines. Null: not possible. */
      metricsToken: value.METRICS_TOKEN,
      /** Where workers and maintenance answer probes. Null: nowhere. */
      healthPort: value.HEALTH_PORT,
      /** PEM files. Null: the API does not use TLS itself. */
      tls:
        value.TLS_CERT_FILE && value.TLS_KEY_FILE
          ? { certFile: resolve(value.TLS_CERT_FILE), keyFile: resolve(value.TLS_KEY_FILE) }
          : null,
    },
    dataDir,
    privatePaths: [
      dataDir,
      ...socketPaths(value.REDIS_URL, value.MONGODB_URI),
      resolve('.env'),
      ...[value.C2PA_PRIVATE_KEY_FILE, value.TLS_KEY_FILE, value.SECRET_KEY_FILE].flatMap((path) =>
        path === null ? [] : [resolve(path)],
      ),
    ],
    secretKey: {
      keys: value.SECRET_KEY,
      file: value.SECRET_KEY_FILE ? resolve(value.SECRET_KEY_FILE) : join(dataDir, 'secret-key'),
    },
    blobs,
    index,
    knowledge: {
      /** A change re-embeds all texts. */
      embeddingModel: value.EMBEDDING_MODEL ?? 'embedded/use-lite',
      /** Limits the processing of an entry, including its wait for a worker. */
      deadlineMs: value.KNOWLEDGE_DEADLINE_MS,
    },
    redis: { url: value.REDIS_URL, cluster: value.REDIS_CLUSTER },
    mongodbUri: value.MONGODB_URI,
    admin: { email: value.ADMIN_EMAIL, password: value.ADMIN_PASSWORD },
    chat: {
      defaultModel: value.DEFAULT_MODEL,
      fallbacks: value.FALLBACKS,
      timeoutMs: value.CHAT_TIMEOUT_MS,
      /** Whether models name sessions, and which one. Null: the model of the conversation. */
      titles: value.TITLE_MODEL,
    },
    ocr: {
      processes: value.OCR_PROCESSES ?? Math.min(DEFAULT_OCR_PROCESSES, availableParallelism()),
      searchPath: value.PATH,
      tessdata: value.TESSDATA_PREFIX,
    },
    iris: { imageModel: value.DEFAULT_IMAGE_MODEL, videoModel: value.DEFAULT_VIDEO_MODEL },
    voice: {
      speechModel: value.DEFAULT_SPEECH_MODEL,
      transcriptionModel: value.DEFAULT_TRANSCRIPTION_MODEL,
      port: value.VOICE_PORT,
      maxSockets: value.VOICE_MAX_SOCKETS,
    },
    providers,
    /** In USD per million tokens. They override the list of public prices. */
    modelPrices: value.MODEL_PRICES,
    /** Of models in neither list. Null: their calls are not counted. */
    defaultPrices: {
      tokens: value.DEFAULT_PRICE_TOKENS,
      image: value.DEFAULT_PRICE_IMAGE,
      videoSecond: value.DEFAULT_PRICE_VIDEO,
      speech: value.DEFAULT_PRICE_SPEECH,
      transcriptHour: value.DEFAULT_PRICE_TRANSCRIPTION,
    },
    /** Concurrent calls to single models, which win over those of their providers. */
    modelLimits: value.MODEL_MAX_CONCURRENCY,
    /** PEM files for signing generated media. Null: a certificate of our own. */
    c2pa:
      value.C2PA_CERTIFICATE_FILE && value.C2PA_PRIVATE_KEY_FILE
        ? {
            certificateFile: resolve(value.C2PA_CERTIFICATE_FILE),
            privateKeyFile: resolve(value.C2PA_PRIVATE_KEY_FILE),
          }
        : null,
    modelsFolder: resolve(value.MODELS_DIR ?? join(dataDir, 'models')),
    embeddedModelPath: value.EMBEDDED_MODEL_PATH && resolve(value.EMBEDDED_MODEL_PATH),
    providerIdleTimeoutMs: value.PROVIDER_IDLE_TIMEOUT_MS,
    pools,
    queue: {
      maxDepth: value.QUEUE_MAX_DEPTH,
      maxAgeMs: value.QUEUE_MAX_AGE_MS,
      shards: value.QUEUE_SHARDS,
      providerWaitMs: value.PROVIDER_WAIT_MS,
    },
    perUser: {
      streams: value.EVENT_STREAMS_PER_USER,
      waits: value.WAITING_REQUESTS_PER_USER,
      sockets: value.VOICE_SOCKETS_PER_USER,
      uploads: value.UPLOADS_PER_USER,
      /** Queued or running executions, without batches. */
      executions: value.EXECUTIONS_PER_USER,
      batches: value.BATCHES_PER_USER,
    },
    retention: {
      executionsMs: value.RETENTION_EXECUTIONS_MS,
      sessionsMs: value.RETENTION_SESSIONS_MS,
      webhooksMs: value.RETENTION_WEBHOOKS_MS,
    },
    rateLimits: {
      reads: value.RATE_LIMIT_READS,
      writes: value.RATE_LIMIT_WRITES,
      executions: value.RATE_LIMIT_EXECUTIONS,
      anonymous: value.RATE_LIMIT_ANONYMOUS,
    },
    /** Null: off. */
    tracing: readTracing(value),
    /** Address of a trace, with `{trace_id}`. Null: none. */
    traceUrlTemplate: value.TRACE_URL_TEMPLATE,
    /** Whether users may share conversations by link. */
    sharedLinks: value.SHARED_LINKS,
    /** Receives events for operators. Null: nothing does. */
    operatorWebhook: value.OPERATOR_WEBHOOK_URL
      ? { url: value.OPERATOR_WEBHOOK_URL, secrets: value.OPERATOR_WEBHOOK_SECRET }
      : null,
    outbound: { allow: value.OUTBOUND_ALLOW },
    /** Limits that the environment sets, so that operators cannot. */
    fixedLimits: LIMIT_NAMES.filter((name) => PLATFORM_LIMITS[name].variable in given),
    limits: {
      jsonBytes: value.JSON_LIMIT_BYTES,
      batchBytes: value.BATCH_LIMIT_BYTES,
      batchUploadBytes: value.BATCH_UPLOAD_LIMIT_BYTES,
    },
    batches: { window: value.BATCH_WINDOW, pollMs: value.BATCH_POLL_MS },
    assets: {
      urlTtlS: value.ASSET_URL_TTL_S,
      uploadIdleMs: value.UPLOAD_IDLE_TIMEOUT_MS,
      limits: { uploadBytes: value.UPLOAD_LIMIT_BYTES, bytes: kindLimits, imagePixels: value.IMAGE_LIMIT_PIXELS },
      /** Of one scope. Null: no limit. */
      quotaBytes: value.STORAGE_QUOTA_BYTES,
    },
    shutdownGraceMs: value.SHUTDOWN_GRACE_MS,
    logLevel: value.LOG_LEVEL,
    events: { maxLength: value.EVENTS_MAX_LENGTH, keepMs: value.RETENTION_EVENTS_MS },
    auth: {
      accessTokenTtlS: value.ACCESS_TOKEN_TTL_S,
      refreshTokenTtlS: value.REFRESH_TOKEN_TTL_S,
      auditKeepMs: value.RETENTION_AUDIT_MS,
      inviteNewUsers: value.INVITE_NEW_USERS,
      /** Single sign-on. Null: off. */
      oidc,
      passwordLogin: value.PASSWORD_LOGIN,
    },
  };
}

export type Config = ReturnType<typeof loadConfig>;
