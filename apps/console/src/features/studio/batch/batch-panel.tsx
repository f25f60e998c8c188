import type { Batch } from '@chorus/client';
import { QueueListIcon } from '@heroicons/react/24/outline';
import { Alert, Button, Code, FileButton, Group, Input, SegmentedControl, Select, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { BatchList, useBatches } from '../../../components/batches/batch-list.tsx';
import { Form } from '../../../components/form.tsx';
import { SectionTitle } from '../../../components/text.tsx';
import { useKinds } from '../../../data/kinds.ts';
import { notifySuccess } from '../../../data/notify.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import classes from '../create/create.module.css';
import { itemsFromCsv, itemsFromLines } from './batch-items.ts';

type BatchKind = NonNullable<Batch['kind']>;

const PREVIEW_CHARS = 600;

export default function BatchPanel() {
  const { client } = useScope();
  const [text, setText] = useState('');
  const [fileName, setFileName] = useState<string | null>(null);
  const [selected, setSelected] = useState<string | null>(null);
  // Only kinds that this form has the inputs for.
  const kinds = useKinds().filter(({ batchable, fields }) => {
    const names = fields.map(({ name }) => name);
    return batchable && names.includes('prompt') && names.includes('size');
  });
  const kind = kinds.find((one) => one.kind === selected) ?? kinds[0];
  const [size, setSize] = useState<string | null>('512x512');
  const list = useBatches();
  const { items, problem } = useMemo(
    () => (fileName === null ? itemsFromLines(text) : itemsFromCsv(text, kind?.fields ?? [])),
    [text, fileName, kind],
  );

  const start = useMutation({
    mutationFn: () =>
      client.batches.create({
        kind: kind?.kind as BatchKind,
        items,
        ...(size !== null && { defaults: { size } }),
        ...(fileName !== null && { metadata: { file: fileName.slice(0, 200) } }),
      }),
    onSuccess: () => {
      setText('');
      setFileName(null);
      list.refresh();
      notifySuccess(t('studio.batchStarted'));
    },
  });
  const loadFile = async (file: File | null) => {
    if (file === null) return;
    setText(await file.text());
    setFileName(file.name);
  };

  return (
    <div className={classes.columns}>
      <Form onSubmit={() => start.mutate()} className={classes.form}>
        <SegmentedControl
          data={kinds.map(({ kind, label }) => ({ value: kind, label }))}
          value={kind?.kind ?? ''}
          onChange={setSelected}
          aria-label={t('studio.kind')}
        />
        {fileName === null ? (
          <Textarea
            label={t('studio.promptsOnePerLine')}
            description={t('studio.promptsHint')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            // Automatic sizing would measure thousands of lines on every keystroke.
            rows={10}
            resize="vertical"
            error={problem}
          />
        ) : (
          <Input.Wrapper label={fileName} description={t('components.preview')} error={problem}>
            <Code block mt={4}>
              {text.slice(0, PREVIEW_CHARS)}
            </Code>
          </Input.Wrapper>
        )}
        <Group justify="space-between">
          <FileButton accept=".csv,text/csv,.tsv,text/plain" onChange={loadFile}>
            {(props) => (
              <Button {...props} variant="default">
                {t('studio.chooseCsvFile')}
              </Button>
            )}
          </FileButton>
          {fileName !== null && (
            <Button
              variant="subtle"
              color="gray"
              onClick={() => {
                setFileName(null);
                setText('');
              }}
            >
              {t('studio.removeFile')}
            </Button>
          )}
        </Group>
        <Select
          label={t('studio.size')}
          description={t('studio.sizeHint')}
          data={['256x256', '512x512', '1024x1024', '1024x768', '1280x720']}
          value={size}
          onChange={setSize}
          clearable
        />
        {items.length > 0 && problem === null && (
          <Alert color="indigo">{t('studio.itemCount', { count: items.length })}</Alert>
        )}
        <Button
          type="submit"
          leftSection={<QueueListIcon />}
          loading={start.isPending}
          disabled={kind === undefined || items.length === 0 || problem !== null}
        >
          {t('studio.startBatch')}
        </Button>
      </Form>
      <section>
        <SectionTitle mb="sm">{t('components.batches')}</SectionTitle>
        <BatchList list={list} />
      </section>
    </div>
  );
}
