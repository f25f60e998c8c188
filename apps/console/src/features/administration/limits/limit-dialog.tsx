import type { BodyOf } from '@chorus/client';
import { Anchor, NumberInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/form.tsx';
import { formErrors } from '../../../data/describe-error.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { LIMITS_KEY, type Limit, limitName, limitValue } from './limit-words.ts';

const MEGABYTE = 1_000_000;

export function LimitDialog({ limit, onClose }: { limit: Limit; onClose: () => void }) {
  return (
    <Dialog opened onClose={onClose} title={limitName(limit)}>
      <LimitForm limit={limit} onClose={onClose} />
    </Dialog>
  );
}

function LimitForm({ limit, onClose }: { limit: Limit; onClose: () => void }) {
  const { client } = useScope();
  const queryClient = useQueryClient();
  const { name, unit, min, max, source, standard } = limit;
  const scale = unit === 'bytes' ? MEGABYTE : 1;
  const [value, setValue] = useState<number | string>(limit.value === null ? '' : limit.value / scale);
  const change = useMutation({
    mutationFn: (next: number | null) => client.users.changeLimits({ [name]: next } as BodyOf<'PATCH /limits'>),
    onError: () => undefined, // shown in the form
    onSuccess: (changed) => {
      queryClient.setQueryData(LIMITS_KEY, changed);
      onClose();
    },
  });
  const errors = formErrors(change.error, [name]);
  const isNumber = typeof value === 'number';
  const range = { min: limitValue(limit, min), max: limitValue(limit, max) };
  return (
    <DialogForm
      submitLabel={t('limits.save')}
      onSubmit={() => isNumber && change.mutate(Math.round(value * scale))}
      onCancel={onClose}
      isPending={change.isPending}
      isIncomplete={!isNumber}
      error={errors.rest}
    >
      <NumberInput
        label={unit === 'bytes' ? t('limits.megabytes') : t('limits.newValue')}
        description={unit === 'bytes' ? undefined : t('limits.range', range)}
        error={errors.at[name]}
        min={min / scale}
        max={max / scale}
        thousandSeparator=","
        value={value}
        onChange={setValue}
        data-autofocus
        required
      />
      {source === 'stored' && (
        <Anchor component="button" type="button" size="sm" ta="start" onClick={() => change.mutate(null)}>
          {t('limits.useDefault', { value: limitValue(limit, standard) })}
        </Anchor>
      )}
    </DialogForm>
  );
}
