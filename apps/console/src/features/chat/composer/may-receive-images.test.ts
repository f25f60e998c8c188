import { expect, test } from 'vitest';
import { mayReceiveImages } from './may-receive-images.ts';

test('refuses images only for listed models that are known not to see', () => {
  const listed = (owned_by: string, ...capabilities: ('chat' | 'vision')[]) => ({ owned_by, capabilities });
  expect(mayReceiveImages(undefined)).toBe(true);
  expect(mayReceiveImages(listed('compatible', 'chat'))).toBe(true);
  expect(mayReceiveImages(listed('openai', 'chat', 'vision'))).toBe(true);
  expect(mayReceiveImages(listed('embedded', 'chat'))).toBe(false);
});
