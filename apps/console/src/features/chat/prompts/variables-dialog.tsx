import type { Prompt } from '@chorus/client';
import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/form.tsx';
import { t } from '../../../i18n/i18n.ts';
import { fillIn, variablesOf } from './prompt-text.ts';

interface VariablesDialogProps {
  prompt: Prompt;
  onClose: () => void;
  onFilled: (text: string) => void;
}

/** Asks for the values of a prompt's variables. */
export default function VariablesDialog({ prompt: { name, content }, onClose, onFilled }: VariablesDialogProps) {
  const names = variablesOf(content);
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map());
  return (
    <Dialog opened onClose={onClose} title={name}>
      <DialogForm
        submitLabel={t('conversation.insert')}
        onSubmit={() => onFilled(fillIn(content, values))}
        onCancel={onClose}
        isIncomplete={names.some((one) => (values.get(one) ?? '').trim() === '')}
      >
        {names.map((one, index) => (
          <Textarea
            key={one}
            label={one}
            value={values.get(one) ?? ''}
            onChange={({ currentTarget: { value } }) => setValues((known) => new Map(known).set(one, value))}
            autosize
            maxRows={8}
            required
            data-autofocus={index === 0 || undefined}
          />
        ))}
      </DialogForm>
    </Dialog>
  );
}
