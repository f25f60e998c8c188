import { MantineProvider } from '@mantine/core';
import { createElement } from 'react';
import { prerender } from 'react-dom/static';
import { expect, test } from 'vitest';
import { Markdown } from './markdown.tsx';

/** Returns the HTML after everything lazy has loaded, without Mantine's style sheets. */
async function render(text: string): Promise<string> {
  const page = createElement(MantineProvider, null, createElement(Markdown, { text }));
  const { prelude } = await prerender(page);
  return (await new Response(prelude).text()).replace(/<style.*?<\/style>|<!--.*?-->/gs, '');
}

test.each([
  ['Euler: $e^{i\\pi} = -1$.', 'inline'],
  ['Euler: \\(e^{i\\pi} = -1\\).', 'inline'],
  ['Euler: \\[e^{i\\pi} = -1\\] holds', 'display'],
  ['Euler:\n\n$$\ne^{i\\pi} = -1\n$$\n\nholds', 'display'],
  ['Euler:\n\\[\ne^{i\\pi} = -1\n\\]\nholds', 'display'],
  ['1. Euler:\n   $$e^{i\\pi} = -1$$', 'display'],
])('renders the formula of %j', async (text, kind) => {
  const html = await render(text);
  expect(html).toMatch(/<math[^>]*>.*<msup>.*<\/math>/);
  expect(html.includes('display="block')).toBe(kind === 'display');
  expect(html).not.toContain('\\pi');
  expect(html).toContain('Euler');
});

test.each(['It costs $5, or $6 for two.', 'Set $HOME and $PATH', 'an open \\(x', 'an open \\[x', 'a \\[ b'])(
  'keeps %j as it is',
  async (text) => {
    expect((await render(text)).replace(/<[^>]*>/g, '')).toBe(text);
  },
);

test('shows the source of a formula that is not valid or not safe', async () => {
  expect(await render('A $\\frac{1$ b')).toContain('<code>$\\frac{1$</code>');
  for (const unsafe of ['\\href{javascript:alert(1)}{x}', '\\includegraphics{https://example.org/x.png}']) {
    const html = await render(`$${unsafe}$`);
    expect(html).not.toMatch(/<a |<img|href=|src=/);
  }
  expect(await render(`$$${'{'.repeat(3000)}$$`)).toContain('<code>');
});

test('orders headings below the title of the page, without gaps', async () => {
  const html = await render('# One\n\n#### Two\n\n###### Three\n\n## Four\n\n> # Quoted\n\n# Five');
  expect(html.match(/<(?:h\d|p)(?= class)/g)).toEqual(['<h2', '<h3', '<h4', '<h3', '<p', '<h2']);
});
