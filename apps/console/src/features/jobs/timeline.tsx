import type { StreamFrame } from '@chorus/client';
import { Timeline as Steps, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Dimmed } from '../../components/text.tsx';
import { describeError } from '../../data/describe-error.ts';
import { withStreamSlot } from '../../data/use-execution.ts';
import { t } from '../../i18n/i18n.ts';
import { useScope } from '../../scope/scope-context.tsx';
import { addFrame, type Step } from './timeline-steps.ts';

export function Timeline({ jobId, onEnd }: { jobId: string; onEnd: () => void }) {
  const { client } = useScope();
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const [error, setError] = useState<unknown>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new callback must not restart the stream
  useEffect(() => {
    const controller = new AbortController();
    setSteps([]);
    const follow = async () => {
      let hadEnded = true; // a job that had already ended changes nothing
      for await (const frame of client.jobs.watch(jobId, { signal: controller.signal })) {
        setSteps((before) => addFrame(before, frame as StreamFrame));
        if (frame.type === 'execution.started' || frame.type.endsWith('.delta')) hadEnded = false;
      }
      if (!hadEnded) onEnd();
    };
    withStreamSlot(controller.signal, follow).catch((thrown: unknown) => {
      if (!controller.signal.aborted) setError(thrown);
    });
    return () => controller.abort();
  }, [client, jobId]);

  return (
    <>
      <Steps active={steps.length} bulletSize={14} lineWidth={2}>
        {steps.map(({ title, detail, count, first }) => (
          <Steps.Item key={first} title={<Text size="sm">{title}</Text>}>
            <Dimmed size="xs">
              {detail}
              {count > 1 && ` · ${t('jobs.eventCount', { count })}`}
            </Dimmed>
          </Steps.Item>
        ))}
      </Steps>
      {error !== null && <Dimmed>{describeError(error).title}</Dimmed>}
    </>
  );
}
