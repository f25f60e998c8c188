import { expect, it } from 'vitest';
import { seriousFindings } from './accessibility.ts';
import { picture } from './browser.ts';
import type { Here } from './shell.ts';

export function voiceJourneys(here: Here): void {
  it('an answer is spoken, read along, and interrupted; the conversation holds what was heard', async () => {
    const { browser } = here();
    const page = await browser.signedIn('/voice');
    await page.getByRole('button', { name: 'Begin to talk' }).click();
    await page.getByText('Listening: say something').waitFor();
    await page.getByRole('button', { name: 'Mute' }).click();
    await page.getByLabel('Write instead').fill('What can you do here?');
    await page.keyboard.press('Enter');
    await page.getByText('Speaking: speak to interrupt').waitFor();
    const captions = page.getByRole('list', { name: 'Captions' });
    await captions.getByText(/embedded assistant/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await picture(page, 'voice');
    await page.getByRole('button', { name: 'Interrupt' }).click();
    await captions.getByText('(interrupted)').waitFor();
    await page.getByRole('button', { name: 'End the talk' }).click();
    await page.getByText('Press to talk').waitFor();
    await page.getByRole('link', { name: 'Open the conversation' }).click();
    await page.getByRole('article', { name: 'You' }).getByText('What can you do here?').waitFor();
    await page.context().close();
  });
}
