import { HandRaisedIcon, MicrophoneIcon } from '@heroicons/react/24/outline';
import { MicrophoneIcon as SolidMicrophone, StopIcon } from '@heroicons/react/24/solid';
import { Button, Group, Select, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Dimmed } from '../../components/text.tsx';
import { t } from '../../i18n/i18n.ts';
import type { MessageKey } from '../../i18n/messages.ts';
import { useScope } from '../../scope/scope-context.tsx';
import type { CallState, VoiceCall } from './voice-call.ts';
import classes from './voice-page.module.css';

const STATE_LABELS: Record<CallState, MessageKey> = {
  idle: 'voice.pressToTalk',
  connecting: 'common.connecting',
  listening: 'voice.listeningSaySomething',
  hearing: 'voice.hearingYou',
  thinking: 'components.thinking',
  speaking: 'voice.speakingTalkToInterrupt',
  reconnecting: 'voice.connectionLostReconnecting',
};

interface CallControlsProps {
  call: VoiceCall;
  state: CallState;
  isMuted: boolean;
}

export function CallControls({ call, state, isMuted }: CallControlsProps) {
  const { client } = useScope();
  const [voice, setVoice] = useState<string | null>(null);
  const { data } = useQuery({ queryKey: ['voice-meta'], queryFn: ({ signal }) => client.voice.meta({}, { signal }) });
  const isIdle = state === 'idle';
  // Also works while the text input has the focus.
  useHotkeys([['Escape', () => state === 'speaking' && call.interrupt()]], []);
  const model = data?.speech.default_model;
  const voices = data?.speech.voices.filter((one) => one.model === model) ?? [];
  return (
    <div className={classes.controls}>
      <button
        type="button"
        className={classes.orb}
        data-state={state}
        onClick={() => (isIdle ? call.start(voice) : call.stop())}
        aria-label={isIdle ? t('voice.startCall') : t('voice.endCall')}
      >
        {isIdle ? <SolidMicrophone /> : <StopIcon />}
      </button>
      <Text role="status" fw={600}>
        {t(STATE_LABELS[state])}
      </Text>
      {isIdle ? (
        <Select
          aria-label={t('voice.voice')}
          placeholder={t('components.defaultVoice')}
          data={voices.map(({ id, name, language }) => ({
            value: id,
            label: language === null ? name : `${name} (${language})`,
          }))}
          value={voice}
          onChange={setVoice}
          clearable
          w={240}
        />
      ) : (
        <>
          <LevelMeters call={call} />
          <Group gap="xs">
            <Button
              variant={isMuted ? 'filled' : 'default'}
              leftSection={<MicrophoneIcon />}
              aria-pressed={isMuted}
              onClick={() => call.mute(!isMuted)}
            >
              {t('voice.mute')}
            </Button>
            <Button
              variant="default"
              leftSection={<HandRaisedIcon />}
              onClick={() => call.interrupt()}
              disabled={state !== 'speaking'}
            >
              {t('voice.interrupt')}
            </Button>
          </Group>
        </>
      )}
    </div>
  );
}

/** Updated on every frame, bypassing React. */
function LevelMeters({ call }: { call: VoiceCall }) {
  const inputBar = useRef<HTMLSpanElement>(null);
  const outputBar = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let frame = 0;
    const draw = () => {
      inputBar.current?.style.setProperty('--level', String(call.levels.input));
      outputBar.current?.style.setProperty('--level', String(call.levels.output));
      frame = requestAnimationFrame(draw);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [call]);
  return (
    <div className={classes.meters} aria-hidden>
      <Dimmed size="xs">{t('components.you')}</Dimmed>
      <div className={classes.meter}>
        <span ref={inputBar} />
      </div>
      <Dimmed size="xs">Chorus</Dimmed>
      <div className={classes.meter}>
        <span ref={outputBar} />
      </div>
    </div>
  );
}
