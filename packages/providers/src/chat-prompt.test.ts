import { expect, test } from 'vitest';
import { toPrompt } from './chat-prompt.ts';

const image = (url: string) => [
  { role: 'user' as const, content: [{ type: 'image_url' as const, image_url: { url } }] },
];

test('maps roles and texts', () => {
  const prompt = toPrompt([
    { role: 'system', content: 'a' },
    { role: 'developer', content: [{ type: 'text', text: 'b' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'c' },
        { type: 'text', text: 'd' },
      ],
    },
    { role: 'user', content: 'e' },
  ]);
  expect(prompt).toEqual([
    { role: 'system', content: 'a' },
    { role: 'system', content: 'b' },
    { role: 'assistant', content: [{ type: 'text', text: 'c\nd' }] },
    { role: 'user', content: [{ type: 'text', text: 'e' }] },
  ]);
});

test('takes images as data or by address', () => {
  const parts = [
    ['data:image/PNG;base64,aGk=', { mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } }],
    [
      'data:image/svg+xml;charset=utf-8,%3Csvg/%3E',
      { mediaType: 'image/svg+xml', data: { type: 'data', data: new TextEncoder().encode('<svg/>') } },
    ],
    [
      'https://example.com/a.png',
      { mediaType: 'image/*', data: { type: 'url', url: new URL('https://example.com/a.png') } },
    ],
  ] as const;
  for (const [url, part] of parts) expect(toPrompt(image(url))[0]!.content).toEqual([{ type: 'file', ...part }]);
});

test.each([
  'file:///etc/passwd',
  'ftp://example.com/a.png',
  'not an address',
  'data:text/html;base64,aGk=',
  'data:;base64,aGk=',
  'data:image/png;base64,',
  'data:image/png;base64,***',
  'data:image/png,%zz',
])('refuses %s and says where', (url) => {
  expect(() => toPrompt(image(url))).toThrow(
    expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining('messages[0].content[0]') }),
  );
});
