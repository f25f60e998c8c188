import { expectedText } from '@chorus/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Payload } from '../event-stream.ts';
import type { Platform } from '../platform.ts';
import { poll } from '../poll.ts';
import { WatchedStream } from '../transcript.ts';
import { startHalfResponses } from './responses.ts';
import { startHalfCalls } from './tool-calls.ts';

const SOAK = process.env.CHORUS_SOAK === '1';

/** 15 s by contract, on an idle machine. */
const TAKEN_OVER_WITHIN_MS = SOAK ? 15_000 : 45_000;

let platform: Platform;

/** Starts a worker that hands its turns back at once when stopped. */
const startWorker = () => platform.startTextWorker({ SHUTDOWN_GRACE_MS: '300' });

const turn = async (model: string) => new WatchedStream(await platform.client.stream({ message: 'Go.', model }));

/** Starts an OpenAI stream, whose client cannot take text back. */
const stateless = async (model: string) =>
  new WatchedStream(await platform.client.stream({ messages: [{ role: 'user', content: 'Go.' }], model }));

const hasText = (watched: WatchedStream, words: number) => watched.transcript.text.split(' ').length >= words;

async function messageOf(execution: Payload): Promise<Payload> {
  return (await platform.client.messages(execution.session_id)).find(({ id }) => id === execution.message_id);
}

export function takeoverJourneys(getPlatform: () => Platform): void {
  beforeAll(() => {
    platform = getPlatform();
  });

  describe('a killed worker', { timeout: 120_000 }, () => {
    it('is replaced within 15 s: from the start without shown text, otherwise after a reset, and nothing is repeated', async () => {
      const first = await platform.onlyTextWorker();
      const silent = await turn('compatible/words-60-hang-once@silent');
      const shown = await turn('compatible/words-250-delay-20-hang-after-150-once@shown');
      const openAi = await stateless('compatible/words-250-delay-20-hang-after-150-once@openai');
      const openAiSilent = await stateless('compatible/words-60-hang-once@openai');
      await poll('text is shown', () => hasText(shown, 20) && hasText(openAi, 20));
      // One kill serves tool calls and responses too.
      const checks = [await startHalfCalls(platform), await startHalfResponses(platform)];
      await poll('all run', () => platform.fake.requests.filter(({ closedAt }) => closedAt === null).length === 11);
      const killedAt = performance.now();
      await first.end('SIGKILL');
      await startWorker();

      const [silentEnd, shownEnd, openAiEnd, openAiSilentEnd] = await Promise.all(
        [silent, shown, openAi, openAiSilent].map((watched) => watched.end()),
      );
      expect(silentEnd?.resets).toEqual([]);
      expect(silentEnd?.text).toBe(expectedText('words-60'));
      expect(silentEnd?.terminal.execution).toMatchObject({ status: 'succeeded', attempt: 2 });

      expect(shownEnd?.resets).toMatchObject([{ reason: 'worker_lost' }]);
      expect(shownEnd?.text).toBe(expectedText('words-250'));
      expect(shownEnd?.terminal.execution).toMatchObject({ status: 'succeeded', attempt: 2 });
      expect(await messageOf(shownEnd?.terminal.execution)).toMatchObject({
        content: shownEnd?.text,
        status: 'succeeded',
      });
      const takenOver = (shown.at.get('text.reset') ?? 0) - killedAt;
      process.stdout.write(`takeover: ${(takenOver / 1_000).toFixed(1)} s after kill -9\n`);
      expect(takenOver).toBeLessThan(TAKEN_OVER_WITHIN_MS);

      // OpenAI clients keep the shown text and get an error.
      expect(openAiEnd?.resets).toEqual([]);
      expect(openAiEnd?.terminal).toMatchObject({
        type: 'execution.failed',
        error: { code: 'worker_lost' },
        execution: { status: 'failed', attempt: 2, error: { code: 'worker_lost' } },
      });
      expect(expectedText('words-250').startsWith(openAiEnd?.text ?? '-')).toBe(true);
      expect(openAiEnd?.terminal.execution.output).toEqual([{ type: 'text', text: openAiEnd?.text }]);

      expect(openAiSilentEnd?.terminal.execution).toMatchObject({ status: 'succeeded', attempt: 2 });
      expect(openAiSilentEnd?.text).toBe(expectedText('words-60'));
      for (const check of checks) await check();
    });

    it('hands its turns back at once when stopped, and fails a turn whose next three workers are killed', async () => {
      const first = await platform.onlyTextWorker();
      const shown = await turn('compatible/words-150-delay-20-hang-after-100-once@handback');
      const silent = await turn('compatible/words-20-hang-once@handback');
      const openAi = await stateless('compatible/words-150-delay-20-hang-after-100-once@handback-openai');
      await poll('text is shown', () => hasText(shown, 10) && hasText(openAi, 10));
      const watched = await turn('compatible/hang-after-5');
      const shownAgain = (resets: number) =>
        poll(
          `text is shown after ${resets} resets`,
          () => watched.transcript.resets.length === resets && hasText(watched, 5),
        );
      await shownAgain(0);
      const second = await startWorker();
      expect(await first.end('SIGTERM')).toBe(0);
      await shownAgain(1);

      const shownEnd = await shown.end();
      expect(shownEnd.resets).toMatchObject([{ reason: 'handed_back' }]);
      expect(shownEnd.text).toBe(expectedText('words-150'));
      expect(shownEnd.terminal.execution.status).toBe('succeeded');

      const silentEnd = await silent.end();
      expect(silentEnd.resets).toEqual([]);
      expect(silentEnd.text).toBe(expectedText('words-20'));

      const openAiEnd = await openAi.end();
      expect(openAiEnd.terminal).toMatchObject({ type: 'execution.failed', error: { code: 'worker_lost' } });
      expect(openAiEnd.terminal.execution.output).toEqual([{ type: 'text', text: openAiEnd.text }]);

      let last = second;
      for (let kills = 1; kills <= 2; kills += 1) {
        const next = await startWorker();
        await last.end('SIGKILL');
        await shownAgain(1 + kills);
        last = next;
      }
      await startWorker();
      const killedAt = performance.now();
      await last.end('SIGKILL');

      const { terminal, text, resets } = await watched.end();
      expect(performance.now() - killedAt).toBeLessThan(TAKEN_OVER_WITHIN_MS);
      expect(resets.map(({ reason }) => reason)).toEqual(['handed_back', 'worker_lost', 'worker_lost']);
      expect(terminal).toMatchObject({
        type: 'execution.failed',
        execution: { status: 'failed', error: { code: 'worker_lost' } },
      });
      expect(text).toBe(expectedText('hang-after-5'));
      expect(terminal.execution.output).toEqual([{ type: 'text', text }]);
      expect(await messageOf(terminal.execution)).toMatchObject({ content: text, status: 'failed' });
      const session = await platform.client.get(`/sessions/${terminal.execution.session_id}`);
      expect(session.body.active_execution_id).toBeNull();
    });
  });

  describe('a stopped worker', () => {
    it('has ended turns that exceed their timeout, keeping the shown text, and finishes others within its grace period', async () => {
      await (await platform.onlyTextWorker()).end('SIGKILL');
      const worker = await platform.startTextWorker({ SHUTDOWN_GRACE_MS: '10000', CHAT_TIMEOUT_MS: '3000' });
      const model = 'compatible/hang-after-5@timeout';
      const late = await (await turn(model)).end();
      expect(late.terminal).toMatchObject({
        type: 'execution.failed',
        execution: {
          error: { code: 'timeout' },
          output: [{ type: 'text', text: expectedText('hang-after-5') }],
        },
      });
      expect(late.text).toBe(expectedText('hang-after-5'));
      const request = platform.fake.requests.find((each) => model.endsWith(`/${each.model}`));
      await poll("the provider's connection is closed", () => request?.closedAt);

      const watched = await turn('compatible/words-20-delay-20@grace');
      await poll('text is shown', () => hasText(watched, 5));
      expect(await worker.end('SIGTERM')).toBe(0);
      const { resets, text, terminal } = await watched.end();
      expect(resets).toEqual([]);
      expect(text).toBe(expectedText('words-20'));
      expect(terminal.execution.attempt).toBe(1);
    });
  });
}
