import type { Agent } from '@chorus/client';
import { Select, Stack, TagsInput } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';

type Approval = Agent['approval'];

const POLICIES = [
  { value: 'writes', label: 'settings.approveWrites' },
  { value: 'always', label: 'settings.approveAlways' },
  { value: 'never', label: 'settings.approveNever' },
  { value: 'named', label: 'settings.approveNamed' },
] as const;

interface ApprovalSelectProps {
  label: string;
  description?: string;
  /** Offers to inherit the agent's policy. */
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
        data={[
          ...(inherits ? [{ value: 'inherit', label: t('settings.sameAsTheAgent') }] : []),
          ...POLICIES.map((policy) => ({ value: policy.value, label: t(policy.label) })),
        ]}
        value={selected}
        onChange={select}
        allowDeselect={false}
      />
      {Array.isArray(value) && (
        <TagsInput
          label={t('settings.toolsThatNeedApproval')}
          placeholder={value.length === 0 ? t('settings.namesOfTools') : ''}
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
