import { expect, test } from 'vitest';
import { capabilitiesOf } from './model-traits.ts';

test.each([
  'gpt-6.1-sol',
  'gpt-4o-mini',
  'o3',
  'llama3.3:70b',
  'qwen2.5-coder',
  'meta-llama/Llama-3.1-8B-Instruct',
  'words-20',
  'gpt-3.5-turbo',
  'deepseek-r1',
  'olive-7b',
])('%s is for chat', (id) => {
  expect(capabilitiesOf(id)).toContain('chat');
});

test.each([
  ['text-embedding-3-small', ['embedding']],
  ['nomic-embed-text', ['embedding']],
  ['whisper-1', ['transcription']],
  ['gpt-4o-transcribe', ['transcription']],
  ['tts-1', ['speech']],
  ['gpt-4o-mini-tts', ['speech']],
  ['gpt-image-2', ['image']],
  ['dall-e-3', ['image']],
  ['sora-2', ['video']],
  ['gpt-realtime', []],
  ['gpt-4o-audio-preview', []],
  ['omni-moderation-latest', []],
  ['davinci-002', []],
  ['gpt-3.5-turbo-instruct', []],
  ['gpt-live-1', []],
  ['bge-reranker', []],
])('%s is for %j', (id, capabilities) => {
  expect(capabilitiesOf(id)).toEqual(capabilities);
});

test('detects vision by name', () => {
  for (const id of [
    'gpt-4o',
    'gpt-6.1-sol',
    'o3',
    'llava:13b',
    'qwen2.5-vl-7b',
    'org/qwen2.5vl:7b',
    'gemma3:4b',
    'llama3.2-vision',
  ])
    expect(capabilitiesOf(id)).toEqual(['chat', 'vision']);
  for (const id of ['gpt-3.5-turbo', 'gpt-4', 'o1-mini', 'llama3', 'mistral:7b'])
    expect(capabilitiesOf(id)).toEqual(['chat']);
});
