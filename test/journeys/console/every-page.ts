import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Platform } from '../platform.ts';
import { findings } from './accessibility.ts';
import { navigate } from './browser.ts';
import { messageKeysIn } from './message-keys.ts';
import type { Fixtures } from './shell.ts';

const MARKDOWN = [
  '# One\n\n#### Two\n\n- [ ] a task\n\n> quoted\n\n```ts\nexport const answer = 42; // the answer\n```\n',
  '| planet | moons |\n| --- | --- |\n| Mars | 2 |\n\nThe sum is $\\frac{1}{2}$ and `code`.\n\n## Three',
].join('\n');

const SETTINGS = ['usage', 'agents', 'prompts', 'tools', 'keys', 'webhooks', 'audit', 'data', 'account'];
const ADMINISTRATION = ['users', 'providers', 'models', 'usage', 'queues'];
const STUDIO = ['images', 'video', 'batch', 'gallery', 'read', 'verify'];
const PAGES = [
  ...['/chat', '/knowledge', '/knowledge/ask', '/archive', '/voice', '/jobs', '/jobs/batches', '/nowhere'],
  ...SETTINGS.map((part) => `/settings/${part}`),
  ...ADMINISTRATION.map((part) => `/administration/${part}`),
  ...STUDIO.map((part) => `/studio/${part}`),
];

/** Pages with tables or code, which scroll on a phone. */
const WIDE = /^\/settings|^\/administration|^\/chat\/|^\/archive\//;

type Content = [path: string, text: string];

/** Fills the lists. Returns the pages of single records, each with a text on it. */
async function fill({ client }: Platform): Promise<Content[]> {
  const [answered, failed, entry, unit] = await Promise.all([
    client.chat({ message: MARKDOWN, model: 'compatible/echo' }),
    client.start({ message: 'Fail', model: 'compatible/refuse' }),
    client.post('/console/knowledge', { content: 'Boats berth at the east quay.', tags: ['harbour'] }),
    client.post('/archive/units', { title: 'Berths', content: MARKDOWN }),
    client.post('/agents', { name: 'Gardener', instructions: 'Be brief.' }),
    // Enough to make the audit log scroll.
    ...Array.from({ length: 16 }, () => client.post('/api-keys', { name: 'A robot' })),
  ]);
  return [
    [`/chat/${answered.body.session_id}`, 'Three'],
    [`/chat/${failed.session_id}`, 'This answer failed'],
    [`/knowledge/${entry.body.id}`, 'harbour'],
    [`/archive/${unit.body.id}`, 'Three'],
    [`/jobs/${failed.id}`, 'Failed'],
  ];
}

/** States of pages that others do not show: errors, warnings, and switches that are on. */
const STATES: Record<string, (page: Page) => Promise<void>> = {
  'a mistake in a dialog': async (page) => {
    await navigate(page, '/settings/tools');
    await page.getByRole('button', { name: 'Add server' }).click();
    await page.getByLabel('Name').fill('Files');
    await page.getByLabel('Address').fill('http://10.0.0.1/mcp');
    await page.keyboard.press('Enter');
    await page.locator('[aria-invalid=true]').waitFor();
  },
  'a new key': async (page) => {
    await page.keyboard.press('Escape');
    await navigate(page, '/settings/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('Another robot');
    await page.keyboard.press('Enter');
    await page.getByText('Copy your API key now').waitFor();
  },
  'knowledge switched on, and a warning': async (page) => {
    await page.getByRole('button', { name: 'Done' }).click();
    await navigate(page, '/chat');
    await page.getByRole('button', { name: 'Knowledge' }).click();
    const buffer = Buffer.from('CD001');
    await page.locator('input[type=file]').setInputFiles({ name: 'a.iso', mimeType: 'application/x-iso', buffer });
    await page.getByText('“a.iso” has an unsupported type').waitFor();
  },
};

/** Opens a page without loading the console again, and waits for its content. */
export async function visit(page: Page, [path, text]: Content): Promise<void> {
  await navigate(page, path);
  const isLoaded = `location.pathname.startsWith('${path}') && document.querySelector('main h1, main h2') !== null
    && document.querySelector('.mantine-Loader-root[role=status]') === null && document.body.innerText.includes('${text}')`;
  await expect.poll(() => page.evaluate(isLoaded), { interval: 50, message: path }).toBe(true);
}

export function everyPageJourneys(fixtures: Fixtures): void {
  it('has no page with axe findings or missing messages, in light, in dark, or on a phone', async () => {
    const { browser, platform } = fixtures();
    const contents: Content[] = [...PAGES.map((path): Content => [path, '']), ...(await fill(platform))];
    const page = await browser.signedIn('/chat');
    const found: Record<string, string[]> = {};
    const check = async (name: string, rules?: string[]) => {
      const some = await findings(page, { ...(rules && { rules }) });
      if (some.length > 0) found[name] = some;
    };
    const checkBoth = async (name: string) => {
      const untranslated = messageKeysIn(await page.locator('body').textContent());
      if (untranslated.length > 0) found[`${name}, untranslated`] = untranslated;
      await check(name);
      await page.emulateMedia({ colorScheme: 'dark' });
      await check(`${name} in dark`, ['color-contrast']);
      await page.emulateMedia({ colorScheme: 'light' });
    };
    for (const content of contents) {
      await visit(page, content);
      await checkBoth(content[0]);
    }
    for (const [name, reach] of Object.entries(STATES)) {
      await reach(page);
      await checkBoth(name);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    for (const content of contents.filter(([path]) => WIDE.test(path))) {
      await visit(page, content);
      await check(`${content[0]} on a phone`, ['scrollable-region-focusable', 'aria-hidden-focus', 'button-name']);
    }
    expect(found).toEqual({});
    await browser.leave(page);
  });
}
