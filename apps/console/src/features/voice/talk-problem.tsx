import { Alert } from '@mantine/core';
import { describeError } from '../../data/describe-error.ts';

const ENDS: Readonly<Record<string, { title: string; advice?: string }>> = {
  NotAllowedError: {
    title: 'The microphone may not be used',
    advice: 'Allow it for this page (at the left of its address), then begin again.',
  },
  NotFoundError: {
    title: 'There is no microphone',
    advice: 'Connect one, then begin again. You can also write in Chat.',
  },
  NotReadableError: {
    title: 'The microphone can not be heard',
    advice: 'Another program may hold it: close that, then begin again.',
  },
  UnpluggedError: {
    title: 'The microphone is gone',
    advice: 'Connect it again, then begin anew. What was said is kept in the conversation.',
  },
  NetworkError: {
    title: 'The connection is lost',
    advice: 'What was said is kept: open the conversation to read it, or begin a new one.',
  },
  // The server says why.
  AbortError: { title: 'The talk was ended' },
  SecurityError: {
    title: 'Browsers give no microphone to this address',
    advice: 'Open the page by https, or on the machine itself as localhost.',
  },
};

/** Why a talk has ended, or an answer failed. */
export function TalkProblem({ problem }: { problem: unknown }) {
  const { title, advice } = wordsOf(problem);
  return (
    <Alert color="red" title={title} role="alert">
      {advice}
    </Alert>
  );
}

function wordsOf(problem: unknown): { title: string; advice: string } {
  if (!(problem instanceof DOMException)) return describeError(problem);
  const { title, advice = problem.message } = ENDS[problem.name] ?? describeError(problem);
  return { title, advice };
}
