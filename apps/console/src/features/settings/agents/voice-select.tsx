import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useScope } from '../../../scope/scope-context.tsx';

interface VoiceSelectProps {
  /** Null: the usual one. */
  value: string | null;
  onChange: (voice: string | null) => void;
}

/** One of the voices that can speak now; one that was chosen and can't stays as it is. */
export function VoiceSelect({ value, onChange }: VoiceSelectProps) {
  const { client } = useScope();
  const { data } = useQuery({
    queryKey: ['voices'],
    queryFn: async ({ signal }) => (await client.voice.meta({}, { signal })).speech.voices,
  });
  const names = new Map(data?.map(({ id, name }) => [id, name]));
  if (value !== null && !names.has(value)) names.set(value, value);
  return (
    <Select
      label="Voice"
      description="How it speaks"
      placeholder="The usual one"
      data={[...names].map(([id, label]) => ({ value: id, label }))}
      value={value}
      onChange={onChange}
      clearable
      searchable
    />
  );
}
