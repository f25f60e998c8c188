import { type ArchiveUnit, ChorusError } from '@chorus/client';
import { Alert, Button, Group, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { DialogForm } from '../../components/form.tsx';
import type { FormErrors } from '../../data/describe-error.ts';
import { notifyError } from '../../data/notify.ts';
import { useFormMutation } from '../../data/use-form-mutation.ts';
import { t } from '../../i18n/i18n.ts';
import { useScope } from '../../scope/scope-context.tsx';
import classes from './archive-page.module.css';

interface CreateUnitProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (id: string) => void;
}

export function CreateUnit(props: CreateUnitProps) {
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title={t('archive.newEntry')}
      size="lg"
      closeOnClickOutside={false}
    >
      <CreateForm {...props} />
    </Dialog>
  );
}

function CreateForm({ onClose, onCreated }: CreateUnitProps) {
  const { client } = useScope();
  const [draft, setDraft] = useState<UnitDraft>({ title: '', content: '', tags: [] });
  const { form, errors } = useFormMutation({
    send: () => {
      const { title, ...rest } = draft;
      return client.archive.create({ ...rest, ...(title.trim() !== '' && { title }) });
    },
    fields: UNIT_FIELDS,
    onSuccess: ({ id }) => {
      onClose();
      onCreated(id);
    },
  });
  return (
    <DialogForm {...form} submitLabel={t('common.save')} onCancel={onClose} isIncomplete={draft.content.trim() === ''}>
      <UnitFields draft={draft} onChange={setDraft} isTitleRequired={false} errors={errors} />
    </DialogForm>
  );
}

interface UnitEditorProps {
  unit: ArchiveUnit;
  onClose: () => void;
  onChange: () => Promise<void>;
}

/** Edits an entry. A concurrent change is shown, and overwritten only if the user saves again. */
export function UnitEditor({ unit, onClose, onChange }: UnitEditorProps) {
  const { client } = useScope();
  const [draft, setDraft] = useState<UnitDraft>({ title: unit.title, content: unit.content, tags: unit.tags });
  const [baseRevision, setBaseRevision] = useState(unit.revision);
  const [conflict, setConflict] = useState<ArchiveUnit | null>(null);
  const save = useMutation({
    mutationFn: () => client.archive.update(unit.id, draft, { revision: baseRevision }),
    onSuccess: async () => {
      await onChange();
      onClose();
    },
    onError: async (error) => {
      if (!(error instanceof ChorusError) || error.code !== 'conflict') return notifyError(error);
      const latest = await client.archive.get(unit.id);
      setConflict(latest);
      setBaseRevision(latest.revision);
    },
  });
  const acceptConflict = () => {
    if (conflict !== null) setDraft({ title: conflict.title, content: conflict.content, tags: conflict.tags });
    setConflict(null);
  };
  return (
    <Stack>
      {conflict && (
        <Alert color="yellow" title={t('archive.changedByOther')} role="alert">
          <Text size="sm" mb="xs">
            {t('archive.changedHint')}
          </Text>
          <div className={classes.theirs}>{conflict.content}</div>
          <Button variant="default" size="xs" mt="xs" onClick={acceptConflict}>
            {t('archive.loadCurrentVersion')}
          </Button>
        </Alert>
      )}
      <UnitFields draft={draft} onChange={setDraft} isTitleRequired />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button
          onClick={() => save.mutate()}
          loading={save.isPending}
          disabled={draft.title.trim() === '' || draft.content.trim() === ''}
        >
          {t('common.save')}
        </Button>
      </Group>
    </Stack>
  );
}

const UNIT_FIELDS = ['title', 'content', 'tags'] as const;

interface UnitDraft {
  title: string;
  content: string;
  tags: string[];
}

interface UnitFieldsProps {
  draft: UnitDraft;
  onChange: (draft: UnitDraft) => void;
  isTitleRequired: boolean;
  errors?: FormErrors<(typeof UNIT_FIELDS)[number]>['at'];
}

function UnitFields({ draft, onChange, isTitleRequired, errors = {} }: UnitFieldsProps) {
  return (
    <>
      <TextInput
        label={t('components.title')}
        error={errors.title}
        description={isTitleRequired ? undefined : t('components.titleFromFirstWords')}
        value={draft.title}
        onChange={(event) => onChange({ ...draft, title: event.currentTarget.value })}
        maxLength={300}
        required={isTitleRequired}
        data-autofocus
      />
      <Textarea
        label={t('archive.text')}
        error={errors.content}
        description={t('components.markdown')}
        value={draft.content}
        onChange={(event) => onChange({ ...draft, content: event.currentTarget.value })}
        autosize
        minRows={8}
        maxRows={24}
        required
      />
      <TagsInput
        label={t('components.tags')}
        error={errors.tags}
        value={draft.tags}
        onChange={(tags) => onChange({ ...draft, tags })}
        maxTags={50}
      />
    </>
  );
}
