import type { ChorusClient } from '@chorus/client';
import { useSyncExternalStore } from 'react';
import { fromBase64 } from '../../../audio/pcm.ts';
import { notifyError } from '../../../data/notify.ts';
import { withStreamSlot } from '../../../data/use-execution.ts';
import { PcmPlayer } from './pcm-player.ts';
import { speechParts } from './speech-parts.ts';

/** The message being read, if any. */
type Reading = { messageId: string; state: 'preparing' | 'speaking' } | null;

/** The next part of a long text is requested when this much sound is left. */
const LEAD_SECONDS = 10;

let reading: Reading = null;
let stop: (() => void) | null = null;
const listeners = new Set<() => void>();

function setReading(next: Reading): void {
  reading = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Returns how far reading a message aloud is: undefined if it is not being read. */
export function useReading(messageId: string): 'preparing' | 'speaking' | undefined {
  return useSyncExternalStore(subscribe, () => (reading?.messageId === messageId ? reading.state : undefined));
}

export function stopReading(): void {
  stop?.();
  stop = null;
  setReading(null);
}

/** Reads a Markdown text aloud, one at a time. A click must have started it, since browsers block other sound. */
export async function readAloud(client: ChorusClient, messageId: string, markdown: string): Promise<void> {
  stopReading();
  const player = new PcmPlayer();
  const controller = new AbortController();
  const { signal } = controller;
  stop = () => {
    controller.abort();
    player.close();
  };
  const onSound = () => {
    if (!signal.aborted && reading?.state === 'preparing') setReading({ messageId, state: 'speaking' });
  };
  setReading({ messageId, state: 'preparing' });
  try {
    for (const input of speechParts(markdown)) {
      await player.untilLeft(LEAD_SECONDS);
      await withStreamSlot(signal, () => speak(client, { input, player, signal, onSound }));
    }
    await player.untilLeft(0);
  } catch (error) {
    if (!signal.aborted) notifyError(error);
  }
  if (!signal.aborted) stopReading();
}

interface Part {
  input: string;
  player: PcmPlayer;
  signal: AbortSignal;
  onSound: () => void;
}

/** Speaks one part, then deletes its job and the recording. */
async function speak(client: ChorusClient, { input, player, signal, onSound }: Part): Promise<void> {
  const stream = client.voice.speak.stream({ input, format: 'pcm' });
  // A canceled job must end before it can be deleted, so the stream is read to its end.
  signal.addEventListener('abort', () => stream.cancel().catch(() => undefined), { once: true });
  let heard = 0;
  for await (const frame of stream) {
    if (frame.type !== 'audio.delta' || signal.aborted) continue;
    const pcm = fromBase64(frame.delta);
    // After another worker took over, the sound starts again.
    player.push(pcm.subarray(Math.max(0, heard - frame.offset) >> 1));
    heard = Math.max(heard, frame.offset + pcm.byteLength);
    onSound();
  }
  const { id, status, error } = await stream.done();
  await client.jobs.delete(id, { assets: true }).catch(() => undefined);
  if (status === 'failed' && !signal.aborted) throw new Error(error?.message ?? 'The text could not be spoken.');
}
