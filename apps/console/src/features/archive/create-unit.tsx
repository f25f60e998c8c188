import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { DialogForm } from '../../components/dialog-form.tsx';
import { notifyError } from '../../data/notify.ts';
import { useScope } from '../../scope/scope-context.tsx';
import { type UnitDraft, UnitFields } from './unit-fields.tsx';

interface CreateUnitProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (id: string) => void;
}

export function CreateUnit(props: CreateUnitProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title="New text" size="lg" closeOnClickOutside={false}>
      <CreateForm {...props} />
    </Dialog>
  );
}

function CreateForm({ onClose, onCreated }: CreateUnitProps) {
  const { client } = useScope();
  const [draft, setDraft] = useState<UnitDraft>({ title: '', content: '', tags: [] });
  const create = useMutation({
    mutationFn: () => {
      const { title, ...rest } = draft;
      return client.archive.create({ ...rest, ...(title.trim() !== '' && { title }) });
    },
    onSuccess: ({ id }) => {
      onClose();
      onCreated(id);
    },
    onError: notifyError,
  });
  return (
    <DialogForm
      submit="Keep"
      onSubmit={() => create.mutate()}
      onCancel={onClose}
      isPending={create.isPending}
      isIncomplete={draft.content.trim() === ''}
    >
      <UnitFields draft={draft} onChange={setDraft} isTitleRequired={false} />
    </DialogForm>
  );
}
