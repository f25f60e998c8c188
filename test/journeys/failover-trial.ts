import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expectedText } from '@chorus/testing';
import { expect } from 'vitest';
import { checkStored } from './check-stored.ts';
import type { Platform } from './platform.ts';
import { RestlessReader } from './restless-reader.ts';
import { SeededRandom } from './seeded-random.ts';

const STREAMS = process.env.CHORUS_SOAK === '1' ? 60 : 12;

/** When streams begin, and when the primary dies, in milliseconds: some streams begin before, some while there is none, some after. */
const STARTS_WITHIN_MS = 4_000;
const STRIKES_WITHIN_MS = [1_000, 2_000] as const;

/** What the primary acknowledges in its last moments, which its replica does not get. */
const UNREPLICATED_WITHIN_MS = [0, 500] as const;

/** A failover takes seconds; a turn whose job was lost waits for the sweep besides, and runs again. The rest is for a busy machine. */
const ALL_END_WITHIN_MS = 60_000;

export interface FailoverTrial {
  /** For what is printed. */
  name: string;
  platform: Platform;
  /** Lets the replica miss what the primary acknowledges from now on. */
  cutOff: (random: SeededRandom) => Promise<void>;
  /** Ends the primary, as a crash. */
  kill: () => Promise<void>;
}

/** Runs streams whose readers come and go while a primary dies with its last writes; holds what they were given against the database. */
export async function tryFailover({ name, platform, cutOff, kill }: FailoverTrial): Promise<void> {
  const seed = Number(process.env.FAILOVER_SEED ?? randomInt(1_000_000_000));
  process.stdout.write(`${name}: FAILOVER_SEED=${seed}\n`);
  const random = new SeededRandom(seed);
  const { client, apis } = platform;
  const readers = Array.from({ length: STREAMS }, (_, number) => {
    const model = `compatible/words-${random.between(100, 250)}-seed-${number}-delay-15`;
    const own = new SeededRandom(seed + number + 1);
    return new RestlessReader({ client, apis, random: own, name: `n${number}`, model });
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
  const told = [`all ended ${(tookMs / 1_000).toFixed(1)} s after the kill`, `${resets.length} resets`];
  process.stdout.write(`${name}: ${told.join(', ')}: ${resets.map(({ reason }) => reason).join(' ')}\n`);

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
