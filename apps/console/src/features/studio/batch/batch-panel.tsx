import { QueueListIcon } from '@heroicons/react/24/outline';
import {
  Alert,
  Button,
  Code,
  FileButton,
  Group,
  Input,
  SegmentedControl,
  Select,
  Textarea,
  Title,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import { BatchList } from '../../../components/batches/batch-list.tsx';
import { useBatches } from '../../../components/batches/use-batches.ts';
import { notifyDone, notifyError } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import classes from '../create/create.module.css';
import { itemsOfCsv, itemsOfLines } from './batch-items.ts';

type Kind = 'iris.image' | 'iris.video';

/** So many characters tell which file it is. */
const SHOWN_OF_FILE = 600;

/** Makes many at once, from pasted prompts or a table. */
export default function BatchPanel() {
  const { client } = useScope();
  const [text, setText] = useState('');
  const [fileName, setFileName] = useState<string | null>(null);
  const [kind, setKind] = useState<Kind>('iris.image');
  const [size, setSize] = useState<string | null>('512x512');
  const list = useBatches();
  const { items, problem } = useMemo(
    () => (fileName === null ? itemsOfLines(text) : itemsOfCsv(text)),
    [text, fileName],
  );

  const start = useMutation({
    mutationFn: () =>
      client.batches.create({
        kind,
        items,
        ...(size !== null && { defaults: { size } }),
        ...(fileName !== null && { metadata: { file: fileName.slice(0, 200) } }),
      }),
    onSuccess: () => {
      setText('');
      setFileName(null);
      list.refresh();
      notifyDone('The batch has begun. It goes on when this page is closed.');
    },
    onError: notifyError,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  const takeFile = async (file: File | null) => {
    if (file === null) return;
    setText(await file.text());
    setFileName(file.name);
  };

  return (
    <div className={classes.columns}>
      <form onSubmit={submit} className={classes.form}>
        <SegmentedControl
          data={[
            { value: 'iris.image', label: 'Images' },
            { value: 'iris.video', label: 'Videos' },
          ]}
          value={kind}
          onChange={(value) => setKind(value as Kind)}
          aria-label="What is made"
        />
        {fileName === null ? (
          <Textarea
            label="Prompts, one on each line"
            description="Or a CSV file with a column “prompt”, and others such as id, n, size, seed"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            // Not by its text: that would be measured at each key, and there may be thousands of lines.
            rows={10}
            resize="vertical"
            error={problem}
          />
        ) : (
          <Input.Wrapper label={fileName} description="Its beginning" error={problem}>
            <Code block mt={4}>
              {text.slice(0, SHOWN_OF_FILE)}
            </Code>
          </Input.Wrapper>
        )}
        <Group justify="space-between">
          <FileButton accept=".csv,text/csv,.tsv,text/plain" onChange={takeFile}>
            {(props) => (
              <Button {...props} variant="default">
                Choose a CSV file
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
              Put it away
            </Button>
          )}
        </Group>
        <Select
          label="Size"
          description="Where a line says no other"
          data={['256x256', '512x512', '1024x1024', '1024x768', '1280x720']}
          value={size}
          onChange={setSize}
          clearable
        />
        {items.length > 0 && problem === null && (
          <Alert color="indigo">{items.length.toLocaleString()} to be made.</Alert>
        )}
        <Button
          type="submit"
          leftSection={<QueueListIcon />}
          loading={start.isPending}
          disabled={items.length === 0 || problem !== null}
        >
          Begin the batch
        </Button>
      </form>
      <section>
        <Title order={2} size="h5" mb="sm">
          Batches
        </Title>
        <BatchList list={list} />
      </section>
    </div>
  );
}
