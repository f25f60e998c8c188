import { readFile } from 'node:fs/promises';
import { expectedText } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { EventStream } from './event-stream.ts';
import { type Platform, startPlatform } from './platform.ts';
import { poll } from './poll.ts';
import { Transcript } from './transcript.ts';

/** Clients that connect and do not read. */
const IDLE_CLIENTS = 40;
/** An answer whose frames are about 2.7 MB (soak: 9): for all clients together 110 MB (360). */
const MODEL = process.env.CHORUS_SOAK ? 'flood-400000' : 'flood-120000';
/** The heap that the API gets: at rest it uses about 50 MB. What it must not keep would end it. */
const HEAP_MB = 112;

let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}

it.runIf(process.platform === 'linux')(
  "keeps what slow clients do not take in the log, not in the API's memory",
  { timeout: 180_000 },
  async () => {
    const { client } = platform;
    const api = await platform.startApi({ NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` });
    const { pid, url } = api;
    // The first requests make the process grow by themselves.
    await (await client.stream({ message: 'Go.', model: 'compatible/words-2000' }, { url })).frames();
    const before = await residentMb(pid);

    const begun = await client.begin({ message: 'Go.', model: `compatible/${MODEL}-start-500` });
    const idle: EventStream[] = await Promise.all(
      Array.from({ length: IDLE_CLIENTS }, () => client.events(begun.id, 0, { url })),
    );
    let highest = before;
    const job = await poll(
      'the flood is over',
      async () => {
        highest = Math.max(highest, await residentMb(pid));
        const now = await client.job(begun.id);
        return now.finished_at ? now : undefined;
      },
      150_000,
    );
    highest = Math.max(highest, await residentMb(pid));
    process.stdout.write(
      `slow clients: ${IDLE_CLIENTS} of them grew the API from ${before.toFixed(0)} to ${highest.toFixed(0)} MB\n`,
    );
    expect(api.alive).toBe(true);

    // Whoever begins to read after all gets everything.
    expect(job.output[0].text).toBe(expectedText(MODEL));
    const transcripts = await Promise.all(idle.slice(0, 3).map(async (stream) => Transcript.of(await stream.frames())));
    for (const { text, terminal } of transcripts) {
      expect(text).toBe(job.output[0].text);
      expect(terminal.execution.status).toBe('succeeded');
    }
    for (const stream of idle) stream.drop();
    await poll('the streams are closed', async () =>
      /^chorus_open_streams 0$/m.test((await client.get('/metrics', { url })).body),
    );
  },
);
