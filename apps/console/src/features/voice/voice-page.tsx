import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { ForRole } from '../../components/not-allowed.tsx';
import { Page } from '../../components/page.tsx';
import { useScope } from '../../scope/scope-context.tsx';
import { CaptionList } from './caption-list.tsx';
import type { TalkState } from './talk.ts';
import { TalkControls } from './talk-controls.tsx';
import { TalkProblem } from './talk-problem.tsx';
import { useTalk } from './use-talk.ts';
import classes from './voice-page.module.css';
import { WriteLine } from './write-line.tsx';

/** Talk in the browser: who speaks is heard, read, and answered aloud. */
export default function VoicePage() {
  // A talk belongs to the scope in which it was begun.
  const { scopeKey } = useScope();
  return <VoiceRoom key={scopeKey} />;
}

function VoiceRoom() {
  const { talk, view } = useTalk();
  const { state, captions, sessionId, isMuted, problem } = view;
  return (
    <Page
      title="Voice"
      actions={
        sessionId !== null && (
          <Button component={Link} href={`/chat/${sessionId}`} variant="default">
            Open the conversation
          </Button>
        )
      }
    >
      <ForRole least="editor" what="talk here">
        <div className={classes.room}>
          <TalkControls talk={talk} state={state} isMuted={isMuted} />
          {problem !== null && <TalkProblem problem={problem} />}
          <CaptionList captions={captions} />
          {state !== 'idle' && <WriteLine isReady={isConnected(state)} onWrite={(text) => talk.write(text)} />}
        </div>
      </ForRole>
    </Page>
  );
}

const isConnected = (state: TalkState) => state !== 'connecting' && state !== 'reconnecting';
