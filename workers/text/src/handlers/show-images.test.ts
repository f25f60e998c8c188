import { newId, type Owner } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { expect, test } from 'vitest';
import { showImages } from './show-images.ts';

const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
const assets = {
  get: async (_: Owner, id: string) => ({ id }) as AssetRecord,
  view: async ({ id }: AssetRecord) => Buffer.from(id),
};

test('sends the newest images, and text in place of the others', async () => {
  const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => String(from + index));
  const messages = await showImages({ assets, owner, sees: () => true }, [
    { role: 'user', content: 'first', attachments: ids(0, 3) },
    { role: 'assistant', content: 'yes' },
    { role: 'user', content: 'second', attachments: ids(3, 8) },
    { role: 'user', content: 'third', attachments: ids(8, 10) },
  ]);
  const contents = messages.map(({ content }) =>
    typeof content === 'string'
      ? content
      : content?.map((part) =>
          part.type === 'image_url' ? atob(part.image_url.url.split(',')[1] ?? '') : part.type === 'text' && part.text,
        ),
  );
  const before = 'An image was here; it is no longer shown.';
  expect(contents).toEqual([['first', before, before, '2'], 'yes', ['second', ...ids(3, 8)], ['third', ...ids(8, 10)]]);
});
