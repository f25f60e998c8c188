import { useEffect, useRef, useState } from 'react';
import { notifyError, notifyWarning } from '../../../data/notify.ts';
import { t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import type { Recording } from './record.ts';

type State = 'idle' | 'starting' | 'recording' | 'transcribing';

/** Explanations of browser errors, by error name. */
const PROBLEMS: Readonly<Record<string, [title: MessageKey, advice: MessageKey]>> = {
  NotAllowedError: ['common.microphoneAccessDenied', 'chat.allowMicrophone'],
  NotFoundError: ['common.noMicrophoneFound', 'chat.connectMicrophone'],
  NotReadableError: ['common.microphoneUnusable', 'chat.microphoneInUse'],
  SecurityError: ['common.microphoneUnavailable', 'common.openOverHttps'],
};

/** Records speech and passes its words on. Leaving the page cancels it. */
export function useDictation(onText: (text: string) => void) {
  const { client } = useScope();
  const [state, setState] = useState<State>('idle');
  const recording = useRef<Recording | null>(null);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => {
      controller.abort();
      recording.current?.cancel();
    };
  }, []);

  const start = async () => {
    const { signal } = leaving.current;
    setState('starting');
    try {
      const { record } = await import('./record.ts');
      const started = await record();
      recording.current = started;
      if (signal.aborted) started.cancel();
      setState('recording');
      const sound = await started.sound;
      recording.current = null;
      if (sound !== null) {
        setState('transcribing');
        const { transcribe } = await import('./transcribe.ts');
        const text = await transcribe(client, sound, signal);
        if (text === '') notifyWarning(t('chat.noWords'), t('chat.speakCloser'));
        else if (!signal.aborted) onText(text);
      }
    } catch (error) {
      if (!signal.aborted) report(error);
    }
    setState('idle');
  };

  return {
    state,
    start,
    finish: () => recording.current?.finish(),
    cancel: () => recording.current?.cancel(),
  };
}

function report(error: unknown): void {
  const problem = error instanceof DOMException ? PROBLEMS[error.name] : undefined;
  if (problem === undefined) notifyError(error);
  else notifyWarning(t(problem[0]), t(problem[1]));
}
