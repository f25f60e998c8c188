import { Select } from '@mantine/core';
import { useAgents } from '../../../data/use-agents.ts';

interface AgentPickerProps {
  /** Id; null: none. */
  agent: string | null;
  onChange: (agent: string | null) => void;
}

/** Who leads a new conversation; where there are agents to choose from. */
export function AgentPicker({ agent, onChange }: AgentPickerProps) {
  const { data = [] } = useAgents();
  if (data.length === 0) return null;
  return (
    <Select
      aria-label="Agent"
      placeholder="No agent: the usual assistant"
      data={data.map(({ id, name }) => ({ value: id, label: name }))}
      value={agent}
      onChange={onChange}
      searchable={data.length > 8}
      clearable
      w={280}
      mx="auto"
    />
  );
}
