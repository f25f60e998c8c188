import { Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm } from '../../../components/form.tsx';
import { useFormMutation } from '../../../data/use-form-mutation.ts';
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
  const { form, errors } = useFormMutation({
    send: () => client.knowledge.create({ content, ...(title.trim() !== '' && { title }) }),
    fields: ['title', 'content'],
    onSuccess: () => {
      onAdded();
      onClose();
    },
  });
  return (
    <DialogForm {...form} submitLabel={t('components.add')} onCancel={onClose} isIncomplete={content.trim() === ''}>
      <TextInput
        label={t('components.title')}
        error={errors.title}
        description={t('components.titleFromFirstWords')}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        maxLength={300}
        data-autofocus
      />
      <Textarea
        label={t('knowledge.text')}
        error={errors.content}
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
  const { form, errors } = useFormMutation({
    send: () => client.knowledge.create({ url }),
    fields: ['url'],
    onSuccess: () => {
      onAdded();
      onClose();
    },
  });
  return (
    <DialogForm {...form} submitLabel={t('components.add')} onCancel={onClose} isIncomplete={url.trim() === ''}>
      <TextInput
        label={t('components.address')}
        error={errors.url}
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
