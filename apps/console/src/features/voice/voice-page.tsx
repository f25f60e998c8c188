import { ArrowUpIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Alert, Button, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Link, useSearch } from 'wouter';
import { Page } from '../../components/page.tsx';
import { RoleGate } from '../../components/role-gate.tsx';
import { Dimmed } from '../../components/text.tsx';
import { describeError } from '../../data/describe-error.ts';
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
      title="Voice"
      actions={
        sessionId !== null && (
          <Button component={Link} href={`/chat/${sessionId}`} variant="default">
            View conversation
          </Button>
        )
      }
    >
      <RoleGate minRole="editor" action="start calls">
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
    <ol ref={list} className={classes.captions} aria-label="Captions" tabIndex={0}>
      {captions.map(({ id, role, text, isDone, isCutOff }) => (
        <li key={id} className={classes.caption} data-role={role}>
          <Dimmed size="xs">{role === 'user' ? 'You' : 'Chorus'}</Dimmed>
          {text === '' ? '…' : text}
          {isCutOff && (
            <Text span size="xs" c="dimmed">
              {' '}
              (interrupted)
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
        aria-label="Type a message instead"
        placeholder="Or type a message"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        rightSection={
          <ActionIcon type="submit" variant="subtle" aria-label="Send" disabled={!isReady}>
            <ArrowUpIcon />
          </ActionIcon>
        }
      />
    </form>
  );
}

const END_REASONS: Readonly<Record<string, { title: string; advice?: string }>> = {
  NotAllowedError: {
    title: 'Microphone access denied',
    advice: 'Allow it for this page in the browser’s site settings, then start again.',
  },
  NotFoundError: {
    title: 'No microphone found',
    advice: 'Connect one, then start again. You can also write in Chat.',
  },
  NotReadableError: {
    title: 'The microphone cannot be used',
    advice: 'Another program may be using it. Close that program, then start again.',
  },
  UnpluggedError: {
    title: 'The microphone was disconnected',
    advice: 'Connect it, then start again. The conversation so far is saved.',
  },
  NetworkError: {
    title: 'The connection was lost',
    advice: 'The conversation so far is saved. Open it to read it, or start a new one.',
  },
  // The server gives the reason.
  AbortError: { title: 'The call ended' },
  SecurityError: {
    title: 'The microphone is not available on this address',
    advice: 'Open the page over HTTPS or at localhost.',
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
  const { title, advice = problem.message } = END_REASONS[problem.name] ?? describeError(problem);
  return { title, advice };
}
