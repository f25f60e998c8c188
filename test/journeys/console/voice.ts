import { fakeVoice } from '@chorus/testing';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

/** Speaking it takes longer than the test: the provider's voice needs 10 ms per letter. */
const STORY = Array.from({ length: 40 }, (_, at) => `The mill has a wheel, and number ${at + 1} turns slowly.`).join(
  ' ',
);

const message = (page: Page) => page.getByRole('textbox', { name: 'Message' });

/** Makes the page hear a voice instead of its microphone. */
const HEARS_A_VOICE = `navigator.mediaDevices.getUserMedia = async () => {
  const context = new AudioContext({ sampleRate: 24000 });
  const samples = new Int16Array(Uint8Array.fromBase64('${fakeVoice(2).toString('base64')}').buffer);
  const buffer = context.createBuffer(1, samples.length, 24000);
  buffer.copyToChannel(Float32Array.from(samples, (sample) => sample / 32768), 0);
  const source = new AudioBufferSourceNode(context, { buffer, loop: true });
  const destination = context.createMediaStreamDestination();
  source.connect(destination);
  source.start();
  return destination.stream;
};`;
const HEARS_ITS_MICROPHONE = 'delete navigator.mediaDevices.getUserMedia';

async function readAloud(page: Page, jobs: () => Promise<number>): Promise<void> {
  const answer = page.getByRole('article', { name: 'Answer' });
  await answer.getByRole('button', { name: 'Read aloud' }).click();
  const stop = answer.getByRole('button', { name: 'Stop reading' });
  await stop.locator('svg').waitFor(); // while it is prepared, a loader
  await stop.click();
  await answer.getByRole('button', { name: 'Read aloud' }).waitFor();
  await expect.poll(jobs).toBe(0);
}

async function dictate(page: Page): Promise<void> {
  await page.evaluate(HEARS_A_VOICE);
  await message(page).fill('They say:');
  await page.getByRole('button', { name: 'Dictate' }).click();
  await page.getByRole('button', { name: 'Cancel dictation' }).click();
  await page.getByRole('button', { name: 'Dictate' }).click();
  await page.getByText('0:02').waitFor();
  expect(await findings(page, { rules: ['button-name', 'label', 'aria-allowed-role'] })).toEqual([]);
  await page.getByRole('button', { name: 'Finish dictation' }).click();
  await expect.poll(() => message(page).inputValue()).toBe('They say: Boats berth at the east quay.');
  await page.evaluate(HEARS_ITS_MICROPHONE);
}

/** Interrupts a long answer. */
async function call(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Start call' }).click();
  await page.getByText('Listening. Say something.').waitFor();
  await page.getByRole('button', { name: 'Mute' }).click();
  await page.getByLabel('Type a message instead').fill(`say ${STORY}`);
  await page.keyboard.press('Enter');
  await page.getByText('Speaking. Talk to interrupt.').waitFor();
  const captions = page.getByRole('list', { name: 'Captions' });
  await captions.getByText(/^Chorus\s*The mill has a wheel/).waitFor();
  expect(await findings(page, { within: 'main' })).toEqual([]);
  await screenshot(page, 'voice');
  // Also works from the text input.
  await page.keyboard.press('Escape');
  await captions.getByText('(interrupted)').waitFor();
  // The conversation stores only the spoken part.
  await captions.getByText(/number 40 turns slowly\.\s*\(interrupted\)/).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'End call' }).click();
  await page.getByText('Press to talk').waitFor();
}

export function voiceJourneys(fixtures: Fixtures): void {
  it('reads answers aloud, writes what is dictated, and continues by voice; keeps no recordings', async () => {
    const { browser, platform } = fixtures();
    const { client } = platform;
    const { session_id } = (await client.chat({ message: STORY, model: 'compatible/echo' })).body;
    const page = await browser.signedIn(`/chat/${session_id}`);
    await readAloud(page, async () => (await client.get('/jobs?kind=speech')).body.data.length);
    await dictate(page);
    const kept = async () => JSON.stringify((await client.get('/assets')).body.data);
    await expect.poll(kept).not.toContain('dictation.');
    await page.getByRole('link', { name: 'Continue by voice' }).click();
    await page.waitForURL(`/voice?session=${session_id}`);
    await call(page);
    await page.getByRole('link', { name: 'View conversation' }).click();
    await page.waitForURL(`/chat/${session_id}`);
    const said = page.getByRole('article', { name: 'You' }).getByText(/say The mill has a wheel/);
    await said.waitFor();
    // The composer keeps the dictated text.
    expect(await message(page).inputValue()).toMatch(/^They say:/);
    await browser.leave(page);
  });
}
