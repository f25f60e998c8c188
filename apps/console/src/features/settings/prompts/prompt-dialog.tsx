import type { Prompt } from '@chorus/client';
import { Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/form.tsx';
import { formErrors } from '../../../data/describe-error.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';

interface PromptDialogProps {
  prompt: Prompt | 'new' | null;
  onClose: () => void;
  onSaved: () => void;
}

export function PromptDialog({ prompt, onClose, onSaved }: PromptDialogProps) {
  return (
    <Dialog
      opened={prompt !== null}
      onClose={onClose}
      title={prompt === 'new' ? t('settings.newPrompt') : t('settings.prompt')}
      size="lg"
      closeOnClickOutside={false}
    >
      {prompt && <PromptForm prompt={prompt === 'new' ? null : prompt} onClose={onClose} onSaved={onSaved} />}
    </Dialog>
  );
}

function PromptForm({ prompt, onClose, onSaved }: { prompt: Prompt | null; onClose: () => void; onSaved: () => void }) {
  const { client } = useScope();
  const [name, setName] = useState(prompt?.name ?? '');
  const [content, setContent] = useState(prompt?.content ?? '');
  const save = useMutation({
    mutationFn: () =>
      prompt === null ? client.prompts.create({ name, content }) : client.prompts.update(prompt.id, { name, content }),
    onError: undefined, // shown in the form
    onSuccess: () => {
      onSaved();
      onClose();
    },
  });
  const errors = formErrors(save.error, ['name', 'content']);
  return (
    <DialogForm
      submitLabel={t('common.save')}
      onSubmit={() => save.mutate()}
      onCancel={onClose}
      isPending={save.isPending}
      isIncomplete={name.trim() === '' || content.trim() === ''}
      error={errors.rest}
    >
      <TextInput
        label={t('common.name')}
        description={t('settings.promptNameHint')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={errors.at.name}
        maxLength={100}
        data-autofocus
        required
      />
      <Textarea
        label={t('settings.text')}
        description={t('settings.promptTextHint', { example: '{{language}}' })}
        value={content}
        onChange={(event) => setContent(event.currentTarget.value)}
        error={errors.at.content}
        autosize
        minRows={4}
        maxRows={16}
        maxLength={32_000}
        required
      />
    </DialogForm>
  );
}
