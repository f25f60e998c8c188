import type { AnswerOf, BodyOf } from '@chorus/client';
import { NumberInput, Progress, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogForm } from '../../../components/form.tsx';
import { formatCost, Time } from '../../../components/format.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { useFormMutation } from '../../../data/use-form-mutation.ts';
import { t } from '../../../i18n/i18n.ts';
import { rich } from '../../../i18n/rich.tsx';

type Budget = AnswerOf<'GET /workspaces/{workspace_id}/budget'>;
type BudgetPatch = BodyOf<'PATCH /workspaces/{workspace_id}/budget'>;

export interface BudgetSource {
  id: string;
  load(signal: AbortSignal): Promise<Budget>;
  save(patch: BudgetPatch): Promise<Budget>;
}

interface BudgetFormProps {
  source: BudgetSource;
  onClose: () => void;
}

export function BudgetForm({ source, onClose }: BudgetFormProps) {
  const budget = useQuery({ queryKey: ['budget', source.id], queryFn: ({ signal }) => source.load(signal) });
  return <QueryView query={budget}>{(data) => <Fields budget={data} source={source} onClose={onClose} />}</QueryView>;
}

function Fields({ budget, source, onClose }: BudgetFormProps & { budget: Budget }) {
  const queryClient = useQueryClient();
  const [daily, setDaily] = useState(budget.daily_usd);
  const [monthly, setMonthly] = useState(budget.monthly_usd);
  const [webhook, setWebhook] = useState(budget.webhook_url ?? '');
  const { form, errors } = useFormMutation({
    send: () =>
      source.save({
        daily_usd: daily,
        monthly_usd: monthly,
        webhook_url: webhook.trim() === '' ? null : webhook.trim(),
      }),
    fields: ['daily_usd', 'monthly_usd', 'webhook_url'],
    onSuccess: (saved) => {
      queryClient.setQueryData(['budget', source.id], saved);
      onClose();
    },
  });
  const amount = { min: 0, decimalScale: 2, prefix: '$', thousandSeparator: true, hideControls: true } as const;
  return (
    <DialogForm {...form} submitLabel={t('common.save')} onCancel={onClose} isIncomplete={false}>
      <Dimmed>{t('settings.budgetHint')}</Dimmed>
      {budget.periods.map((period) => (
        <Spending key={period.period} period={period} />
      ))}
      <NumberInput
        label={t('settings.dailyLimit')}
        error={errors.daily_usd}
        value={daily ?? ''}
        onChange={(value) => setDaily(value === '' ? null : Number(value))}
        {...amount}
      />
      <NumberInput
        label={t('settings.monthlyLimit')}
        error={errors.monthly_usd}
        value={monthly ?? ''}
        onChange={(value) => setMonthly(value === '' ? null : Number(value))}
        {...amount}
      />
      <TextInput
        label={t('settings.budgetWebhook')}
        description={t('settings.budgetWebhookHint')}
        error={errors.webhook_url}
        type="url"
        value={webhook}
        onChange={(event) => setWebhook(event.currentTarget.value)}
      />
    </DialogForm>
  );
}

function Spending({ period: { period, limit_usd, spent_usd, resets_at } }: { period: Budget['periods'][number] }) {
  const share = limit_usd === 0 ? 1 : Math.min(1, spent_usd / limit_usd);
  const label = period === 'daily' ? t('settings.today') : t('settings.thisMonth');
  return (
    <div>
      <Text size="sm">
        {rich('settings.spentOf', {
          period: label,
          spent: formatCost(spent_usd),
          limit: formatCost(limit_usd),
          time: <Time at={resets_at} />,
        })}
      </Text>
      <Progress value={100 * share} color={share >= 1 ? 'red' : share >= 0.8 ? 'yellow' : 'blue'} aria-label={label} />
    </div>
  );
}
