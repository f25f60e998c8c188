import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import type { Fixtures } from './shell.ts';

const ECHO = { model: 'compatible/echo' };

/** Runs until stopped. */
const ENDLESS = 'compatible/words-5000-delay-20';

const ENDLESS_ANIMATIONS =
  'document.getAnimations().filter(({ effect }) => effect.getTiming().iterations === Infinity).length';

const MARKDOWN = [
  '# A title',
  '',
  '| planet | moons |',
  '| --- | --- |',
  '| Mars | 2 |',
  '',
  '```ts',
  'export const answer: number = 42; // the answer',
  '```',
  '',
  'Energy is $E = mc^2$, and \\(a\\) is not b.',
  '',
  '<img src=x onerror="window.broken = true"> and [a trap](javascript:window.broken=true) and [a link](https://example.org)',
].join('\n');

const box = (page: Page) => page.getByRole('textbox', { name: 'Message' });

async function send(page: Page, text: string): Promise<void> {
  await box(page).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

const focused = (page: Page) => page.evaluate('document.activeElement.tagName');

const answers = (page: Page) => page.getByRole('article', { name: 'Answer' });
const ended = (page: Page) => answers(page).last().getByRole('button', { name: 'Regenerate' }).waitFor();

/** Chooses from the menu of a message. */
async function choose(page: Page, message: Locator, action: string): Promise<void> {
  await message.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

export function chatJourneys(fixtures: Fixtures): void {
  it('renders an answer as Markdown and runs nothing in it', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/chat', ECHO);
    await send(page, MARKDOWN);
    await page.waitForURL(/\/chat\/ses_/);
    await ended(page);
    const answer = answers(page).last();
    await answer.getByRole('heading', { name: 'A title' }).waitFor();
    expect(await answer.getByRole('cell').allTextContents()).toEqual(['Mars', '2']);
    await expect.poll(() => answer.locator('math').allTextContents()).toEqual(['E=mc2', 'a']);
    await answer.locator('.hljs-keyword', { hasText: 'export' }).waitFor();
    const color = (of: string) => page.evaluate(`getComputedStyle(document.querySelector('${of}')).color`);
    expect(await color('.hljs-keyword')).not.toBe(await color('pre'));
    expect(await answer.locator('img').count()).toBe(0);
    expect(await answer.getByRole('link').allTextContents()).toEqual(['a link']);
    expect(await page.evaluate('"broken" in window')).toBe(false);
    // `every-page.ts` checks its accessibility.
    await screenshot(page, 'chat-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await screenshot(page, 'chat-dark');
    await page.setViewportSize({ width: 390, height: 844 });
    await ended(page);
    await screenshot(page, 'chat-phone-dark');
    await browser.leave(page);
  });

  it('shows reasoning, tool calls and their results', async () => {
    const { browser, platform } = fixtures();
    const { client } = platform;
    const tools = [{ type: 'function', function: { name: 'weather' } }];
    const model = 'compatible/think-call-weather@console';
    const { session_id, choices } = (await client.chat({ message: 'Umbrella?', model, tools })).body;
    const [call] = choices[0].message.tool_calls;
    const tool_outputs = [{ tool_call_id: call.id, output: 'rain all day' }];
    await client.chat({ session_id, model, tools, tool_outputs });
    const page = await browser.signedIn(`/chat/${session_id}`);
    await ended(page);
    const [first, last] = [answers(page).first(), answers(page).last()];
    expect(await first.getByRole('list', { name: 'Tool calls' }).textContent()).toBe('Called weather {}');
    const thought = first.getByText('Let me think about it.');
    expect(await thought.isVisible()).toBe(false);
    await first.getByText('Reasoning').click();
    await thought.waitFor();
    await page.getByRole('article', { name: 'Tool result' }).getByText('rain all day').waitFor();
    await last.getByText('The result is rain all day').waitFor();
    expect(await findings(page)).toEqual([]);
    await browser.leave(page);
  });

  it('continues an answer after a reload and a lost network; stops and regenerates it', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/chat', { model: ENDLESS });
    await send(page, 'Tell me much');
    const words = async () => (await answers(page).allInnerTexts()).join(' ').trim().split(/\s+/);
    const grown = async (from: number) => {
      await expect.poll(async () => (await words()).length, { timeout: 20_000 }).toBeGreaterThan(from);
      return words();
    };
    const before = await grown(20);
    // The browser prefers reduced motion.
    expect(await page.evaluate(ENDLESS_ANIMATIONS)).toBe(0);
    await box(page).fill('Written meanwhile');
    await page.reload();
    const after = await grown(before.length + 20);
    expect(after.slice(0, 20)).toEqual(before.slice(0, 20));
    expect(await box(page).inputValue()).toBe('Written meanwhile');
    await page.context().setOffline(true);
    await page.context().setOffline(false);
    await grown(after.length + 20);
    await page.getByRole('button', { name: 'Stop answer' }).click();
    await page.getByText('Stopped.').waitFor();

    await page.context().setOffline(true);
    await box(page).press('Enter');
    await page.getByText('The server cannot be reached').waitFor();
    await expect.poll(() => box(page).inputValue()).toBe('Written meanwhile');
    await page.context().setOffline(false);

    await page.getByRole('button', { name: 'Regenerate' }).click();
    // The stopped answer stays visible until then.
    await page.getByRole('button', { name: 'Stop answer' }).waitFor();
    await grown(10);
    await page.keyboard.press('Escape');
    await page.getByText('Stopped.').waitFor();
    expect(await answers(page).count()).toBe(1);
    await browser.leave(page);
  });

  it('edits a message, regenerates the answer, and undoes the edit', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/chat', ECHO);
    await send(page, 'The first words');
    await page.waitForURL(/\/chat\/ses_/);
    await ended(page);
    const mine = page.getByRole('article', { name: 'You' });
    await mine.getByRole('button', { name: 'Edit' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('BUTTON');
    await mine.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('article').getByRole('textbox', { name: 'Message' }).fill('The second words');
    await page.getByRole('button', { name: 'Save and regenerate' }).click();
    await answers(page).getByText('The second words').waitFor();
    await ended(page);
    expect(await answers(page).count()).toBe(1);
    const versions = answers(page).getByRole('group', { name: 'Versions of this answer' });
    await versions.getByText('2/2').waitFor();
    await mine.getByRole('button', { name: 'History' }).click();
    const history = page.getByRole('dialog', { name: 'Message history' });
    await history.getByText('The first words').waitFor();
    await history.getByRole('button', { name: 'Undo' }).click();
    await history.getByText('Undone').waitFor();
    await screenshot(page, 'chat-history');
    await page.keyboard.press('Escape');
    await mine.getByText('The first words').waitFor();
    await answers(page).getByText('The first words').waitFor();

    // A version has the text of the question that it answers.
    await versions.getByRole('button', { name: 'Next version' }).focus();
    await page.keyboard.press('Enter');
    await versions.getByText('2/2').waitFor();
    await mine.getByText('The second words').waitFor();
    await answers(page).getByText('The second words').waitFor();
    const label = 'document.activeElement.ariaLabel';
    expect(await page.evaluate(label)).toBe('Next version');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await versions.getByText('1/2').waitFor();
    expect(await page.evaluate(label)).toBe('Previous version');
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'chat-versions');

    await mine.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('article').getByRole('textbox', { name: 'Message' }).fill('The third words');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const mark = answers(page).getByText('This answers a different version of the question.');
    await mark.waitFor();
    const original = page.url();
    await choose(page, answers(page), 'Fork from here');
    await page.getByRole('heading', { name: 'The third words (fork)' }).waitFor();
    expect(page.url()).not.toBe(original);
    await mine.getByText('The third words').waitFor();
    await mark.waitFor();
    expect(await versions.count()).toBe(0);
    await browser.leave(page);
  });

  it('rates and explains an answer, and sends the parameters that its conversation remembers', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/chat', ECHO);
    await page.getByRole('button', { name: 'Model parameters' }).click();
    await page.getByLabel('Maximum length').fill('64');
    await page.getByRole('slider', { name: /^Temperature/ }).press('ArrowLeft');
    await page.getByText('Temperature: 0.9').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    const set = { max_tokens: 64, temperature: 0.9 };
    const sent = page.waitForRequest(/\/chat\/completions$/);
    await send(page, 'Say **this**:\n\n```js\nrun()\n```');
    expect((await sent).postDataJSON()).toMatchObject(set);
    await page.waitForURL(/\/chat\/ses_/);
    await ended(page);
    const mine = page.getByRole('article', { name: 'You' });
    await mine.locator('strong', { hasText: 'this' }).waitFor();
    await mine.locator('figure', { hasText: 'run()' }).waitFor();

    const answer = answers(page).last();
    const good = answer.getByRole('button', { name: 'Good answer' });
    await good.click();
    const other = await page.context().newPage();
    await other.goto(page.url());
    const shown = answers(other).getByRole('button', { name: 'Good answer', pressed: true });
    await shown.waitFor();
    await other.getByText('Live', { exact: true }).waitFor();
    await answer.getByRole('button', { name: 'Bad answer' }).click();
    await shown.waitFor({ state: 'detached' });
    await other.close();

    await answer.getByText(/^echo · .+ · \d+ tokens/).waitFor();
    await choose(page, answer, 'Why this answer');
    const details = page.getByRole('dialog', { name: 'Why this answer' });
    await details.getByText('1 message of this conversation. Nothing was left out.').waitFor();
    await details.getByRole('cell', { name: 'compatible/echo' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'chat-why');
    await page.keyboard.press('Escape');
    const again = page.waitForRequest(/\/chat\/completions$/);
    await answer.getByRole('button', { name: 'Regenerate' }).click();
    expect((await again).postDataJSON()).toMatchObject(set);
    await browser.leave(page);
  });

  it('opens a long conversation at its end and loads it back to its start', async () => {
    const { browser, platform } = fixtures();
    const turn = async (number: number, session_id?: string) => {
      const body = { ...ECHO, message: `Line ${number}`, session_id };
      return (await platform.client.post('/chat/completions', body)).body.session_id as string;
    };
    const id = await turn(1);
    for (let number = 2; number <= 40; number += 1) await turn(number, id);
    const page = await browser.signedIn(`/chat/${id}`);
    const mine = page.getByRole('article', { name: 'You' });
    await mine.getByText('Line 40', { exact: true }).waitFor();
    const drawn = await mine.count();
    expect(drawn).toBeLessThan(40);
    const log = page.getByRole('log', { name: 'Messages' });
    await log.evaluate((view) => view.scrollTo(0, 0));
    await expect.poll(() => mine.count(), { timeout: 20_000 }).toBe(40);
    // The scroll position is preserved.
    expect(await log.evaluate((view) => view.scrollTop)).toBeGreaterThan(100);
    await log.evaluate((view) => view.scrollTo(0, 0));
    expect(await mine.first().textContent()).toContain('Line 1');
    await browser.leave(page);
  });

  it('pins, stars, renames, finds, and deletes conversations', async () => {
    const { browser } = fixtures();
    const page = await browser.signedIn('/chat', ECHO);
    await box(page).fill('All about marmalade');
    await page.evaluate('{ const send = document.querySelector("[aria-label=Send]"); send.click(); send.click(); }');
    await page.waitForURL(/\/chat\/ses_/);
    await ended(page);
    const list = page.getByRole('navigation', { name: 'Conversations' });
    const row = (title: string) => list.getByRole('listitem').filter({ hasText: title });
    const act = async (title: string, action: string) => {
      await row(title)
        .getByRole('button', { name: /^Options for/ })
        .click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await row('All about marmalade').waitFor(); // one row: a double click sends once
    await act('All about marmalade', 'Pin');
    await row('All about marmalade').getByRole('img', { name: 'Pinned' }).waitFor();
    await act('All about marmalade', 'Star');
    await row('All about marmalade').getByRole('img', { name: 'Starred' }).waitFor();
    await act('All about marmalade', 'Rename');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Breakfast');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await row('Breakfast').waitFor();
    await list.getByRole('textbox', { name: 'Search conversations' }).fill('marmalade');
    // Results are not grouped. Before they come, the list may also have one row.
    await list.getByText('Pinned', { exact: true }).waitFor({ state: 'detached' });
    await row('Breakfast').waitFor();
    await expect.poll(() => list.getByRole('listitem').count(), { timeout: 20_000 }).toBe(1);
    await screenshot(page, 'chat-search');
    await act('Breakfast', 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await list.getByText('No results').waitFor();
    await expect.poll(() => focused(page)).not.toBe('BODY');
    await browser.leave(page);
  });
}
