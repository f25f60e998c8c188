import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findOrInstallSwift } from '../../../scripts/setup/swift.mjs';
import { type ServerProcess, startProcess, waitUntilReady } from './server-process.ts';

/** A bucket for one test, as config for `createBlobs` and as variables for a process. Created on first use. */
export interface TestBucket {
  readonly config: {
    kind: 's3';
    endpoint: string;
    publicEndpoint: null;
    bucket: string;
    region: string;
    forcePathStyle: true;
    accessKeyId: string;
    secretAccessKey: string;
  };
  /** `S3_ENDPOINT`, `S3_BUCKET`, … */
  readonly env: Record<string, string>;
}

export interface TestS3 {
  newBucket(): TestBucket;
}

export interface OwnTestS3 extends TestS3 {
  kill(): Promise<void>;
  /** Suspends the server, so that it accepts connections but never responds. */
  pause(): void;
  resume(): void;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const SERVER = fileURLToPath(new URL('swift-server.py', import.meta.url));
const ACCESS_KEY_ID = 'chorus:tester';
const SECRET_ACCESS_KEY = 'secret-of-the-tests';

/** Time limit for hooks that start the server, since the first start downloads it with apt. */
export const S3_START_MS = 240_000;

/** Whether tests use a given S3. Tests that need a separate server (`startS3`) are skipped then. */
export const s3IsGiven = Boolean(process.env.TEST_S3_ENDPOINT);

/** A given S3 that replaces Swift. Tests leave their buckets there. */
const given = process.env.TEST_S3_ENDPOINT && {
  endpoint: process.env.TEST_S3_ENDPOINT.replace(/\/$/, ''),
  accessKeyId: process.env.TEST_S3_ACCESS_KEY_ID ?? '',
  secretAccessKey: process.env.TEST_S3_SECRET_ACCESS_KEY ?? '',
};

let shared: Promise<TestS3> | undefined;

/**
 * Returns a real server with the S3 API (OpenStack Swift, downloaded with apt if missing) for all tests of this
 * process. Each takes a new bucket. It ends with the process and is ready within two seconds:
 *
 * let bucket: TestBucket;
 * beforeAll(async () => { bucket = (await sharedS3()).newBucket(); }, S3_START_MS);
 * const blobs = createBlobs(bucket.config, log); // for a process: { env: bucket.env }
 * @throws without Swift, apt, and TEST_S3_ENDPOINT, since a test that did not run must not seem to pass
 */
export function sharedS3(): Promise<TestS3> {
  shared ??= given ? Promise.resolve({ newBucket: () => newBucket(given) }) : startShared();
  return shared;
}

async function startShared(): Promise<TestS3> {
  const { server, access } = await start(await newFolder(), 0);
  const { child } = server;
  for (const part of [child, child.stdin, child.stdout, child.stderr]) (part as { unref?(): void } | null)?.unref?.();
  return { newBucket: () => newBucket(access) };
}

/** Starts a separate server that the test may stop and restart. */
export async function startS3(): Promise<OwnTestS3> {
  const folder = await newFolder();
  let { server, access, port } = await start(folder, 0);
  const resume = () => void server.child.kill('SIGCONT');
  process.once('exit', resume); // a suspended process would not notice that it should end
  return {
    newBucket: () => newBucket(access),
    kill: () => server.end('SIGKILL'),
    pause: () => void server.child.kill('SIGSTOP'),
    resume,
    restart: async () => {
      await server.end('SIGKILL');
      ({ server, access, port } = await start(folder, port));
    },
    stop: async () => {
      await server.end('SIGKILL');
      process.off('exit', resume);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Access {
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const newFolder = () => mkdtemp(join(tmpdir(), 'ch3-'));

async function start(folder: string, port: number): Promise<{ server: ServerProcess; access: Access; port: number }> {
  const python = await findOrInstallSwift();
  const args = [SERVER, folder, String(port), ACCESS_KEY_ID, SECRET_ACCESS_KEY];
  const server = startProcess(python, args, { endsWithInput: true });
  try {
    const found = await waitUntilReady(
      server,
      async () => Number(/"port": (\d+)/.exec(server.output())?.[1]) || undefined,
      60_000,
    );
    const access = {
      endpoint: `http://127.0.0.1:${found}`,
      accessKeyId: ACCESS_KEY_ID,
      secretAccessKey: SECRET_ACCESS_KEY,
    };
    return { server, access, port: found };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

function newBucket(access: Access): TestBucket {
  const bucket = `test-${randomBytes(6).toString('hex')}`;
  const config = {
    kind: 's3',
    ...access,
    publicEndpoint: null,
    bucket,
    region: 'us-east-1',
    forcePathStyle: true,
  } as const;
  return {
    config,
    env: {
      S3_ENDPOINT: config.endpoint,
      S3_BUCKET: bucket,
      S3_REGION: config.region,
      S3_FORCE_PATH_STYLE: 'true',
      S3_ACCESS_KEY_ID: config.accessKeyId,
      S3_SECRET_ACCESS_KEY: config.secretAccessKey,
    },
  };
}
