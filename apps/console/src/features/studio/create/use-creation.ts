import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { notifyError } from '../../../data/notify.ts';
import { useModels } from '../../../data/use-models.ts';
import { useRuns } from './use-runs.ts';

/** What is asked for in words. */
export interface Wish {
  prompt: string;
  /** Width and height, as `640x360`. */
  size: string;
  /** Absent: the usual one. */
  model?: string;
}

interface CreationOptions {
  /** The name under which what was begun is remembered. */
  runs: string;
  capability: 'image' | 'video';
  usualSize: string;
  begin: (wish: Wish) => Promise<{ id: string }>;
}

export type Creation = ReturnType<typeof useCreation>;

/** What every form of the studio asks for, and what was begun by it. */
export function useCreation({ runs, capability, usualSize, begin }: CreationOptions) {
  const list = useRuns(runs);
  const models = useModels(capability);
  const [prompt, setPrompt] = useState('');
  const [size, setSize] = useState(usualSize);
  const [model, setModel] = useState<string | null>(null);
  const start = useMutation({
    mutationFn: () => begin({ prompt, size, ...(model !== null && { model }) }),
    onSuccess: ({ id }) => list.add({ id, title: prompt }),
    onError: notifyError,
  });
  return { list, models, prompt, setPrompt, size, setSize, model, setModel, start };
}
