import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Runs a graph with one `Identity` node. */
const PROGRAM = `
  import { InferenceSession, Tensor } from ${JSON.stringify(import.meta.resolve('./index.ts'))};
  const identity = 'CAg6OwoQCgFhEgFiIghJZGVudGl0eRIFZ3JhcGhaDwoBYRIKCggIARIECgIIAmIPCgFiEgoKCAgBEgQKAggCQgIQEQ==';
  const session = await InferenceSession.create(Buffer.from(identity, 'base64'));
  const { b } = await session.run({ a: new Tensor('float32', Float32Array.of(1, 2), [2]) });
  console.log([...b.data].join());`;

test('running a model leaves no telemetry files', async () => {
  const home = await mkdtemp(join(tmpdir(), 'chorus-traces-'));
  try {
    // An empty environment, because `CI` would also turn telemetry off.
    const env = { HOME: home, TMPDIR: home };
    const args = ['--input-type=module', '--eval', PROGRAM];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 60_000 });
    expect({ printed: stdout.trim(), left: await readdir(home) }).toEqual({ printed: '1,2', left: [] });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
