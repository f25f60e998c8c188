import { type ArchiveUnit, ChorusError } from '@chorus/client';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { notifyError } from '../../data/notify.ts';
import { useScope } from '../../scope/scope-context.tsx';
import classes from './archive-page.module.css';
import { type UnitDraft, UnitFields } from './unit-fields.tsx';

interface UnitEditorProps {
  unit: ArchiveUnit;
  onClose: () => void;
  onChange: () => Promise<void>;
}

/** Changes a text. What somebody else has changed meanwhile is shown, and overwritten only when one says so. */
export function UnitEditor({ unit, onClose, onChange }: UnitEditorProps) {
  const { client } = useScope();
  const [draft, setDraft] = useState<UnitDraft>({ title: unit.title, content: unit.content, tags: unit.tags });
  const [known, setKnown] = useState(unit.revision);
  const [theirs, setTheirs] = useState<ArchiveUnit | null>(null);
  const save = useMutation({
    mutationFn: () => client.archive.update(unit.id, draft, { revision: known }),
    onSuccess: async () => {
      await onChange();
      onClose();
    },
    onError: async (error) => {
      if (!(error instanceof ChorusError) || error.code !== 'conflict') return notifyError(error);
      const now = await client.archive.get(unit.id);
      setTheirs(now);
      setKnown(now.revision);
    },
  });
  const takeTheirs = () => {
    if (theirs !== null) setDraft({ title: theirs.title, content: theirs.content, tags: theirs.tags });
    setTheirs(null);
  };
  return (
    <Stack>
      {theirs && (
        <Alert color="yellow" title="Somebody else has changed this text" role="alert">
          <Text size="sm" mb="xs">
            It says this now. Save to put yours in its place, or take theirs and go on from it.
          </Text>
          <div className={classes.theirs}>{theirs.content}</div>
          <Button variant="default" size="xs" mt="xs" onClick={takeTheirs}>
            Take theirs
          </Button>
        </Alert>
      )}
      <UnitFields draft={draft} onChange={setDraft} isTitleRequired />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          onClick={() => save.mutate()}
          loading={save.isPending}
          disabled={draft.title.trim() === '' || draft.content.trim() === ''}
        >
          Save
        </Button>
      </Group>
    </Stack>
  );
}
