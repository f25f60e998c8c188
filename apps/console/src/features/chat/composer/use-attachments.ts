import { useState } from 'react';
import { notifyError, notifyRefusal } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';

export interface Upload {
  key: string;
  name: string;
  /** 0 to 1. */
  progress: number;
  /** Null until it is stored. */
  assetId: string | null;
}

/** The most images that go with one message. */
const MOST = 8;

/** Files on their way to a message: they are stored while one writes. */
export function useAttachments() {
  const { client } = useScope();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const change = (key: string, fields: Partial<Upload>) =>
    setUploads((all) => all.map((one) => (one.key === key ? { ...one, ...fields } : one)));
  const remove = (key: string) => setUploads((all) => all.filter((one) => one.key !== key));

  const upload = async (file: File) => {
    const key = crypto.randomUUID();
    setUploads((all) => [...all, { key, name: file.name, progress: 0, assetId: null }]);
    try {
      const { id } = await client.assets.upload(file, {
        onProgress: ({ loaded, total }) => change(key, { progress: loaded / total }),
      });
      change(key, { assetId: id, progress: 1 });
    } catch (error) {
      remove(key);
      notifyError(error);
    }
  };

  return {
    uploads,
    add: (files: readonly File[]) => {
      const images = files.filter(({ type }) => type.startsWith('image/'));
      const taken = images.slice(0, MOST - uploads.length);
      if (images.length < files.length)
        notifyRefusal('Only images go with a message', 'Put documents into Knowledge, and ask there or here.');
      if (taken.length < images.length)
        notifyRefusal(`At most ${MOST} images go with a message`, 'Send the others with the next one.');
      for (const file of taken) upload(file);
    },
    remove,
    clear: () => setUploads([]),
    isUploading: uploads.some(({ assetId }) => assetId === null),
    ids: uploads.flatMap(({ assetId }) => assetId ?? []),
  };
}
