export { type FakeOpenAI, type FakeOpenAIOptions, startFakeOpenAI } from './fake-openai.ts';
export type { FakeRequest } from './fake-openai-answer.ts';
export { expectedText } from './fake-openai-behaviour.ts';
