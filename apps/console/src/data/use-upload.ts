import type { Asset } from '@chorus/client';
import { useState } from 'react';
import { useScope } from '../scope/scope-context.tsx';
import { notifyError, notifyRefusal } from './notify.ts';

export interface UploadState {
  /** Null: nothing is on its way. */
  file: File | null;
  /** 0 to 1. */
  fraction: number;
}

const NOTHING: UploadState = { file: null, fraction: 0 };

/** Stores a file, one at a time, then does something with it. */
export function useUpload(onStored: (asset: Asset, file: File) => Promise<void>) {
  const { client } = useScope();
  const [state, setState] = useState(NOTHING);
  const start = async ([file]: File[]) => {
    if (file === undefined) return;
    if (state.file !== null) return notifyRefusal('One file at a time', 'Another one is still on its way.');
    setState({ file, fraction: 0 });
    try {
      const onProgress = ({ loaded, total }: { loaded: number; total: number }) =>
        setState({ file, fraction: total === 0 ? 1 : loaded / total });
      await onStored(await client.assets.upload(file, { onProgress }), file);
    } catch (error) {
      notifyError(error);
    }
    setState(NOTHING);
  };
  return { ...state, start };
}
