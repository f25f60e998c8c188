import type { Asset } from '@chorus/client';
import { useState } from 'react';
import { t } from '../i18n/i18n.ts';
import { useScope } from '../scope/scope-context.tsx';
import { notifyError, notifyWarning } from './notify.ts';

export interface UploadState {
  file: File | null;
  fraction: number;
}

const IDLE: UploadState = { file: null, fraction: 0 };

/** Uploads one file at a time and passes the stored asset on. */
export function useUpload(onStored: (asset: Asset, file: File) => Promise<void>) {
  const { client } = useScope();
  const [state, setState] = useState(IDLE);
  const start = async ([file]: File[]) => {
    if (file === undefined) return;
    if (state.file !== null) return notifyWarning(t('components.oneFile'), t('components.waitForUpload'));
    setState({ file, fraction: 0 });
    try {
      const onProgress = ({ loaded, total }: { loaded: number; total: number }) =>
        setState({ file, fraction: total === 0 ? 1 : loaded / total });
      await onStored(await client.assets.upload(file, { onProgress }), file);
    } catch (error) {
      notifyError(error);
    }
    setState(IDLE);
  };
  return { ...state, start };
}
