import { Alert } from '@mantine/core';
import { describeError } from '../data/describe-error.ts';

/** Why somebody was not let in. */
export function Failure({ error }: { error: Error }) {
  const { title, advice } = describeError(error);
  return (
    <Alert color="red" title={title} role="alert">
      {advice}
    </Alert>
  );
}
