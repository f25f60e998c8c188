import { Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/form.tsx';
import { formErrors } from '../../../data/describe-error.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';

interface AddProps {
  opened: boolean;
  onClose: () => void;
  onAdded: () => void;
}

export function AddText(props: AddProps) {
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title={t('knowledge.addText')}
      size="lg"
      closeOnClickOutside={false}
    >
      <TextForm {...props} />
    </Dialog>
  );
}

function TextForm({ onClose, onAdded }: AddProps) {
  const { client } = useScope();
  const [title, setTitle] = useState('');
  const [content, setContent] = useState('');
  const add = useMutation({
    mutationFn: () => client.knowledge.create({ content, ...(title.trim() !== '' && { title }) }),
    onError: undefined, // shown in the form
    onSuccess: () => {
      onAdded();
      onClose();
    },
  });
  const errors = formErrors(add.error, ['title', 'content']);
  return (
    <DialogForm
      submitLabel={t('components.add')}
      onSubmit={() => add.mutate()}
      onCancel={onClose}
      isPending={add.isPending}
      isIncomplete={content.trim() === ''}
      error={errors.rest}
    >
      <TextInput
        label={t('components.title')}
        error={errors.at.title}
        description={t('components.titleFromFirstWords')}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        maxLength={300}
        data-autofocus
      />
      <Textarea
        label={t('knowledge.text')}
        error={errors.at.content}
        description={t('components.markdown')}
        value={content}
        onChange={(event) => setContent(event.currentTarget.value)}
        minRows={8}
        maxRows={18}
        autosize
        required
      />
    </DialogForm>
  );
}

export function AddUrl(props: AddProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t('knowledge.addAWebPage')}>
      <UrlForm {...props} />
    </Dialog>
  );
}

function UrlForm({ onClose, onAdded }: AddProps) {
  const { client } = useScope();
  const [url, setUrl] = useState('');
  const add = useMutation({
    mutationFn: () => client.knowledge.create({ url }),
    onError: undefined, // shown in the form
    onSuccess: () => {
      onAdded();
      onClose();
    },
  });
  const errors = formErrors(add.error, ['url']);
  return (
    <DialogForm
      submitLabel={t('components.add')}
      onSubmit={() => add.mutate()}
      onCancel={onClose}
      isPending={add.isPending}
      isIncomplete={url.trim() === ''}
      error={errors.rest}
    >
      <TextInput
        label={t('components.address')}
        error={errors.at.url}
        description={t('knowledge.addressHint')}
        type="url"
        placeholder="https://"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        required
        data-autofocus
      />
    </DialogForm>
  );
}
