import type { Agent } from '@chorus/client';
import { Select, Stack, TagsInput } from '@mantine/core';

type Approval = Agent['approval'];

const POLICIES = [
  { value: 'writes', label: 'For calls that change something' },
  { value: 'always', label: 'For every call' },
  { value: 'never', label: 'Never' },
  { value: 'named', label: 'For named tools' },
] as const;

interface ApprovalSelectProps {
  label: string;
  description?: string;
  /** Offers to leave it to the agent's policy. */
  inherits?: boolean;
  value: Approval | undefined;
  onChange: (approval: Approval | undefined) => void;
}

export function ApprovalSelect({ label, description, inherits = false, value, onChange }: ApprovalSelectProps) {
  const selected = Array.isArray(value) ? 'named' : (value ?? 'inherit');
  const select = (policy: string | null) => {
    if (policy === 'named') onChange([]);
    else onChange(policy === 'inherit' || policy === null ? undefined : (policy as Approval));
  };
  return (
    <Stack gap="xs">
      <Select
        label={label}
        description={description}
        data={[...(inherits ? [{ value: 'inherit', label: 'Same as the agent' }] : []), ...POLICIES]}
        value={selected}
        onChange={select}
        allowDeselect={false}
      />
      {Array.isArray(value) && (
        <TagsInput
          label="Tools that need approval"
          placeholder={value.length === 0 ? 'Names of tools' : ''}
          maxTags={128}
          value={value}
          onChange={onChange}
          required
        />
      )}
    </Stack>
  );
}

/** A list of tools must not be empty. */
export const isCompleteApproval = (approval: Approval | undefined) => !Array.isArray(approval) || approval.length > 0;
