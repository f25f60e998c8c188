import type { McpServer } from '@chorus/client';
import { Select } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';

export type LeastApproval = McpServer['min_approval'];

interface LeastApprovalSelectProps {
  value: LeastApproval;
  onChange: (approval: LeastApproval) => void;
}

/** Which calls of a server or API need approval, whatever an agent says. */
export function LeastApprovalSelect({ value, onChange }: LeastApprovalSelectProps) {
  return (
    <Select
      label={t('settings.leastApproval')}
      description={t('settings.leastApprovalHint')}
      data={[
        { value: 'never', label: t('settings.approveNever') },
        { value: 'writes', label: t('settings.approveWrites') },
        { value: 'always', label: t('settings.approveAlways') },
      ]}
      value={value}
      onChange={(approval) => onChange(approval ?? 'never')}
      allowDeselect={false}
    />
  );
}
