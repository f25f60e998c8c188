import { HandRaisedIcon, MicrophoneIcon } from '@heroicons/react/24/outline';
import { MicrophoneIcon as SolidMicrophone, StopIcon } from '@heroicons/react/24/solid';
import { Button, Group, Select, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useScope } from '../../scope/scope-context.tsx';
import { Levels } from './levels.tsx';
import type { Talk, TalkState } from './talk.ts';
import classes from './voice-page.module.css';

const WORDS: Record<TalkState, string> = {
  idle: 'Press to talk',
  connecting: 'Connecting …',
  listening: 'Listening: say something',
  hearing: 'You are speaking',
  thinking: 'Thinking …',
  speaking: 'Speaking: speak to interrupt',
  reconnecting: 'The connection is lost; it is made again …',
};

interface TalkControlsProps {
  talk: Talk;
  state: TalkState;
  isMuted: boolean;
}

export function TalkControls({ talk, state, isMuted }: TalkControlsProps) {
  const { client } = useScope();
  const [voice, setVoice] = useState<string | null>(null);
  const { data } = useQuery({ queryKey: ['voice-meta'], queryFn: ({ signal }) => client.voice.meta({}, { signal }) });
  const isIdle = state === 'idle';
  // Also from the line in which one has just written.
  useHotkeys([['Escape', () => state === 'speaking' && talk.interrupt()]], []);
  const model = data?.speech.default_model;
  const voices = data?.speech.voices.filter((one) => one.model === model) ?? [];
  return (
    <div className={classes.controls}>
      <button
        type="button"
        className={classes.orb}
        data-state={state}
        onClick={() => (isIdle ? talk.start(voice) : talk.stop())}
        aria-label={isIdle ? 'Begin to talk' : 'End the talk'}
      >
        {isIdle ? <SolidMicrophone /> : <StopIcon />}
      </button>
      <Text role="status" fw={600}>
        {WORDS[state]}
      </Text>
      {isIdle ? (
        <Select
          aria-label="Voice"
          placeholder="Usual voice"
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
          <Levels talk={talk} />
          <Group gap="xs">
            <Button
              variant={isMuted ? 'filled' : 'default'}
              leftSection={<MicrophoneIcon />}
              aria-pressed={isMuted}
              onClick={() => talk.mute(!isMuted)}
            >
              Mute
            </Button>
            <Button
              variant="default"
              leftSection={<HandRaisedIcon />}
              onClick={() => talk.interrupt()}
              disabled={state !== 'speaking'}
            >
              Interrupt
            </Button>
          </Group>
        </>
      )}
    </div>
  );
}
