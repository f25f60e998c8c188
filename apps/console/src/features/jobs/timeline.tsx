import type { StreamFrame } from '@chorus/client';
import { Timeline as Steps, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { describeError } from '../../data/describe-error.ts';
import { takeStreamSlot } from '../../data/stream-slots.ts';
import { useScope } from '../../scope/scope-context.tsx';
import { type Step, withFrame } from './timeline-steps.ts';

/** The events of a job as they come, with those that tell the same joined. */
export function Timeline({ jobId, onEnd }: { jobId: string; onEnd: () => void }) {
  const { client } = useScope();
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const [error, setError] = useState<unknown>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is called at the end does not begin it anew
  useEffect(() => {
    const ending = new AbortController();
    setSteps([]);
    const follow = async () => {
      const giveBack = await takeStreamSlot(ending.signal);
      if (giveBack === null) return;
      ending.signal.addEventListener('abort', giveBack);
      let isLate = true; // nothing new can be told of what had ended before
      try {
        for await (const frame of client.jobs.watch(jobId, { signal: ending.signal })) {
          setSteps((before) => withFrame(before, frame as StreamFrame));
          if (frame.type === 'execution.started' || frame.type === 'text.delta') isLate = false;
        }
      } finally {
        giveBack();
      }
      if (!isLate) onEnd();
    };
    follow().catch((thrown: unknown) => {
      if (!ending.signal.aborted) setError(thrown);
    });
    return () => ending.abort();
  }, [client, jobId]);

  return (
    <>
      <Steps active={steps.length} bulletSize={14} lineWidth={2}>
        {steps.map(({ title, detail, count, first }) => (
          <Steps.Item key={first} title={<Text size="sm">{title}</Text>}>
            <Text size="xs" c="dimmed">
              {detail}
              {count > 1 && ` (${count} events)`}
            </Text>
          </Steps.Item>
        ))}
      </Steps>
      {error !== null && (
        <Text size="sm" c="dimmed">
          {describeError(error).title}
        </Text>
      )}
    </>
  );
}
