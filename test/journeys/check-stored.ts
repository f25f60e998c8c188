import { expect } from 'vitest';
import type { Payload } from './event-stream.ts';
import type { Platform } from './platform.ts';
import { Transcript } from './transcript.ts';

/** Holds what a reader was given against the database: record, message and session; and gives a fresh replay at each API. */
export async function checkStored({ client, apis }: Platform, given: Transcript): Promise<Transcript[]> {
  const id = given.executionId ?? '';
  const job = await client.job(id);
  expect(job.finished_at, id).not.toBeNull();
  expect(`execution.${job.status}`, id).toBe(given.terminal.type);
  expect(textOf(job), id).toBe(given.text);
  const answer = (await client.messages(job.session_id)).find((message) => message.id === job.message_id);
  expect(answer, id).toMatchObject({ content: given.text, status: job.status, execution_id: id });
  const session = await client.get(`/sessions/${job.session_id}`);
  expect(session.body.active_execution_id, id).toBeNull();
  const replays = await Promise.all(
    apis.map(async ({ url }) => Transcript.of(await (await client.events(id, 0, { url })).frames())),
  );
  for (const replay of replays) expect(replay.done, id).toBe(true);
  return replays;
}

export const textOf = (job: Payload): string => job.output.map((item: { text: string }) => item.text).join('');
