import { expect, test } from 'vitest';
import { contentDisposition } from './content-headers.ts';

test.each([
  ['image/png', 'photo.png', 'inline; filename="photo.png"'],
  ['text/html', 'page.html', 'attachment; filename="page.html"'],
  ['image/svg+xml', 'a.png', 'attachment; filename="a.png"'],
  [
    'application/pdf',
    'a "b" \\ c%20.pdf',
    `inline; filename="a _b_ _ c_20.pdf"; filename*=UTF-8''a%20%22b%22%20%5C%20c%2520.pdf`,
  ],
  [
    'text/plain',
    "l'été (1)*.txt",
    `attachment; filename="l'_t_ (1)_.txt"; filename*=UTF-8''l%27%C3%A9t%C3%A9%20%281%29%2A.txt`,
  ],
  ['video/mp4', '北京😀', `inline; filename="___"; filename*=UTF-8''%E5%8C%97%E4%BA%AC%F0%9F%98%80`],
  ['image/jpeg', null, 'inline; filename="ast_1.jpg"'],
  ['application/octet-stream', null, 'attachment; filename="ast_1.bin"'],
])('%s as %j', (mime_type, filename, expected) => {
  expect(contentDisposition({ id: 'ast_1', mime_type, filename })).toBe(expected);
});
