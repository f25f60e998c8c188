import { expect, test } from 'vitest';
import { isInterruption } from './interruption.ts';

test.each([
  ['Stop!', true],
  ['No, wait.', true],
  ['halt', true],
  ['停', true],
  ['Yeah.', false],
  ['Mm-hmm, okay.', false],
  ['Uh huh', false],
  ['', false],
  ['...', false],
  ['Yes, but no', true],
])('%j during an answer: %s', (transcript, wanted) => {
  expect(isInterruption(transcript)).toBe(wanted);
});
