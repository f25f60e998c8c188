import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

/** Speaking it takes longer than the test. */
const STORY = Array.from({ length: 12 }, (_, at) => `The mill has a wheel, and number ${at + 1} turns slowly.`).join(
  ' ',
);

/** Makes the page hear a recording instead of its microphone. */
const microphone = (url: string) => `navigator.mediaDevices.getUserMedia = async () => {
  const context = new AudioContext();
  const destination = context.createMediaStreamDestination();
  const buffer = await context.decodeAudioData(await (await fetch('${url}')).arrayBuffer());
  const source = new AudioBufferSourceNode(context, { buffer, loop: true });
  source.connect(destination);
  source.start();
  return destination.stream;
};`;

export function voiceJourneys(fixtures: Fixtures): void {
  it('reads an answer aloud, stops, and keeps no recording', async () => {
    const { browser, platform } = fixtures();
    const { session_id } = (await platform.client.chat({ message: STORY, model: 'compatible/echo' })).body;
    const page = await browser.signedIn(`/chat/${session_id}`);
    const answer = page.getByRole('article', { name: 'Answer' });
    await answer.getByRole('button', { name: 'Read aloud' }).click();
    const stop = answer.getByRole('button', { name: 'Stop reading' });
    await stop.locator('svg').waitFor(); // while it is prepared, a loader
    expect(await findings(page)).toEqual([]);
    await stop.click();
    await answer.getByRole('button', { name: 'Read aloud' }).waitFor();
    const jobs = async () => (await platform.client.get('/jobs?kind=speech')).body.data.length;
    await expect.poll(jobs).toBe(0);
    await browser.leave(page);
  });

  it('writes what is dictated, keeps no recording, and continues the conversation by voice', async () => {
    const { browser, platform } = fixtures();
    const page = await browser.signedIn('/chat', { model: 'compatible/echo' });
    const { body: spoken } = await platform.client.post('/speech', { input: STORY.slice(0, 60), format: 'wav' });
    await page.evaluate(microphone(spoken.output[0].asset.url));
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('They say:');
    await page.getByRole('button', { name: 'Dictate' }).click();
    await page.getByRole('button', { name: 'Cancel dictation' }).click();
    await page.getByRole('button', { name: 'Dictate' }).click();
    await page.getByRole('button', { name: 'Cancel dictation' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByText('0:02').waitFor();
    await page.getByRole('button', { name: 'Finish dictation' }).click();
    await expect.poll(() => message.inputValue()).toBe('They say: Boats berth at the east quay.');
    const kept = async () => JSON.stringify((await platform.client.get('/assets')).body.data);
    await expect.poll(kept).not.toContain('dictation.');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/chat\/ses_/);
    const id = new URL(page.url()).pathname.split('/').at(-1);
    await page.getByRole('link', { name: 'Continue by voice' }).click();
    await page.waitForURL(`/voice?session=${id}`);
    await page.reload(); // with its own microphone
    await page.getByRole('link', { name: 'View conversation' }).waitFor();
    await page.getByRole('button', { name: 'Start call' }).click();
    await page.getByText('Listening. Say something.').waitFor();
    await page.getByRole('button', { name: 'Mute' }).click();
    await page.getByLabel('Type a message instead').fill('say Good');
    await page.keyboard.press('Enter');
    const asked = async () => (await platform.client.get(`/sessions/${id}/messages`)).body.data.length;
    await expect.poll(asked).toBe(4);
    await browser.leave(page);
  });

  it('speaks, captions, and interrupts an answer; stores only the spoken part', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/voice');
    await page.getByRole('button', { name: 'Start call' }).click();
    await page.getByText('Listening. Say something.').waitFor();
    await page.getByRole('button', { name: 'Mute' }).click();
    await page.getByLabel('Type a message instead').fill(`say ${STORY}`);
    await page.keyboard.press('Enter');
    await page.getByText('Speaking. Talk to interrupt.').waitFor();
    const captions = page.getByRole('list', { name: 'Captions' });
    await captions.getByText(/^Chorus\s*The mill has a wheel/).waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'voice');
    // Also works from the text input.
    await page.keyboard.press('Escape');
    await captions.getByText('(interrupted)').waitFor();
    // The conversation stores only the spoken part.
    await captions.getByText(/number 12 turns slowly\.\s*\(interrupted\)/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'End call' }).click();
    await page.getByText('Press to talk').waitFor();
    await page.getByRole('link', { name: 'View conversation' }).click();
    await page
      .getByRole('article', { name: 'You' })
      .getByText(/say The mill has a wheel/)
      .waitFor();
    await browser.leave(page);
  });
}
