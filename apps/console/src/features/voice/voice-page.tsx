import { ArrowUpIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Alert, Button, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Link, useSearch } from 'wouter';
import { Page } from '../../components/page.tsx';
import { RoleGate } from '../../components/role-gate.tsx';
import { Dimmed } from '../../components/text.tsx';
import { describeError } from '../../data/describe-error.ts';
import { t } from '../../i18n/i18n.ts';
import type { MessageKey } from '../../i18n/messages.ts';
import { useScope } from '../../scope/scope-context.tsx';
import { CallControls } from './call-controls.tsx';
import type { Caption } from './captions.ts';
import { type CallState, VoiceCall } from './voice-call.ts';
import classes from './voice-page.module.css';

export default function VoicePage() {
  // A call belongs to the scope it was started in.
  const { scopeKey } = useScope();
  // The same holds for a conversation that it continues.
  const sessionId = new URLSearchParams(useSearch()).get('session');
  return <VoiceRoom key={`${scopeKey} ${sessionId}`} sessionId={sessionId} />;
}

function VoiceRoom({ sessionId: continued }: { sessionId: string | null }) {
  const { call, view } = useVoiceCall(continued);
  const { state, captions, sessionId, isMuted, problem } = view;
  return (
    <Page
      title={t('common.voice')}
      actions={
        sessionId !== null && (
          <Button component={Link} href={`/chat/${sessionId}`} variant="default">
            {t('components.viewConversation')}
          </Button>
        )
      }
    >
      <RoleGate minRole="editor" action={t('voice.actionCall')}>
        <div className={classes.room}>
          <CallControls call={call} state={state} isMuted={isMuted} />
          {problem !== null && <CallError problem={problem} />}
          <CaptionList captions={captions} />
          {state !== 'idle' && <MessageInput isReady={isConnected(state)} onWrite={(text) => call.sendText(text)} />}
        </div>
      </RoleGate>
    </Page>
  );
}

const isConnected = (state: CallState) => state !== 'connecting' && state !== 'reconnecting';

/** Creates the call of this page, and ends it on leaving. */
function useVoiceCall(continued: string | null) {
  const { client } = useScope();
  const [call] = useState(() => new VoiceCall(client, continued));
  const view = useSyncExternalStore(call.subscribe, call.snapshot);
  useEffect(() => () => call.stop(), [call]);
  return { call, view };
}

function CaptionList({ captions }: { captions: readonly Caption[] }) {
  const list = useRef<HTMLOListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change may make the list longer
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [captions]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <ol ref={list} className={classes.captions} aria-label={t('voice.captions')} tabIndex={0}>
      {captions.map(({ id, role, text, isDone, isCutOff }) => (
        <li key={id} className={classes.caption} data-role={role}>
          <Dimmed size="xs">{role === 'user' ? t('components.you') : 'Chorus'}</Dimmed>
          {text === '' ? '…' : text}
          {isCutOff && (
            <Text span size="xs" c="dimmed">
              {' '}
              {t('voice.interrupted')}
            </Text>
          )}
          {!isDone && role === 'assistant' && ' ▍'}
        </li>
      ))}
    </ol>
  );
}

function MessageInput({ isReady, onWrite }: { isReady: boolean; onWrite: (text: string) => void }) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || text.trim() === '') return;
    onWrite(text);
    setText('');
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        aria-label={t('voice.typeAMessageInstead')}
        placeholder={t('voice.orTypeAMessage')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        rightSection={
          <ActionIcon type="submit" variant="subtle" aria-label={t('common.send')} disabled={!isReady}>
            <ArrowUpIcon />
          </ActionIcon>
        }
      />
    </form>
  );
}

const END_REASONS: Readonly<Record<string, { title: MessageKey; advice?: MessageKey }>> = {
  NotAllowedError: {
    title: 'common.microphoneAccessDenied',
    advice: 'voice.allowMicrophone',
  },
  NotFoundError: {
    title: 'common.noMicrophoneFound',
    advice: 'voice.connectMicrophone',
  },
  NotReadableError: {
    title: 'common.microphoneUnusable',
    advice: 'voice.microphoneInUse',
  },
  UnpluggedError: {
    title: 'voice.microphoneUnplugged',
    advice: 'voice.reconnectMicrophone',
  },
  NetworkError: {
    title: 'voice.connectionLost',
    advice: 'voice.connectionLostHint',
  },
  // The server gives the reason.
  AbortError: { title: 'voice.theCallEnded' },
  SecurityError: {
    title: 'common.microphoneUnavailable',
    advice: 'common.openOverHttps',
  },
};

function CallError({ problem }: { problem: unknown }) {
  const { title, advice } = describeProblem(problem);
  return (
    <Alert color="red" title={title} role="alert">
      {advice}
    </Alert>
  );
}

function describeProblem(problem: unknown): { title: string; advice: string } {
  if (!(problem instanceof DOMException)) return describeError(problem);
  const reason = END_REASONS[problem.name];
  if (reason === undefined) return describeError(problem);
  return { title: t(reason.title), advice: reason.advice === undefined ? problem.message : t(reason.advice) };
}
