import type { Prompt } from '@chorus/client';
import { Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { DialogForm } from '../../../components/form.tsx';
import { RecordDialog } from '../../../components/record-dialog.tsx';
import { useFormMutation } from '../../../data/use-form-mutation.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';

interface PromptDialogProps {
  prompt: Prompt | 'new' | null;
  onClose: () => void;
  onSaved: () => void;
}

export function PromptDialog({ prompt, onClose, onSaved }: PromptDialogProps) {
  return (
    <RecordDialog
      record={prompt}
      onClose={onClose}
      titles={{ create: t('settings.newPrompt'), edit: t('settings.prompt') }}
      size="lg"
    >
      {(edited) => <PromptForm prompt={edited} onClose={onClose} onSaved={onSaved} />}
    </RecordDialog>
  );
}

function PromptForm({ prompt, onClose, onSaved }: { prompt: Prompt | null; onClose: () => void; onSaved: () => void }) {
  const { client } = useScope();
  const [name, setName] = useState(prompt?.name ?? '');
  const [content, setContent] = useState(prompt?.content ?? '');
  const { form, errors } = useFormMutation({
    send: () =>
      prompt === null ? client.prompts.create({ name, content }) : client.prompts.update(prompt.id, { name, content }),
    fields: ['name', 'content'],
    onSuccess: () => {
      onSaved();
      onClose();
    },
  });
  return (
    <DialogForm
      {...form}
      submitLabel={t('common.save')}
      onCancel={onClose}
      isIncomplete={name.trim() === '' || content.trim() === ''}
    >
      <TextInput
        label={t('common.name')}
        description={t('settings.promptNameHint')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={errors.name}
        maxLength={100}
        data-autofocus
        required
      />
      <Textarea
        label={t('settings.text')}
        description={t('settings.promptTextHint', { example: '{{language}}' })}
        value={content}
        onChange={(event) => setContent(event.currentTarget.value)}
        error={errors.content}
        autosize
        minRows={4}
        maxRows={16}
        maxLength={32_000}
        required
      />
    </DialogForm>
  );
}
