import { CheckIcon, MicrophoneIcon, XMarkIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Tooltip, VisuallyHidden } from '@mantine/core';
import { memo, useEffect, useState } from 'react';
import { useModels } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';
import classes from './dictation.module.css';
import { useDictation } from './use-dictation.ts';

/** Transcribes the user's speech. Hidden if no model can transcribe. */
export const DictationButtons = memo(({ onText }: { onText: (text: string) => void }) => {
  const { state, start, finish, cancel } = useDictation(onText);
  const isAvailable = useModels('transcription').length > 0;
  if (!isAvailable) return null;
  return (
    <>
      {state === 'recording' ? (
        <div className={classes.recording}>
          <span className={classes.dot} />
          <Elapsed />
          <ActionIcon variant="subtle" color="gray" onClick={cancel} aria-label={t('chat.cancelDictation')}>
            <XMarkIcon />
          </ActionIcon>
          <ActionIcon variant="light" onClick={finish} aria-label={t('chat.finishDictation')}>
            <CheckIcon />
          </ActionIcon>
        </div>
      ) : (
        <Tooltip label={t('chat.dictate')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            onClick={start}
            loading={state !== 'idle'}
            aria-label={t('chat.dictate')}
          >
            <MicrophoneIcon />
          </ActionIcon>
        </Tooltip>
      )}
      <VisuallyHidden role="status">
        {state === 'recording' && t('chat.recording')}
        {state === 'transcribing' && t('chat.transcribing')}
      </VisuallyHidden>
    </>
  );
});

/** Counts the seconds since it was shown. */
function Elapsed() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((known) => known + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className={classes.time}>
      {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, '0')}
    </span>
  );
}
