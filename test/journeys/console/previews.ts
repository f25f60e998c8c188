import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { findings } from './accessibility.ts';
import { screenshot } from './browser.ts';
import { hostilePreview, startTurn } from './hostile-preview.ts';
import type { Fixtures } from './shell.ts';

const block = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``;

const WIDE = Array.from({ length: 30 }, (_, at) => `column ${at}`).join(' | ');

const answerWith = (turn: string) =>
  [
    block('html', hostilePreview(turn)),
    block('mermaid', 'graph TD\n  A[Harbour] --> B[Pier]'),
    block('mermaid', 'graph TD\n  A[[[ -->'),
    block('svg', '<svg viewBox="0 0 20 10"><script>window.broken = true</script><rect width="20" height="10"/></svg>'),
    block('python', 'print(42)'),
    `| ${WIDE} |\n| ${WIDE.replace(/column \d+/g, '---')} |\n| ${WIDE} |`,
  ].join('\n\n');

export function previewsJourneys(fixtures: Fixtures): void {
  it('runs HTML in isolation, draws diagrams and images, and downloads code', async () => {
    const { browser, platform } = fixtures();
    await using turn = await startTurn();
    const message = answerWith(turn.address);
    const { session_id } = (await platform.client.chat({ message, model: 'compatible/echo' })).body;
    const known = browser.pageErrors.length;
    const page = await browser.signedIn(`/chat/${session_id}`);
    const leaks: string[] = [];
    // Refused requests are reported, too, but never answered.
    page.on('response', (response) => response.url().includes('leak') && leaks.push(response.url()));
    const answer = page.getByRole('article', { name: 'Answer' });
    const code = (text: string) => answer.locator('figure', { hasText: text });

    await code('html').first().getByRole('button', { name: 'Preview' }).click();
    const out = answer.frameLocator('iframe[title=Preview]').locator('#out');
    await expect.poll(() => out.textContent()).toMatch(/ done$/);
    const got = Object.fromEntries(
      [...String(await out.textContent()).matchAll(/(\w+)=(\S+)/g)].map(([, name, it]) => [name, it]),
    );
    const denied = { cookie: 'SecurityError', storage: 'SecurityError', parent: 'SecurityError', top: 'SecurityError' };
    expect(got).toMatchObject({ ...denied, fetch: 'TypeError', image: 'refused', script: 'refused', open: 'null' });
    expect(got).toMatchObject({ peer: 'TypeError', unsafe: 'TypeError' });
    expect(leaks).toEqual([]);
    expect(turn.connections()).toBe(0);

    await answer.getByRole('img', { name: 'Diagram' }).waitFor();
    const width = "document.querySelector('[alt=Diagram]').naturalWidth";
    await expect.poll(() => page.evaluate(width)).toBeGreaterThan(50);
    await answer.getByText(/^This diagram cannot be drawn\. /).waitFor();
    await code('<rect').getByRole('button', { name: 'Preview' }).click();
    await expect.poll(() => page.evaluate("document.querySelector('[alt=Image]')?.naturalHeight")).toBeGreaterThan(0);
    expect(await page.evaluate('"broken" in window')).toBe(false);

    const downloading = page.waitForEvent('download');
    await code('print(42)').getByRole('button', { name: 'Download code' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('code.py');
    expect(await readFile(await download.path(), 'utf8')).toBe('print(42)');

    const overflow = (of: string) =>
      page.evaluate(`{ const e = document.querySelector('${of}'); e.scrollWidth - e.clientWidth }`);
    expect(await overflow('article[aria-label=Answer]')).toBe(0);
    expect(await findings(page)).toEqual([]);
    await screenshot(page, 'chat-previews');
    await browser.leave(page);
    // The sandbox has reported the requests that it refused.
    const refused = browser.pageErrors.splice(known);
    expect(refused.filter((error) => !error.includes('/leak'))).toEqual([]);
  });
}
