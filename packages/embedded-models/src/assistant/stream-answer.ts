import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageText } from '@chorus/contract';
import { type CallOptions, type ChatCall, type ChatPart, unpriced } from '../engine-call.ts';
import { answer } from './assistant.ts';

/** The event loop gets a turn after this many words. */
const WORDS_PER_TURN = 64;
/** A word, or 24 characters of a longer one, with the space before it. */
const WORD = /\s*\S{1,24}|\s+$/gu;

/**
 * Streams the assistant's answer word by word. `max_tokens` and the usage count words, with longer ones in pieces of
 * 24 characters.
 */
export async function* streamAnswer(
  { messages, settings }: ChatCall,
  { signal }: CallOptions,
): AsyncGenerator<ChatPart, void, undefined> {
  signal.throwIfAborted();
  const words = wordsOf(beforeStop(answer(messages, new Date()), settings.stop ?? []));
  const limit = Math.min(words.length, settings.max_tokens ?? words.length);
  for (let index = 0; index < limit; index += 1) {
    if (index % WORDS_PER_TURN === WORDS_PER_TURN - 1) await nextTurn();
    signal.throwIfAborted();
    yield { type: 'text', text: words[index] ?? '' };
  }
  const input = messages.reduce((sum, message) => sum + wordsOf(messageText(message)).length, 0);
  yield {
    type: 'finish',
    finish_reason: limit < words.length ? 'length' : 'stop',
    usage: unpriced(input, limit),
  };
}

/** Splits a text into pieces that join back to the same text. */
function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

function beforeStop(text: string, stops: string[]): string {
  const ends = stops
    .filter((stop) => stop !== '')
    .map((stop) => text.indexOf(stop))
    .filter((at) => at >= 0);
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}
