import { expectedText, fakeVoice } from '@chorus/testing';
import { expect, it } from 'vitest';
import type { Platform } from '../platform.ts';
import { poll } from '../poll.ts';
import { VoiceClient } from '../voice-client.ts';

const silence = Buffer.alloc(700 * 48);

export function voiceSocketJourneys(getPlatform: () => Platform): void {
  it('continues a spoken conversation across processes: one interrupted, one killed, one to the end', async () => {
    const { client, fake, apis } = getPlatform();
    const [first, second] = apis;
    // Speech starts while the text is still being written. A busy machine needs seconds for each step.
    const model = 'compatible/words-120-delay-150@journey';
    const one = new VoiceClient(first!.url, client.token, { model });
    await one.next('session.created');
    one.speak(fakeVoice(1), silence);
    const { response } = await one.next('response.created');
    for (let heard = 0; heard < 8; heard++) await one.next('response.output_audio.delta');
    const session_id = response.session_id as string;
    const meta = await client.call('POST', '/voice/chat/meta', { body: { session_id } });
    expect(meta.body.session).toMatchObject({ state: 'speaking', active_execution_id: response.execution_id });

    const { body: interruption } = await client.call('POST', `/voice/interrupt/${session_id}`, { url: second!.url });
    expect(interruption).toMatchObject({ interrupted: true, execution_id: response.execution_id });
    expect((await one.next('response.done')).response.status).toBe('cancelled');
    expect((await one.next('conversation.item.truncated')).audio_end_ms).toBe(interruption.heard_ms);
    const { body: message } = await client.call('GET', `/messages/${interruption.message_id}`);
    expect(message).toMatchObject({
      content: interruption.heard,
      voice: { interrupted: true, heard_ms: interruption.heard_ms },
    });
    expect(expectedText('words-120').startsWith(interruption.heard)).toBe(true);
    const { body: history } = await client.call('GET', `/messages/${interruption.message_id}/history`);
    expect(history.data.map(({ action }: { action: string }) => action)).toEqual(['created', 'interrupted']);
    const again = await client.call('POST', `/voice/interrupt/${session_id}`, { url: second!.url });
    expect([again.status, again.body.interrupted]).toEqual([200, false]);

    one.speak(fakeVoice(1), silence);
    const { response: next } = await one.next('response.created');
    for (let heard = 0; heard < 8; heard++) await one.next('response.output_audio.delta');
    const written = fake.requests.filter((request) => `compatible/${request.model}` === model);
    const asked = written.at(-1)?.body as { messages: { role: string; content: string }[] };
    const [spoken, ...said] = asked.messages.map(({ content }) => content);
    expect(spoken).toContain('Be brief');
    expect(said).toEqual(['one two', interruption.heard, 'one two']);
    await first!.end('SIGKILL');

    const two = new VoiceClient(second!.url, client.token, { model, session_id });
    const { response: rest } = await two.next('response.done');
    expect(rest).toMatchObject({ status: 'completed', execution_id: next.execution_id });
    expect(expectedText('words-120').endsWith(two.text)).toBe(true);
    const answer = await poll('the transcript', async () => {
      const { body } = await client.call('GET', `/messages/${rest.output[0]!.id}`, { url: second!.url });
      return body.voice && body;
    });
    expect(answer).toMatchObject({ content: expectedText('words-120'), voice: { interrupted: false } });
    two.close();
    await first!.start();
  });
}
