import { expect, it } from 'vitest';
import { seriousFindings } from './accessibility.ts';
import { picture } from './browser.ts';
import type { Here } from './shell.ts';

/** Spoken, it lasts for longer than anybody here waits. */
const STORY = Array.from({ length: 12 }, (_, at) => `The mill has a wheel, and number ${at + 1} turns slowly.`).join(
  ' ',
);

export function voiceJourneys(here: Here): void {
  it('an answer is spoken, read along, and interrupted; the conversation holds what was heard', async () => {
    const { browser } = here();
    const page = await browser.signedIn('/voice');
    await page.getByRole('button', { name: 'Begin to talk' }).click();
    await page.getByText('Listening: say something').waitFor();
    await page.getByRole('button', { name: 'Mute' }).click();
    await page.getByLabel('Write instead').fill(`say ${STORY}`);
    await page.keyboard.press('Enter');
    await page.getByText('Speaking: speak to interrupt').waitFor();
    const captions = page.getByRole('list', { name: 'Captions' });
    await captions.getByText(/^Chorus\s*The mill has a wheel/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'voice');
    // From the line in which one has just written, too.
    await page.keyboard.press('Escape');
    await captions.getByText('(interrupted)').waitFor();
    // What was not heard is no part of it.
    await captions.getByText(/number 12 turns slowly\.\s*\(interrupted\)/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'End the talk' }).click();
    await page.getByText('Press to talk').waitFor();
    await page.getByRole('link', { name: 'Open the conversation' }).click();
    await page
      .getByRole('article', { name: 'You' })
      .getByText(/say The mill has a wheel/)
      .waitFor();
    await page.context().close();
  });
}
