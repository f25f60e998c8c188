import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expectedText } from '@chorus/testing';
import { expect } from 'vitest';
import type { Platform } from './platform.ts';
import { ReconnectingReader } from './reconnecting-reader.ts';
import { SeededRandom } from './seeded-random.ts';
import { checkStored } from './transcript.ts';

const STREAMS = process.env.CHORUS_SOAK === '1' ? 60 : 12;

/** Some streams start before the primary dies, some during the failover, some after. */
const STARTS_WITHIN_MS = 4_000;
const STRIKES_WITHIN_MS = [1_000, 2_000] as const;

/** How long the primary acknowledges writes that its replica misses. */
const UNREPLICATED_WITHIN_MS = [0, 500] as const;

/** A failover takes seconds, but a turn with a lost job waits for the sweep and runs again. */
const ALL_END_WITHIN_MS = 60_000;

export interface FailoverScenario {
  name: string;
  platform: Platform;
  /** Disconnects the replica from the primary. */
  cutOff: (random: SeededRandom) => Promise<void>;
  kill: () => Promise<void>;
}

/**
 * Runs streams with reconnecting readers while a primary dies with unreplicated writes, and checks them against
 * the database.
 */
export async function testFailover({ name, platform, cutOff, kill }: FailoverScenario): Promise<void> {
  const seed = Number(process.env.FAILOVER_SEED ?? randomInt(1_000_000_000));
  process.stdout.write(`${name}: FAILOVER_SEED=${seed}\n`);
  const random = new SeededRandom(seed);
  const { client, apis } = platform;
  const readers = Array.from({ length: STREAMS }, (_, number) => {
    const model = `compatible/words-${random.between(100, 250)}-seed-${number}-delay-15`;
    const own = new SeededRandom(seed + number + 1);
    return new ReconnectingReader({ client, apis, random: own, name: `n${number}`, model });
  });
  const strike = async () => {
    await pause(random.between(...STRIKES_WITHIN_MS));
    await cutOff(random);
    await pause(random.between(...UNREPLICATED_WITHIN_MS));
    await kill();
    return performance.now();
  };
  const [killedAt] = await Promise.all([
    strike(),
    ...readers.map(async (reader) => {
      await pause(random.between(0, STARTS_WITHIN_MS));
      await reader.run();
    }),
  ]);
  const tookMs = performance.now() - killedAt;
  const resets = readers.flatMap(({ transcript }) => transcript.resets);
  const summary = [`all ended ${(tookMs / 1_000).toFixed(1)} s after the kill`, `${resets.length} resets`];
  process.stdout.write(`${name}: ${summary.join(', ')}: ${resets.map(({ reason }) => reason).join(' ')}\n`);

  for (const { name: stream, model, transcript } of readers) {
    expect(transcript.terminal.type, stream).toBe('execution.succeeded');
    expect(transcript.text, stream).toBe(expectedText(model.split('/')[1] ?? ''));
    for (const { text, terminal } of await checkStored(platform, transcript)) {
      expect(text, stream).toBe(transcript.text);
      expect(terminal.execution, stream).toEqual(transcript.terminal.execution);
    }
  }
  expect(tookMs).toBeLessThan(ALL_END_WITHIN_MS);
  const turns = await Promise.all(
    Array.from({ length: 6 }, () => client.chat({ message: 'Go on.', model: 'compatible/words-5' })),
  );
  for (const { body } of turns) expect(body).toMatchObject({ status: 'succeeded' });
}
