import { ChorusError } from '@chorus/client';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { notifyError } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';

/** The most files of one request. */
const AT_ONCE = 50;

/** Stores documents, which are then worked on. */
export function useKnowledgeUpload(onStored: () => void) {
  const { client } = useScope();
  const [names, setNames] = useState<readonly string[]>([]);
  const [fraction, setFraction] = useState(0);

  const send = async (files: readonly File[]) => {
    const onProgress = ({ loaded, total }: { loaded: number; total: number }) =>
      setFraction(total === 0 ? 1 : loaded / total);
    const { data, failed } = await client.knowledge.upload(files, {}, { onProgress });
    for (const { filename, error } of failed) notifyRefused(filename ?? 'A file', error.message);
    const known = data.filter(({ duplicate }) => duplicate);
    for (const { title } of known) notifications.show({ message: `“${title}” is there already.` });
    onStored();
  };
  /** A file that is empty, or too large, has its whole request refused: the others then go one by one. */
  const sendAll = async (files: readonly File[]) => {
    try {
      await send(files);
    } catch (error) {
      const isRefused = error instanceof ChorusError && (error.status === 400 || error.status === 413);
      if (!isRefused) throw error;
      const [first] = files;
      if (files.length === 1) notifyRefused(first?.name ?? 'A file', error.message);
      else for (const file of files) await sendAll([file]);
    }
  };
  const start = async (files: File[]) => {
    setNames(files.map(({ name }) => name));
    try {
      for (let at = 0; at < files.length; at += AT_ONCE) await sendAll(files.slice(at, at + AT_ONCE));
    } catch (error) {
      notifyError(error);
    }
    setNames([]);
    setFraction(0);
  };
  return { names, fraction, start };
}

function notifyRefused(title: string, message: string): void {
  notifications.show({ color: 'red', title, message });
}
